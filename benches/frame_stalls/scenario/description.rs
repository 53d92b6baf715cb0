//! Descriptions of the scenarios.

use bench_common::numbers::grouped;
use bench_common::spread::millis;

use super::{Scenario, Script};
use crate::entity::Entity;

impl Scenario {
    /// Describes a scenario with the numbers of a script.
    pub(crate) fn description(self, script: &Script, period_us: u64) -> String {
        let frames = grouped(script.frames);
        let pace = match period_us {
            0 => "back to back".to_owned(),
            _ => format!("one every {} ms", millis(period_us * 1000)),
        };
        format!("{frames} frames, {pace}. {}", self.frame(script))
    }

    /// Describes a frame.
    fn frame(self, script: &Script) -> String {
        let (spawn, containers) = (grouped(script.spawn_per_frame), script.containers);
        let (bytes, mebibytes) = (size_of::<Entity>(), script.most_bytes() >> 20);
        match self {
            Self::Steady => format!(
                "Each spawns {spawn} entities of {bytes} bytes; {mebibytes} MiB in the end."
            ),
            Self::Burst => {
                let (every, burst) =
                    script.burst.map_or((0, 0), |burst| (burst.every, burst.spawn));
                let burst = grouped(burst);
                format!(
                    "Each spawns {spawn} entities of {bytes} bytes, and every {every}th spawns \
                     {burst}; {mebibytes} MiB in the end."
                )
            }
            Self::Many => format!(
                "Each spawns {} entities of {bytes} bytes in each of {containers} arrays, a KiB before \
                 the next array's turn; {mebibytes} MiB in the end.",
                grouped(script.spawn_per_frame / containers)
            ),
            Self::Beside => format!(
                "Each spawns {spawn} entities of {bytes} bytes; {mebibytes} MiB in the end. \
                 Meanwhile a second thread allocates and frees: every millisecond 64 blocks of 16 bytes \
                 to 8 KiB, two of 16 to 512 KiB, and one of 40 MiB, of which it touches 64 pages \
                 and which is mapped and unmapped. It takes the process's map lock, and about an \
                 eighth of a core."
            ),
            Self::Level => format!(
                "Each spawns {spawn} entities of {bytes} bytes, for {} frames: a level of \
                 {mebibytes} MiB. The next frame begins by dropping the array, and fills a new \
                 one.",
                script.frames_per_level.unwrap_or(0)
            ),
            Self::Churn => format!(
                "Each removes {} of at least {} entities of {bytes} bytes at random and spawns \
                 {spawn}: {} entities and {mebibytes} MiB in the end.",
                grouped(script.remove_per_frame),
                grouped(script.entities_at_start),
                grouped(script.most())
            ),
            Self::Ecs => format!(
                "Each inserts {spawn} entities of {bytes} bytes, with their velocities in a secondary map, \
                 updates all of some {}, adds its velocity to each position, and removes those whose life \
                 has run out, on average as many as it inserts; {mebibytes} MiB.",
                grouped(script.most())
            ),
            Self::Table => format!(
                "Each inserts {spawn} rows of {bytes} bytes, with keys of 8 bytes that look \
                 random, and looks up as many of those that exist by their keys: {} rows in \
                 the end, {mebibytes} MiB without the index.",
                grouped(script.most())
            ),
            Self::Workers => format!(
                "Meanwhile {} threads append {spawn} entities of {bytes} bytes to one array, a few \
                 at a time. Each frame reads all that are new since the previous one, and {} of \
                 the older ones, at random; {mebibytes} MiB in the end.",
                script.workers,
                grouped(script.looked_at_per_frame)
            ),
        }
    }
}
