//! What an owner does with a container, beside filling it.

/// How a container is made, and what its owner does for it between frames and levels.
#[derive(Debug)]
pub(crate) struct Handling<C> {
    make: fn(usize) -> C,
    prepare: Option<fn(&mut C, usize)>,
    end: LevelEnd<C>,
    late: Option<fn(&C) -> usize>,
}

/// What becomes of the containers of a level that ends.
#[derive(Debug)]
enum LevelEnd<C> {
    /// They are dropped, and new ones made.
    Drop,
    /// The same, but the new ones were made in the idle time before the level's last frame.
    Replace,
    /// They serve the next level too.
    Empty(fn(&mut C)),
}

impl<C> Handling<C> {
    /// A container that is made so, by someone who knows how many entities it will hold at most.
    /// Otherwise it is left to itself, and at the end of a level it is dropped.
    pub(crate) fn new(make: fn(usize) -> C) -> Self {
        Self { make, prepare: None, end: LevelEnd::Drop, late: None }
    }

    /// Before each frame, in idle time, this is done, by someone who knows how many more entities
    /// the largest frame leaves in it.
    pub(crate) fn preparing(self, prepare: fn(&mut C, usize)) -> Self {
        Self { prepare: Some(prepare), ..self }
    }

    /// At the end of a level it is emptied so, and serves the next one too.
    pub(crate) fn emptying(self, empty: fn(&mut C)) -> Self {
        Self { end: LevelEnd::Empty(empty), ..self }
    }

    /// At the end of a level another takes its place, made in the idle time before its last frame.
    pub(crate) fn replacing(self) -> Self {
        Self { end: LevelEnd::Replace, ..self }
    }

    /// A thread makes memory ready ahead of it, and this tells how often that was late.
    pub(crate) fn served(self, late: fn(&C) -> usize) -> Self {
        Self { late: Some(late), ..self }
    }

    pub(super) fn make(&self, most: usize) -> C {
        (self.make)(most)
    }

    /// Tells whether there was anything to do.
    pub(super) fn prepare(&self, containers: &mut [C], growth: usize) -> bool {
        let Some(prepare) = self.prepare else { return false };
        for container in containers {
            prepare(container, growth);
        }
        true
    }

    /// How often a thread that works ahead was late; `None` where there is none.
    pub(super) fn late(&self, containers: &[C]) -> Option<u64> {
        let late = self.late?;
        Some(containers.iter().map(|container| late(container) as u64).sum())
    }

    /// Whether the end of a level is the end of the containers.
    pub(super) fn drops(&self) -> bool {
        !matches!(self.end, LevelEnd::Empty(_))
    }

    /// Whether the next level's containers are made before the level ends.
    pub(super) fn replaces(&self) -> bool {
        matches!(self.end, LevelEnd::Replace)
    }

    /// Ends a level, in which each container held so many entities at most. The next ones are none,
    /// unless they were made already.
    pub(super) fn end_level(&self, containers: &mut Vec<C>, next: &mut Vec<C>, most: usize) {
        if let LevelEnd::Empty(empty) = self.end {
            return containers.iter_mut().for_each(empty);
        }
        // All go before the first new one comes, so that these can have their memory.
        let missing = containers.len() - next.len();
        containers.clear();
        containers.append(next);
        containers.extend((0..missing).map(|_| self.make(most)));
    }
}
