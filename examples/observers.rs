//! Who observes whom: links between entities, found from either end.
//!
//! A guard that sees a thief is told when the thief moves. Either may be gone at any time, and with it go the links that it
//! has, at both ends: no list of listeners is kept in an entity, and none can be forgotten.
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
    /// What it was told.
    heard: Vec<String>,
}

/// One observes another.
struct Link {
    observer: EntityKey,
    observed: EntityKey,
}

indices! {
    /// Links are found by who observes, by who is observed, and by both.
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

    /// Nothing happens, if it does already.
    fn observe(&mut self, from: EntityKey, to: EntityKey) {
        // Refused only as one that is there.
        let _ = self.links.try_insert(Link { observer: from, observed: to });
    }

    fn look_away(&mut self, from: EntityKey, to: EntityKey) {
        if let Some((link, _)) = self.links.find(|by| &by.both, &[from, to]) {
            self.links.remove(link);
        }
    }

    /// Tells all who observe it.
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

    /// It goes, and so do its links to others, and those of others to it.
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
    assert_eq!(world.links.len(), 6, "no link is there twice");
    assert_eq!(world.links.count(|by| &by.observed, &thief), 3);

    world.walk(thief, "vault");
    world.look_away(guards[1], thief);
    world.walk(thief, "roof");
    let heard = guards.map(|guard| world.entities[guard].heard.len());
    assert_eq!(heard, [2, 1, 2]);

    // Ann is gone, and what she saw, and the dog's look at her.
    let ann = world.die(guards[0]).expect("she is there");
    assert_eq!(world.links.count(|by| &by.observer, &dog), 2);
    world.walk(thief, "street");
    assert_eq!(world.entities[guards[2]].heard.last().unwrap(), "the thief is at the street");

    // When the thief is gone, nobody observes anybody but the dog.
    let place = world.die(thief).expect("it is there").place;
    assert_eq!(world.links.len(), 2);
    let dog = &world.entities[dog];
    println!(
        "{} heard that {}; {} looks on, from the {place} nothing more",
        ann.name, ann.heard[0], dog.name
    );
}
