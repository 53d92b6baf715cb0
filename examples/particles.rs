//! A million particles in columns: each loop goes over the fields that it uses, and no others. (A debug build
//! has a tenth of them.) `fountain/mod.rs` has them.
//!
//!     cargo run --release --example particles
//!     cargo run --release --example particles -- fountain.ppm
//!
//! With a path, the last frame is written there as a picture. In a browser they move: `web`.

mod fountain;

use fountain::{Fountain, HEIGHT, WIDTH};
use std::time::{Duration, Instant};
use std::{env, fs, io};

const FRAMES: u16 = 300;

const SPAWNED_A_FRAME: usize = if cfg!(debug_assertions) { 1_000 } else { 10_000 };

fn picture(fountain: &Fountain) -> Vec<u8> {
    let mut file = format!("P6 {WIDTH} {HEIGHT} 255\n").into_bytes();
    fountain.draw(&mut vec![[0.0; 3]; WIDTH * HEIGHT], |_, pixel| file.extend(pixel));
    file
}

fn main() -> io::Result<()> {
    let mut fountain = Fountain::new(SPAWNED_A_FRAME);
    let (mut expired, mut most) = (0, 0);
    let mut times = Vec::new();
    for _ in 0..FRAMES {
        let start = Instant::now();
        expired += fountain.step(SPAWNED_A_FRAME);
        times.push(start.elapsed());
        most = most.max(fountain.particles().len());
    }
    let particles = fountain.particles();
    assert_eq!(particles.len() + expired, usize::from(FRAMES) * SPAWNED_A_FRAME);
    assert!(particles.as_slices().4.iter().all(|left| *left > 0.0));

    let mean = times.iter().sum::<Duration>() / u32::from(FRAMES);
    let worst = times.into_iter().max().unwrap_or_default();
    println!(
        "{FRAMES} frames of up to {most} particles: {mean:.1?} in the mean, {worst:.1?} at worst"
    );
    if let Some(path) = env::args_os().nth(1) {
        fs::write(path, picture(&fountain))?;
    }
    Ok(())
}
