# The memory of tables is given back.

s/(\n    \/\/\/ Despawns all entities in this \[`World`\]\.\n)/
    \/\/\/ Gives the memory of despawned entities back to the system for some time, and returns whether there is more of it.
    pub fn shrink_within(&mut self, time: core::time::Duration) -> bool {
        self.storages.tables.shrink_within(stayput::Budget::time(time))
    }
$1/ or die;
