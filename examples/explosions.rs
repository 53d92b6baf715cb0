//! Hold a reference while inserting.
//!
//! A bomb throws sparks into the map that it is in itself. Other slot maps need a copy of the bomb, or a new
//! look-up after every insertion; here the reference stays valid. Sparks expire, their slots are reused, and a
//! key of an expired spark finds nothing.
//!
//!     cargo run --example explosions

use stayput::{SlotMap, new_key_type};
use std::cell::Cell;

new_key_type! {
    struct ThingKey;
}

#[derive(Debug)]
enum Kind {
    Bomb { sparks: u32 },
    Spark { thrown_by: ThingKey, frames_left: u32 },
}

#[derive(Debug)]
struct Thing {
    kind: Kind,
    position: [f32; 2],
    /// A field that changes while others hold references is a cell.
    burnt: Cell<bool>,
}

impl Thing {
    fn new(kind: Kind, position: [f32; 2]) -> Self {
        Self { kind, position, burnt: Cell::new(false) }
    }
}

fn main() {
    let mut things: SlotMap<ThingKey, Thing> = SlotMap::with_key();
    let mut bombs = Vec::new();
    for n in 0..10_u8 {
        let kind = Kind::Bomb { sparks: 10_000 * (u32::from(n) + 1) };
        bombs.push(things.insert(Thing::new(kind, [f32::from(n), 0.0])));
    }
    let addresses: Vec<*const Thing> = bombs.iter().map(|key| &raw const things[*key]).collect();

    // Inside the scope the map can only grow, and `insert` takes `&self`.
    let scope = things.grow_only();
    for &key in &bombs {
        let bomb = &scope[key];
        let Kind::Bomb { sparks } = bomb.kind else { continue };
        for n in 0..sparks {
            #[expect(clippy::cast_precision_loss, reason = "an angle")]
            let (sin, cos) = (n as f32).sin_cos();
            let kind = Kind::Spark { thrown_by: key, frames_left: n % 60 };
            // `bomb` is still borrowed from the map that this grows.
            scope.insert(Thing::new(kind, [bomb.position[0] + cos, bomb.position[1] + sin]));
        }
        bomb.burnt.set(true);
    }
    let (spark, _) = things.iter().find(|(_, thing)| !thing.burnt.get()).expect("there are sparks");
    let most = things.len();

    // When a spark burns out, so does the bomb that threw it. The first spark of a bomb removes it; later ones find that
    // it is gone.
    let mut orphans = 0;
    for _frame in 0..60 {
        let mut burnt_out = Vec::new();
        things.retain(|_, thing| match &mut thing.kind {
            Kind::Spark { thrown_by, frames_left: 0 } => {
                burnt_out.push(*thrown_by);
                false
            }
            Kind::Spark { frames_left, .. } => {
                *frames_left -= 1;
                true
            }
            Kind::Bomb { .. } => true,
        });
        orphans += burnt_out.into_iter().filter(|bomb| things.remove(*bomb).is_none()).count();
    }
    assert_eq!(things.get(spark).map(|thing| thing.position), None);
    assert_eq!((most, things.len(), orphans), (550_010, 0, 549_990));

    // New values take the slots of removed ones.
    let again = things.insert(Thing::new(Kind::Bomb { sparks: 1 }, [0.0; 2]));
    assert!(addresses.contains(&(&raw const things[again])));
    assert!(!bombs.contains(&again));
    things.remove(again);
    things.trim();
    let left = things.stats().committed_bytes;
    println!(
        "10 bombs threw 550000 sparks, no value ever moved, and {left} bytes are still committed"
    );
}
