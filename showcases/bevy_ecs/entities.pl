# What is known of each entity is in memory that grows in place, in steps.

s/^(use alloc::vec::Vec;\n)/#[cfg(test)]\n$1/m or die;
s/(    meta: )Vec(<EntityMeta>,\n)/$1stayput::VmVec$2/ or die;
s/(meta: )Vec(::new\(\))/$1stayput::VmVec$2/ or die;
s/fn expand\(meta: &mut Vec/fn expand(meta: &mut stayput::VmVec/ or die;
s/            meta\.resize\(len, EntityMeta::FRESH\);\n(.*?\n)            meta\.resize\(meta\.capacity\(\), /$1            meta.resize(len.next_multiple_of(1 << 10), /s or die;
