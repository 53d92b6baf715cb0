//! A million particles in columns: each loop reads only the fields that it uses. (A debug build has a tenth of
//! them.) The fountain is in `fountain/mod.rs`.
//!
//!     cargo run --release --example particles
//!     cargo run --release --example particles -- fountain.ppm
//!
//! With a path, writes the last frame there as a picture. The example `web` shows them in a browser.

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
    println!("{FRAMES} frames of up to {most} particles: mean {mean:.1?}, worst {worst:.1?}");
    if let Some(path) = env::args_os().nth(1) {
        fs::write(path, picture(&fountain))?;
    }
    Ok(())
}
