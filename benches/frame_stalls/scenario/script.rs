//! The work of each frame.

use serde::{Deserialize, Serialize};

use crate::entity::Entity;

/// The parameters of a scenario. One loop plays every scenario of arrays by the same few numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Script {
    pub(crate) frames: usize,
    /// Containers that grow together; each gets an equal share of the spawned entities.
    pub(crate) containers: usize,
    /// Entities that exist before the first frame.
    pub(crate) entities_at_start: usize,
    /// Entities that a frame spawns.
    pub(crate) spawn_per_frame: usize,
    pub(crate) remove_per_frame: usize,
    /// Frames that spawn more.
    pub(crate) burst: Option<Burst>,
    /// Frames after which all entities are dropped, and the next level begins.
    pub(crate) frames_per_level: Option<usize>,
    /// The longest life of an entity in frames; 0 if entities live until they are removed.
    pub(crate) longest_life: u16,
    /// Whether a second thread allocates and frees memory meanwhile.
    pub(crate) neighbour: bool,
    /// Threads that append the entities; 0 if the frame itself spawns them.
    pub(crate) workers: usize,
    /// Older entities that a frame reads at random.
    pub(crate) looked_at_per_frame: usize,
}

/// The last of every `every` frames spawns `spawn` entities instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Burst {
    pub(crate) every: usize,
    pub(crate) spawn: usize,
}

impl Script {
    /// One container that gets equally many entities in each frame.
    pub(crate) fn steady(frames: usize, spawn_per_frame: usize) -> Self {
        Self {
            frames,
            containers: 1,
            entities_at_start: 0,
            spawn_per_frame,
            remove_per_frame: 0,
            burst: None,
            frames_per_level: None,
            longest_life: 0,
            neighbour: false,
            workers: 0,
            looked_at_per_frame: 0,
        }
    }

    /// Returns the number of entities that the frame spawns in each container.
    pub(crate) fn share_of(&self, frame: usize) -> usize {
        let all = match self.burst {
            Some(burst) if frame % burst.every == burst.every - 1 => burst.spawn,
            _ => self.spawn_per_frame,
        };
        all / self.containers
    }

    /// Returns the most entities that a frame spawns in a container.
    pub(crate) fn largest_share(&self) -> usize {
        (0..self.frames).map(|frame| self.share_of(frame)).max().unwrap_or(0)
    }

    /// Whether the frame begins by ending a level.
    pub(crate) fn changes_level(&self, frame: usize) -> bool {
        frame > 0 && self.frames_per_level.is_some_and(|frames| frame % frames == 0)
    }

    /// Returns the most entities that are ever in one container.
    pub(crate) fn most(&self) -> usize {
        let mut count = self.entities_at_start;
        let after = (0..self.frames).map(|frame| {
            if self.changes_level(frame) {
                count = 0;
            }
            count += self.share_of(frame);
            count -= self.remove_per_frame;
            count
        });
        after.max().unwrap_or(0)
    }

    /// Returns the number of entities that each worker appends in all frames.
    pub(crate) fn worker_share(&self) -> usize {
        self.frames * self.spawn_per_frame / self.workers
    }

    /// Returns the bytes of the most entities in all containers.
    pub(crate) fn most_bytes(&self) -> usize {
        self.most() * self.containers * size_of::<Entity>()
    }
}
