//! What is done in which frame.

use serde::{Deserialize, Serialize};

use crate::entity::Entity;

/// What a scenario does in how many frames. All of them are read off the same few numbers, so that
/// one loop plays every scenario of arrays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Script {
    pub(crate) frames: usize,
    /// Containers that grow together; each gets the same share of what is spawned.
    pub(crate) containers: usize,
    /// Entities there before the first frame.
    pub(crate) entities_at_start: usize,
    /// Entities that a frame spawns.
    pub(crate) spawn_per_frame: usize,
    pub(crate) remove_per_frame: usize,
    /// Frames that spawn more.
    pub(crate) burst: Option<Burst>,
    /// Frames after which everything goes, and the next level begins.
    pub(crate) frames_per_level: Option<usize>,
    /// Frames that an entity lives at most; 0 if it lives until it is removed.
    pub(crate) longest_life: u16,
    /// Whether a second thread allocates and frees memory all the while.
    pub(crate) neighbour: bool,
    /// Threads that append what is spawned; 0 where the frame itself does.
    pub(crate) workers: usize,
    /// Entities that were there before a frame, of which it reads so many at random.
    pub(crate) looked_at_per_frame: usize,
}

/// The last of so many frames spawns that many entities instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Burst {
    pub(crate) every: usize,
    pub(crate) spawn: usize,
}

impl Script {
    /// One container that gets as many entities in each frame.
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

    /// Entities that the frame spawns in each container.
    pub(crate) fn share_of(&self, frame: usize) -> usize {
        let all = match self.burst {
            Some(burst) if frame % burst.every == burst.every - 1 => burst.spawn,
            _ => self.spawn_per_frame,
        };
        all / self.containers
    }

    /// The most that any frame spawns in a container.
    pub(crate) fn largest_share(&self) -> usize {
        (0..self.frames).map(|frame| self.share_of(frame)).max().unwrap_or(0)
    }

    /// Whether the frame begins by leaving a level.
    pub(crate) fn changes_level(&self, frame: usize) -> bool {
        frame > 0 && self.frames_per_level.is_some_and(|frames| frame % frames == 0)
    }

    /// The most entities that are ever in one container.
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

    /// The entities that each of the workers appends in all frames.
    pub(crate) fn worker_share(&self) -> usize {
        self.frames * self.spawn_per_frame / self.workers
    }

    /// The memory that the most entities take in all containers.
    pub(crate) fn most_bytes(&self) -> usize {
        self.most() * self.containers * size_of::<Entity>()
    }
}
