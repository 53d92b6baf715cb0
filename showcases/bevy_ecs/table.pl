# A table grows in place, in steps if it is large, and its memory can be given back.

s/(    columns: ImmutableSparseSet.*?Vec<Entity>,\n)/$1    capacity: usize,\n/s or die;
s/(use nonmax::NonMaxU32;\n)/$1use stayput::Budget;\n/ or die;
s/(self\.columns\.into_immutable\(\),\n)/$1            capacity: self.entities.capacity(),\n/ or die;
s/(pub fn capacity\(&self\) -> usize \{\n        self)\.entities\.capacity\(\)/$1.capacity/ or die;
s/            \/\/ use entities vector.*?\n(            let new_capacity = )self\.entities\.capacity\(\);\n/            \/\/ Growing copies nothing, so large tables grow in steps.
$1column_cap + additional.max(column_cap.clamp(4, 1 << 14));\n/s or die;
s/(NonZeroUsize::new_unchecked\(new_capacity\),\n                    \);\n                \};\n            \}\n)/$1            self.capacity = new_capacity;\n/ or die;
s/(\n    \/\/\/ Allocates space for a new entity\n)/
    \/\/\/ Gives the memory of free rows back to the system, within a budget of time, and returns whether there is more of it.
    pub(crate) fn shrink_within(&mut self, budget: Budget) -> bool {
        let Some(current) = NonZeroUsize::new(self.capacity) else { return false };
        let capacity = NonZeroUsize::new(self.entities.len()).unwrap_or(NonZeroUsize::MIN);
        \/\/ SAFETY: all columns have the current capacity, and no rows past the new one.
        unsafe { self.realloc_columns(current, capacity) };
        self.capacity = capacity.get();
        let columns = self.columns.values_mut();
        columns.fold(false, |more, column| column.shrink_within(capacity.get(), budget) | more)
    }
$1/ or die;
s/(\n    pub\(crate\) fn check_change_ticks\(&mut self, check: CheckChangeTicks\) \{\n        for table)/
    \/\/\/ Gives the memory of free rows back to the system, within a budget of time, and returns whether there is more of it.
    pub fn shrink_within(&mut self, budget: Budget) -> bool {
        self.tables.iter_mut().fold(false, |more, table| table.shrink_within(budget) | more)
    }
$1/ or die;
