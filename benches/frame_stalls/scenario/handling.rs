//! How a container is created, prepared and ended.

/// How a container is created, and what is done for it between frames and levels.
#[derive(Debug)]
pub(crate) struct Handling<C> {
    make: fn(usize) -> C,
    prepare: Option<fn(&mut C, usize)>,
    end: LevelEnd<C>,
    late: Option<fn(&C) -> usize>,
}

/// What happens to the containers when a level ends.
#[derive(Debug)]
enum LevelEnd<C> {
    /// They are dropped, and new ones are created.
    Drop,
    /// They are dropped, and replaced by ones created in the idle time before the level's last frame.
    Replace,
    /// They are emptied, and serve the next level too.
    Empty(fn(&mut C)),
}

impl<C> Handling<C> {
    /// Creates containers with `make`, which is given the most entities that one will hold. By default nothing
    /// prepares them, and the end of a level drops them.
    pub(crate) fn new(make: fn(usize) -> C) -> Self {
        Self { make, prepare: None, end: LevelEnd::Drop, late: None }
    }

    /// Calls `prepare` in the idle time before each frame, with the most entities that a frame adds.
    pub(crate) fn preparing(self, prepare: fn(&mut C, usize)) -> Self {
        Self { prepare: Some(prepare), ..self }
    }

    /// Calls `empty` at the end of a level; the containers serve the next one too.
    pub(crate) fn emptying(self, empty: fn(&mut C)) -> Self {
        Self { end: LevelEnd::Empty(empty), ..self }
    }

    /// Replaces the containers at the end of a level by ones created in the idle time before its last frame.
    pub(crate) fn replacing(self) -> Self {
        Self { end: LevelEnd::Replace, ..self }
    }

    /// Sets how to read how often the thread that makes memory ready ahead was late.
    pub(crate) fn served(self, late: fn(&C) -> usize) -> Self {
        Self { late: Some(late), ..self }
    }

    pub(super) fn make(&self, most: usize) -> C {
        (self.make)(most)
    }

    /// Returns whether there was anything to do.
    pub(super) fn prepare(&self, containers: &mut [C], growth: usize) -> bool {
        let Some(prepare) = self.prepare else { return false };
        for container in containers {
            prepare(container, growth);
        }
        true
    }

    /// Returns how often a thread that works ahead was late; `None` if there is none.
    pub(super) fn late(&self, containers: &[C]) -> Option<u64> {
        let late = self.late?;
        Some(containers.iter().map(|container| late(container) as u64).sum())
    }

    /// Whether the end of a level drops the containers.
    pub(super) fn drops(&self) -> bool {
        !matches!(self.end, LevelEnd::Empty(_))
    }

    /// Whether the next level's containers are created before the level ends.
    pub(super) fn replaces(&self) -> bool {
        matches!(self.end, LevelEnd::Replace)
    }

    /// Ends a level, in which each container held at most `most` entities. `next` holds the next level's
    /// containers if they were created before.
    pub(super) fn end_level(&self, containers: &mut Vec<C>, next: &mut Vec<C>, most: usize) {
        if let LevelEnd::Empty(empty) = self.end {
            return containers.iter_mut().for_each(empty);
        }
        // All are dropped before the first new one is created, so that it can have their memory.
        let missing = containers.len() - next.len();
        containers.clear();
        containers.append(next);
        containers.extend((0..missing).map(|_| self.make(most)));
    }
}
