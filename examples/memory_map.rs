//! Runs a small simulation, takes a memory map every few frames, prints the last one, and writes all of them as an HTML
//! page. Source locations are recorded only with debug assertions, so run it without `--release`:
//!
//!     cargo run --features memory-map --example memory_map [FILE]
//!
//! FILE defaults to `memory_map.html` in the folder for temporary files.

use stayput::{
    Arena, CommitAhead, SecondaryMap, SlotMap, VmVec, memory_map, memory_map::html_page,
    new_key_type,
};
use std::{env, fs};

new_key_type! {
    struct UnitKey;
}

#[derive(Clone, Copy)]
struct Unit {
    place: [f32; 2],
    speed: [f32; 2],
    life: u16,
}

/// Pseudorandom numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u16) -> u16 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        u16::try_from(self.0 % u64::from(end)).expect("it is less than `end`")
    }
}

fn main() -> std::io::Result<()> {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut units: SlotMap<UnitKey, Unit> = SlotMap::builder().name("units").build();
    let mut paths: SecondaryMap<UnitKey, [u32; 16]> = SecondaryMap::builder().name("paths").build();
    let mut sparks: VmVec<[f32; 8]> =
        VmVec::builder().name("sparks").commit_ahead(CommitAhead::Auto).build();
    let mut replay = VmVec::builder().name("replay").max_len(1 << 32).build();
    let mut frame_memory = Arena::builder().name("frame").build();
    let mut lookup: VmVec<u16> = VmVec::new();
    lookup.resize(300_000, 7);

    let mut maps = Vec::new();
    let mut level: Option<VmVec<u64>> = None;
    for frame in 0..600_u32 {
        for _ in 0..random.below(120) {
            let speed = [(); 2].map(|()| f32::from(random.below(9)));
            let life = 100 + random.below(100);
            let unit = units.insert(Unit { place: [0.0; 2], speed, life });
            if random.below(4) == 0 {
                paths.insert(unit, [frame; 16]);
            }
        }
        units.retain(|_, unit| {
            for (place, speed) in unit.place.iter_mut().zip(unit.speed) {
                *place += speed;
            }
            unit.life -= 1;
            unit.life > 0
        });
        if frame < 300 {
            sparks.extend((0..random.below(2000)).map(|spark| [f32::from(spark); 8]));
        } else {
            sparks.truncate(sparks.len() * 98 / 100);
            sparks.shrink_to_fit();
        }
        frame_memory.scope(|scope| {
            let seen = scope.alloc_slice_from_iter(units.values().map(|unit| unit.place));
            replay.extend_from_slice(seen);
        });
        drop_level(&mut level, frame);
        if frame % 20 == 0 {
            maps.push(memory_map());
        }
    }

    println!("{}", maps[maps.len() - 1]);
    let path = env::args().nth(1);
    let path = path.map_or_else(|| env::temp_dir().join("memory_map.html"), Into::into);
    fs::write(&path, html_page(&maps))?;
    println!("written to {}", path.display());
    Ok(())
}

/// Loads a level of 40 MiB, and drops it later.
fn drop_level(level: &mut Option<VmVec<u64>>, frame: u32) {
    match frame {
        100 => *level = Some((0..5 << 20).collect()),
        400 => *level = None,
        _ => {}
    }
}
