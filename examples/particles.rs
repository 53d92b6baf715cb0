//! A million particles in columns: each loop goes over the fields that it uses, and no others. (A debug build
//! has a tenth of them.)
//!
//!     cargo run --release --example particles
//!     cargo run --release --example particles -- fountain.ppm
//!
//! With a path, the last frame is written there as a picture.

use stayput::{Columns, CommitAhead};
use std::time::{Duration, Instant};
use std::{env, f32::consts::TAU, fs, io};

/// Position, velocity, and how many seconds are left; each is a column.
type Particle = (f32, f32, f32, f32, f32);

const FRAMES: u16 = 300;
const SECONDS_A_FRAME: f32 = 1.0 / 40.0;

/// Each lives for 80 to 120 frames, so that there are a hundred times as many at a time.
const SPAWNED_A_FRAME: usize = if cfg!(debug_assertions) { 1_000 } else { 10_000 };
const FRAMES_TO_LIVE: [f32; 2] = [80.0, 120.0];

const GRAVITY: f32 = 1.3;
/// What is left of the speed after a bounce.
const BOUNCE: f32 = 0.45;

/// `SplitMix64`, the same in every run.
struct Random(u64);

impl Random {
    fn between(&mut self, low: f32, high: f32) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let bits = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        #[expect(clippy::cast_precision_loss, reason = "24 bits, as an f32 has")]
        let share = (bits >> 40) as f32 / (1 << 24) as f32;
        low + (high - low) * share
    }
}

/// Seven jets in a fan, which swell and sway.
fn spawn(particles: &mut Columns<Particle>, frame: u16, random: &mut Random) {
    let seconds = f32::from(frame) * SECONDS_A_FRAME;
    particles.extend((0..SPAWNED_A_FRAME).map(|_| {
        let jet = random.between(-3.5, 3.5).round();
        // The sum of two is more often near the middle.
        let spread = random.between(-0.035, 0.035) + random.between(-0.035, 0.035);
        let angle = jet * 0.16 + spread + 0.05 * (seconds * 2.0 + jet).sin();
        let swell = 0.06 * (seconds * TAU * 0.9 + jet * jet).sin();
        let speed = 1.5 + swell + random.between(-0.05, 0.05) - 0.04 * jet.abs();
        let (vx, vy) = (speed * angle.sin(), speed * angle.cos());
        // Between this frame and the next.
        let under_way = random.between(0.0, SECONDS_A_FRAME);
        let left = random.between(FRAMES_TO_LIVE[0], FRAMES_TO_LIVE[1]) * SECONDS_A_FRAME;
        (vx * under_way, vy * under_way, vx, vy, left)
    }));
}

fn fly(particles: &mut Columns<Particle>) {
    let (x, y, vx, vy, left) = particles.as_mut_slices();
    for (x, vx) in x.iter_mut().zip(vx) {
        *x += *vx * SECONDS_A_FRAME;
    }
    for (y, vy) in y.iter_mut().zip(vy) {
        *vy -= GRAVITY * SECONDS_A_FRAME;
        *y += *vy * SECONDS_A_FRAME;
        if *y < 0.0 {
            (*y, *vy) = (-*y * BOUNCE, -*vy * BOUNCE);
        }
    }
    for left in left {
        *left -= SECONDS_A_FRAME;
    }
}

/// From the back, so that the row that comes into a place was looked at already.
fn expire(particles: &mut Columns<Particle>) -> usize {
    let before = particles.len();
    for index in (0..before).rev() {
        if particles.as_slices().4[index] <= 0.0 {
            particles.swap_remove(index);
        }
    }
    before - particles.len()
}

const WIDTH: usize = 1280;
const HEIGHT: usize = 720;
/// Pixels for one in the particles' world, whose middle and ground are there.
const SCALE: f32 = 560.0;
const MIDDLE: f32 = 640.0;
const GROUND: f32 = 660.0;

/// White at first, then gold, red, and violet at the end.
fn colour(left: f32) -> [f32; 3] {
    const STOPS: [[f32; 3]; 4] =
        [[0.25, 0.1, 0.9], [0.9, 0.12, 0.3], [1.0, 0.5, 0.1], [1.0, 0.9, 0.7]];
    let at = (left / (FRAMES_TO_LIVE[1] * SECONDS_A_FRAME)).clamp(0.0, 0.999) * 3.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0, 1 or 2")]
    let stop = at as usize;
    let share = at.fract();
    [0, 1, 2].map(|c| STOPS[stop][c] * (1.0 - share) + STOPS[stop + 1][c] * share)
}

/// Light adds up where particles meet.
fn picture(particles: &Columns<Particle>) -> Vec<u8> {
    let mut light = vec![[0.0_f32; 3]; WIDTH * HEIGHT];
    for (x, y, _, _, left) in particles {
        let (column, row) = (MIDDLE + x * SCALE, GROUND - y * SCALE);
        if column < 0.0 || row < 0.0 {
            continue;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not below 0")]
        let (column, row) = (column as usize, row as usize);
        if column < WIDTH && row < HEIGHT {
            let (pixel, colour) = (&mut light[row * WIDTH + column], colour(*left));
            *pixel = [0, 1, 2].map(|c| pixel[c] + colour[c]);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a brightness")]
    let exposure = 300_000.0 / particles.len() as f32;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 255")]
    let byte = |light: f32| ((1.0 - (-light * exposure).exp()).powf(0.6) * 255.0) as u8;
    let mut file = format!("P6 {WIDTH} {HEIGHT} 255\n").into_bytes();
    file.extend(light.iter().flatten().map(|&light| byte(light)));
    file
}

fn main() -> io::Result<()> {
    let mut particles: Columns<Particle> =
        Columns::builder().commit_ahead(CommitAhead::Auto).build();
    let mut random = Random(1);
    let (mut expired, mut most) = (0, 0);
    let mut times = Vec::new();
    for frame in 0..FRAMES {
        let start = Instant::now();
        spawn(&mut particles, frame, &mut random);
        fly(&mut particles);
        expired += expire(&mut particles);
        times.push(start.elapsed());
        most = most.max(particles.len());
    }
    assert_eq!(particles.len() + expired, usize::from(FRAMES) * SPAWNED_A_FRAME);
    assert!(particles.as_slices().4.iter().all(|left| *left > 0.0));

    let mean = times.iter().sum::<Duration>() / u32::from(FRAMES);
    let worst = times.into_iter().max().unwrap_or_default();
    println!(
        "{FRAMES} frames of up to {most} particles: {mean:.1?} in the mean, {worst:.1?} at worst"
    );
    if let Some(path) = env::args_os().nth(1) {
        fs::write(path, picture(&particles))?;
    }
    Ok(())
}
