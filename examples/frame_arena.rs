//! Data that lives for a frame: an arena that is reset when the frame ends, and scopes for data with shorter
//! lives.
//!
//!     cargo run --release --example frame_arena

use stayput::{Arena, Scope};

#[derive(Clone, Copy, Debug)]
struct Thing {
    position: [f32; 2],
    radius: f32,
}

impl Thing {
    /// The distance of the surfaces; negative if they overlap.
    fn distance(&self, other: &Self) -> f32 {
        let [x, y] = [0, 1].map(|axis| self.position[axis] - other.position[axis]);
        x.hypot(y) - self.radius - other.radius
    }
}

/// A label to draw. It refers to the frame's memory, and is not freed by itself.
#[derive(Debug)]
struct Label<'frame> {
    text: &'frame str,
    /// The nearest ones first.
    touching: &'frame [usize],
}

/// Labels everything that touches something. Temporary data of each thing lives in an inner scope, whose memory
/// is reused for the next thing.
fn labels<'frame>(things: &[Thing], frame: &mut Scope<'frame>) -> Vec<Label<'frame>> {
    const MOST: usize = 4;
    let mut labels = Vec::new();
    for (n, thing) in things.iter().enumerate() {
        let (count, nearest) = frame.scope(|scratch| {
            let others = things.iter().enumerate().filter(|&(other, _)| other != n);
            let distances = others.map(|(other, to)| (thing.distance(to), other));
            let found = scratch.alloc_slice_from_iter(distances.filter(|(gap, _)| *gap < 0.0));
            found.sort_unstable_by(|(one, _), (other, _)| one.total_cmp(other));
            let mut nearest = [0; MOST];
            for (place, (_, other)) in nearest.iter_mut().zip(&*found) {
                *place = *other;
            }
            (found.len(), nearest)
        });
        if count > 0 {
            let [x, y] = thing.position;
            let text = frame.alloc_fmt(format_args!("{count} at {x:.1}, {y:.1}"));
            let touching = frame.alloc_slice_copy(&nearest[..count.min(MOST)]);
            labels.push(Label { text, touching });
        }
    }
    labels
}

fn main() {
    let mut things: Vec<Thing> = (0..300_u16)
        .map(|n| Thing { position: [f32::from(n % 20), f32::from(n / 20)], radius: 0.3 })
        .collect();
    let mut arena = Arena::new();
    let (mut shown, mut most_bytes) = (0, 0);
    for frame in 0..120_u8 {
        for thing in things.iter_mut().step_by(3) {
            thing.position[0] += if frame % 40 < 20 { 0.04 } else { -0.04 };
        }
        let mut guard = arena.guard();
        let mut scope = guard.scope();
        let labels = labels(&things, &mut scope);
        for label in &labels {
            assert!(!label.touching.is_empty() && !label.text.starts_with('0'));
        }
        shown += labels.len();
        most_bytes = most_bytes.max(scope.used_bytes());
        // The guard frees all data of the frame at once, and its memory serves the next frame.
        drop(labels);
        drop(guard);
        assert_eq!(arena.used_bytes(), 0);
    }
    assert!(shown > 0 && (1..=arena.capacity_bytes()).contains(&most_bytes));
    println!(
        "{shown} labels in 120 frames; at most {most_bytes} bytes a frame, {} committed",
        arena.capacity_bytes(),
    );
}
