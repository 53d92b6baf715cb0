//! Observers and the observed: links between entities, found from either end.
//!
//! A guard that sees a thief is notified when the thief moves. Either may be removed at any time, together with
//! its links. Entities hold no lists of listeners, so none can be forgotten.
//!
//!     cargo run --example observers

use stayput::{SlotMap, Table, indices, new_key_type};

new_key_type! {
    struct EntityKey;
    struct LinkKey;
}

struct Entity {
    name: &'static str,
    place: &'static str,
    /// The messages it received.
    heard: Vec<String>,
}

/// One entity observes another.
struct Link {
    observer: EntityKey,
    observed: EntityKey,
}

indices! {
    /// Links are found by observer, by observed entity, and by both.
    struct LinkBy for Link {
        observer: Many<EntityKey> = |link| &link.observer,
        observed: Many<EntityKey> = |link| &link.observed,
        both: Unique<[EntityKey; 2]> = |link| [link.observer, link.observed],
    }
}

#[derive(Default)]
struct World {
    entities: SlotMap<EntityKey, Entity>,
    links: Table<Link, LinkBy, LinkKey>,
}

impl World {
    fn spawn(&mut self, name: &'static str, place: &'static str) -> EntityKey {
        self.entities.insert(Entity { name, place, heard: Vec::new() })
    }

    /// Adds a link, unless it exists.
    fn observe(&mut self, from: EntityKey, to: EntityKey) {
        // An error only means that the link exists.
        let _ = self.links.try_insert(Link { observer: from, observed: to });
    }

    fn look_away(&mut self, from: EntityKey, to: EntityKey) {
        if let Some((link, _)) = self.links.find(|by| &by.both, &[from, to]) {
            self.links.remove(link);
        }
    }

    /// Moves an entity, and notifies its observers.
    fn walk(&mut self, entity: EntityKey, place: &'static str) {
        let Some(walker) = self.entities.get_mut(entity) else { return };
        walker.place = place;
        let news = format!("{} is at the {place}", walker.name);
        for (_, link) in self.links.find_all(|by| &by.observed, &entity) {
            if let Some(observer) = self.entities.get_mut(link.observer) {
                observer.heard.push(news.clone());
            }
        }
    }

    /// Removes an entity with its links in both directions.
    fn die(&mut self, entity: EntityKey) -> Option<Entity> {
        self.links.remove_all(|by| &by.observer, &entity);
        self.links.remove_all(|by| &by.observed, &entity);
        self.entities.remove(entity)
    }
}

fn main() {
    let mut world = World::default();
    let thief = world.spawn("the thief", "gate");
    let guards = ["Ann", "Bea", "Cid"].map(|name| world.spawn(name, "wall"));
    let dog = world.spawn("the dog", "yard");
    for guard in guards {
        world.observe(guard, thief);
        world.observe(guard, thief);
        world.observe(dog, guard);
    }
    assert_eq!(world.links.len(), 6, "links are unique");
    assert_eq!(world.links.count(|by| &by.observed, &thief), 3);

    world.walk(thief, "vault");
    world.look_away(guards[1], thief);
    world.walk(thief, "roof");
    let heard = guards.map(|guard| world.entities[guard].heard.len());
    assert_eq!(heard, [2, 1, 2]);

    // Removes Ann, her link to the thief, and the dog's link to her.
    let ann = world.die(guards[0]).expect("Ann exists");
    assert_eq!(world.links.count(|by| &by.observer, &dog), 2);
    world.walk(thief, "street");
    assert_eq!(world.entities[guards[2]].heard.last().unwrap(), "the thief is at the street");

    // Without the thief, only the dog's links are left.
    let place = world.die(thief).expect("the thief exists").place;
    assert_eq!(world.links.len(), 2);
    let dog = &world.entities[dog];
    println!(
        "{} heard that {}; {} keeps watching; nothing more from the {place}",
        ann.name, ann.heard[0], dog.name
    );
}
