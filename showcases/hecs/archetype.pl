# Replaces how an archetype of hecs allocates: each column has memory that grows in place.

s/use crate::alloc::alloc::\{alloc, dealloc, Layout\};\n/use crate::alloc::alloc::Layout;\nuse stayput::columns::ErasedColumn;\n/ or die;
s/use crate::alloc::\{vec, vec::Vec\};\n/use crate::alloc::vec::Vec;\n/ or die;
s/    entities: Box<\[u32\]>,\n/    entities: stayput::VmVec<u32>,\n/ or die;
s/            entities: Box::new\(\[\]\),\n/            entities: stayput::VmVec::new(),\n/ or die;
s/(let component_count = types\.len\(\);\n)/let memory: Vec<_> = types.iter().map(|ty| unsafe { ErasedColumn::new(ty.layout, None) }.starting_in_heap()).collect();\n        $1/ or die;
s/\(0\.\.component_count\)\n(\s*)\.map\(\|_\| Data \{/memory.into_iter()\n$1.map(|memory| Data {\n$1    memory,/ or die;
s/        let component_count = types\.len\(\);\n// or die;
s/(struct Data \{\n)/$1    memory: ErasedColumn,\n/ or die;
s/self\.grow_exact\(self\.capacity\(\)\.max\(min_increment\)\)/self.grow_exact(self.capacity().min(1 << 14).max(min_increment))/ or die;

# The body of `grow_exact`.
s/(fn grow_exact\(&mut self, increment: u32\) \{\n).*?(\n    \}\n\n    \/\/\/ Returns the ID)/$1        let new_cap = self.entities.len() + increment as usize;
        for data in &mut *self.data {
            \/\/ It counts no elements, so this is the capacity.
            data.memory.reserve_exact(new_cap);
            data.storage = NonNull::new(data.memory.as_ptr()).unwrap();
        }
        self.entities.resize(new_cap, !0);$2/s or die;

# The memory is released with its fields.
s/(impl Drop for Archetype \{\n    fn drop\(&mut self\) \{\n        self\.clear\(\);\n).*?(\n    \}\n\})/$1$2/s or die;
