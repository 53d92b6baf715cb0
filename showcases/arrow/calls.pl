# Allocates and deallocates through `allocator`.

my $ours = s/std::alloc::(dealloc|realloc)\((.+?), (\*?)((?:self\.|old_)?layout)\b/crate::alloc::allocator($3$4).$1($2, $3$4/g;
$ours += s/std::alloc::(alloc|alloc_zeroed)\(((?:new_)?layout)\) \}(?!;\n {16}assert)/crate::alloc::allocator($2).$1($2) }/g;
$ours >= 3 or die;
