# The ticks of a column are in memory that grows in place.

s/use alloc::alloc::\{alloc, handle_alloc_error, realloc\};\n// or die;
s/    alloc::Layout,\n// or die;
s/(    ptr::\{self, NonNull\},\n\};\n)/$1use stayput::columns::ErasedColumn;\n/ or die;
s/mem::\{needs_drop, size_of\}/mem::needs_drop/ or die;
s/(    data: NonNull<T>,\n)/$1    \/\/ It has no elements, only room for those of the owner.\n    pub(super) memory: ErasedColumn,\n/ or die;
s/(            data: NonNull::dangling\(\),\n)/$1            memory: ErasedColumn::of::<T>().starting_in_heap(),\n/ or die;

# The bodies of `alloc` and `realloc`.
s/(pub fn alloc\(.*?)        if size_of.*?\n        \}\n/$1        self.memory.reserve(capacity.get());
        self.data = NonNull::new(self.memory.as_ptr()).unwrap().cast();\n/s or die;
s/(pub unsafe fn realloc\(.*?)        self\.set_capacity\(new_capacity\.get\(\)\);\n.*?\n        \}\n/$1        let _ = current_capacity;
        self.alloc(new_capacity);\n/s or die;

# The memory is released with its field.
s/(self\.clear_elements\(current_len\);\n).*?\n(        \}\n        self\.set_capacity\(0\))/$1$2/s or die;
