//! Spawns entities in frames.

use hecs::World;
use showcase::Frames;

#[derive(Clone, Copy)]
struct Place([f32; 3]);
#[derive(Clone, Copy)]
struct Speed([f32; 3]);
struct Health(u32);
struct Model([u64; 8]);

const FRAMES: u64 = 1500;
const SPAWNED: u64 = 1000;

fn main() {
    let mut world = World::new();
    let mut frames = Frames::new();
    for frame in 0..FRAMES {
        frames.time(|| {
            for number in frame * SPAWNED..(frame + 1) * SPAWNED {
                let place = Place([number as f32, 0.0, 1.0]);
                let health = Health(number as u32);
                world.spawn((place, Speed([1.0, 2.0, 0.5]), health, Model([number; 8])));
            }
        });
    }
    for (place, speed) in world.query_mut::<(&mut Place, &Speed)>() {
        for (place, speed) in place.0.iter_mut().zip(speed.0) {
            *place += speed;
        }
    }
    let mut sum = 0_u64;
    for (place, health, model) in world.query_mut::<(&Place, &Health, &Model)>() {
        let entity = u64::from(place.0[0].to_bits()) ^ u64::from(health.0) ^ model.0[7];
        sum = sum.rotate_left(5) ^ entity;
    }
    frames.finish(sum);
}
