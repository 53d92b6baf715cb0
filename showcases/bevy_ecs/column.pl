# The memory of a column is given back.

s/(panic::Location\};\n)/$1use stayput::{columns::ErasedColumn, Budget};\n/ or die;
s/(\n    \/\/\/ Writes component data)/
    \/\/\/ Gives memory that `capacity` rows do not need back to the system, and returns whether there is more of it.
    pub(crate) fn shrink_within(&mut self, capacity: usize, budget: Budget) -> bool {
        let shrink = |memory: &mut ErasedColumn| {
            let result = memory.shrink_to_within(capacity, budget);
            result.is_ok_and(|given_back| !given_back.is_done)
        };
        let by = self.changed_by.as_mut().map(|by| shrink(&mut by.memory));
        shrink(&mut self.data.memory)
            | shrink(&mut self.added_ticks.memory)
            | shrink(&mut self.changed_ticks.memory)
            | by.into_option().unwrap_or(false)
    }
$1/ or die;
