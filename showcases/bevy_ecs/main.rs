//! Loads a world in chunks, one a frame, and unloads most of it again.

use bevy_ecs::prelude::*;
use showcase::Frames;

#[cfg(feature = "global-vm")]
#[global_allocator]
static GLOBAL: stayput::alloc::GlobalVm = stayput::alloc::GlobalVm::new();

#[derive(Component)]
struct Transform {
    translation: [f32; 3],
    rotation: [f32; 4],
    scale: [f32; 3],
}
#[derive(Component)]
struct GlobalTransform([f32; 12]);
#[derive(Component)]
struct Mesh(u32);
#[derive(Component)]
struct Material(u32);
#[derive(Component)]
struct Health(f32);
#[derive(Component)]
struct Velocity([f32; 3]);

const CHUNKS: u32 = 500;
const ENTITIES: u32 = 5000;
/// A fifth of a chunk is destroyed some frames after it was loaded.
const DESTROYED: usize = 5;
const LIFE: usize = 8;
/// One in this many entities moves.
const STILL: u32 = 8;
const UNLOADED: usize = 1;
const LEFT: usize = 25;
const CALM: u32 = 60;

fn load(world: &mut World, chunk: u32) -> Vec<Entity> {
    let spawn = |number| {
        let translation = [chunk as f32, 0.0, number as f32];
        let rotation = [0.0, 0.0, 0.0, 1.0];
        let place = Transform { translation, rotation, scale: [1.0; 3] };
        let still =
            (place, GlobalTransform([0.0; 12]), Mesh(number % 7), Material(chunk), Health(1.0));
        if number % STILL == 0 {
            world.spawn((still, Velocity([1.0, 0.0, 0.5]))).id()
        } else {
            world.spawn(still).id()
        }
    };
    (0..ENTITIES).map(spawn).collect()
}

fn despawn(world: &mut World, entities: impl Iterator<Item = Entity>) {
    for entity in entities {
        world.despawn(entity);
    }
}

/// Returns memory to the system for a part of the frame.
#[cfg(feature = "shrink")]
fn tidy(world: &mut World) {
    world.shrink_within(std::time::Duration::from_micros(500));
}

#[cfg(not(feature = "shrink"))]
fn tidy(_: &mut World) {}

fn main() {
    let mut world = World::new();
    let mut moving = world.query::<(&Velocity, &mut Transform, &mut GlobalTransform)>();
    let mut advance = |world: &mut World| {
        for (velocity, mut place, mut global) in moving.iter_mut(world) {
            for (place, speed) in place.translation.iter_mut().zip(velocity.0) {
                *place += speed / 60.0;
            }
            global.0[9..].copy_from_slice(&place.translation);
        }
        world.clear_trackers();
    };
    let mut chunks = Vec::with_capacity(CHUNKS as usize);
    let mut frames = Frames::new();
    for chunk in 0..CHUNKS {
        frames.time(|| {
            chunks.push(load(&mut world, chunk));
            if let Some(old) = chunks.len().checked_sub(LIFE) {
                let rest = chunks[old].split_off(ENTITIES as usize / DESTROYED);
                despawn(&mut world, std::mem::replace(&mut chunks[old], rest).into_iter());
            }
            advance(&mut world);
        });
    }
    let loaded = resident_mib();
    while chunks.len() > LEFT {
        frames.time(|| {
            despawn(&mut world, chunks.drain(..UNLOADED).flatten());
            advance(&mut world);
            tidy(&mut world);
        });
    }
    for _ in 0..CALM {
        frames.time(|| {
            advance(&mut world);
            tidy(&mut world);
        });
    }
    eprintln!("resident: {loaded} MiB when all is loaded, {} MiB in the end", resident_mib());
    let mut sum = 0_u64;
    for (entity, place, global, model, health) in world
        .query::<(Entity, &Transform, &GlobalTransform, (&Mesh, &Material), &Health)>()
        .iter(&world)
    {
        let bits = |values: &[f32]| {
            values.iter().fold(0, |sum: u32, value| sum.rotate_left(7) ^ value.to_bits())
        };
        let shape =
            bits(&place.translation) ^ bits(&place.rotation) ^ bits(&place.scale) ^ bits(&global.0);
        let rest = model.0.0 ^ model.1.0 ^ health.0.to_bits();
        sum = sum.rotate_left(5) ^ entity.to_bits() ^ u64::from(shape) << 8 ^ u64::from(rest);
    }
    frames.finish(sum);
}

fn resident_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has this file");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kib.expect("Linux writes this line") >> 10
}
