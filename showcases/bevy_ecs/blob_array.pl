# The components of a column are in memory that grows in place.

s/^use alloc::alloc::handle_alloc_error;\n// or die;
s/(NonZeroUsize, ptr::NonNull\};\n)\nuse crate::query::DebugCheckedUnwrap;\n/$1use stayput::columns::ErasedColumn;\n/ or die;
s/(    data: NonNull<u8>,\n)/$1    \/\/ It has no elements, only room for those of the owner.\n    pub(super) memory: ErasedColumn,\n/ or die;
s/(                data,\n)/$1                \/\/ SAFETY: Upheld by caller\n                memory: unsafe { ErasedColumn::new(item_layout, None) }.starting_in_heap(),\n/ or die;
s/(self\.clear\(len\);\n)            if !self\.is_zst\(\) \{.*?\n            \}\n/$1/s or die;

# The bodies of `alloc` and `realloc`.
s/(pub\(super\) fn alloc\(.*?if !self\.is_zst\(\) \{\n).*?\n        \}\n/$1            self.memory.reserve(capacity.get());
            self.data = NonNull::new(self.memory.as_ptr()).unwrap();
        }\n/s or die;
s/(pub\(super\) unsafe fn realloc\(.*?)        if !self\.is_zst\(\) \{\n.*?\n        \}\n/$1        let _ = current_capacity;
        if !self.is_zst() {
            self.memory.reserve(new_capacity.get());
            self.data = NonNull::new(self.memory.as_ptr()).unwrap();
        }\n/s or die;
