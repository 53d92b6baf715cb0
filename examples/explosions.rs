//! Hold a reference, keep pushing.
//!
//! A bomb goes off and throws sparks into the array it is itself in. With `Vec` that takes a copy
//! of the bomb, or its index and a new look-up after every push; here the reference stays good.
//!
//!     cargo run --example explosions

use stayput::VmVec;
use std::cell::Cell;

#[derive(Debug)]
enum Kind {
    Bomb { sparks: u32 },
    Spark,
}

#[derive(Debug)]
struct Thing {
    kind: Kind,
    position: [f32; 2],
    /// What changes while others hold references goes into a cell.
    burnt: Cell<bool>,
}

impl Thing {
    fn new(kind: Kind, position: [f32; 2]) -> Self {
        Self { kind, position, burnt: Cell::new(false) }
    }
}

fn main() {
    let mut things = VmVec::new();
    for n in 0..10_u8 {
        let kind = Kind::Bomb { sparks: 10_000 * (u32::from(n) + 1) };
        things.push(Thing::new(kind, [f32::from(n), 0.0]));
    }
    let addresses: Vec<*const Thing> = things.iter().map(std::ptr::from_ref).collect();

    // Inside the scope the array can only grow, and `push` takes `&self`.
    let scope = things.grow_only();
    for bomb in &scope {
        let Kind::Bomb { sparks } = bomb.kind else { continue };
        for n in 0..sparks {
            #[expect(clippy::cast_precision_loss, reason = "an angle")]
            let (sin, cos) = (n as f32).sin_cos();
            // `bomb` is still borrowed from the array that this grows.
            scope.push(Thing::new(Kind::Spark, [bomb.position[0] + cos, bomb.position[1] + sin]));
        }
        bomb.burnt.set(true);
    }

    let sparks = things.iter().filter(|thing| matches!(thing.kind, Kind::Spark)).count();
    let burnt = things.iter().filter(|thing| thing.burnt.get()).count();
    assert_eq!((sparks, burnt), (550_000, 10));
    assert!(things.iter().zip(&addresses).all(|(thing, &address)| std::ptr::eq(thing, address)));
    println!("{burnt} bombs threw {sparks} sparks, and not one of the bombs moved");
}
