//! A fountain of particles in columns, and its picture: for the examples `particles` and `web`.

use stayput::{Columns, CommitAhead};
use std::f32::consts::TAU;

/// Position, velocity, and the seconds left to live; each is a column.
pub(crate) type Particle = (f32, f32, f32, f32, f32);

const SECONDS_A_FRAME: f32 = 1.0 / 40.0;

/// The mean is 100, so there are a hundred times as many particles as one frame spawns.
const FRAMES_TO_LIVE: [u16; 2] = [80, 120];

const GRAVITY: f32 = 1.3;
/// The share of the speed that is left after a bounce.
const BOUNCE: f32 = 0.45;

/// `SplitMix64`: every run gets equal numbers.
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

pub(crate) struct Fountain {
    particles: Columns<Particle>,
    frame: u16,
    spawned: usize,
    random: Random,
}

impl Fountain {
    /// Creates a fountain for frames that spawn at most `most_spawned` particles.
    ///
    /// That bounds the number of particles. Without virtual memory, as in a browser, `max_len` determines how
    /// much is allocated, and an array without it ends at 4 MiB; with virtual memory it is optional.
    pub(crate) fn new(most_spawned: usize) -> Self {
        // Two frames more than the longest life: the last particles are spawned before the first expire, and
        // sums are rounded.
        let most = (usize::from(FRAMES_TO_LIVE[1]) + 2) * most_spawned;
        let particles = Columns::builder().max_len(most).commit_ahead(CommitAhead::Auto).build();
        Self { particles, frame: 0, spawned: 0, random: Random(1) }
    }

    pub(crate) const fn particles(&self) -> &Columns<Particle> {
        &self.particles
    }

    /// Advances by one frame, and returns how many particles expired.
    pub(crate) fn step(&mut self, spawned: usize) -> usize {
        self.spawned = spawned;
        self.spawn(spawned);
        self.fly();
        self.frame = self.frame.wrapping_add(1);
        self.expire()
    }

    /// Spawns particles in seven jets that swell and sway.
    fn spawn(&mut self, count: usize) {
        let random = &mut self.random;
        let seconds = f32::from(self.frame) * SECONDS_A_FRAME;
        self.particles.extend((0..count).map(|_| {
            let jet = random.between(-3.5, 3.5).round();
            // The sum of two random numbers is more often near the middle.
            let spread = random.between(-0.035, 0.035) + random.between(-0.035, 0.035);
            let angle = jet * 0.16 + spread + 0.05 * (seconds * 2.0 + jet).sin();
            let swell = 0.06 * (seconds * TAU * 0.9 + jet * jet).sin();
            let speed = 1.5 + swell + random.between(-0.05, 0.05) - 0.04 * jet.abs();
            let (vx, vy) = (speed * angle.sin(), speed * angle.cos());
            // A random time between this frame and the next.
            let under_way = random.between(0.0, SECONDS_A_FRAME);
            let [least, most] = FRAMES_TO_LIVE.map(f32::from);
            let left = random.between(least, most) * SECONDS_A_FRAME;
            (vx * under_way, vy * under_way, vx, vy, left)
        }));
    }

    /// Each loop reads only the fields that it uses.
    fn fly(&mut self) {
        let (x, y, vx, vy, left) = self.particles.as_mut_slices();
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

    /// Visits rows from the back, so that the row moved by `swap_remove` was visited before.
    fn expire(&mut self) -> usize {
        let before = self.particles.len();
        for index in (0..before).rev() {
            if self.particles.as_slices().4[index] <= 0.0 {
                self.particles.swap_remove(index);
            }
        }
        before - self.particles.len()
    }

    /// Draws the picture into `pixel`. `light` is scratch memory, with one element for each pixel.
    ///
    /// Light adds up where particles meet.
    pub(crate) fn draw(&self, light: &mut [[f32; 3]], mut pixel: impl FnMut(usize, [u8; 3])) {
        light.fill([0.0; 3]);
        for (x, y, _, _, left) in &self.particles {
            let (column, row) = (MIDDLE + x * SCALE, GROUND - y * SCALE);
            if column < 0.0 || row < 0.0 {
                continue;
            }
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "not below 0"
            )]
            let (column, row) = (column as usize, row as usize);
            if column < WIDTH && row < HEIGHT {
                let (pixel, colour) = (&mut light[row * WIDTH + column], colour(*left));
                *pixel = [0, 1, 2].map(|c| pixel[c] + colour[c]);
            }
        }
        let tones = self.tones();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not below 0")]
        let byte = |light: f32| tones[((light * TONES_A_LIGHT) as usize).min(TONES - 1)];
        for (index, &[red, green, blue]) in light.iter().enumerate() {
            pixel(index, [byte(red), byte(green), byte(blue)]);
        }
    }

    /// Maps light to brightness as film does, exposed for the usual number of particles.
    fn tones(&self) -> [u8; TONES] {
        let usual = self.particles.len().max(self.spawned * 100);
        #[expect(clippy::cast_precision_loss, reason = "a brightness")]
        let exposure = 300_000.0 / usual as f32 / TONES_A_LIGHT;
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and 255"
        )]
        std::array::from_fn(|tone| {
            ((1.0 - (-(tone as f32) * exposure).exp()).powf(0.6) * 255.0) as u8
        })
    }
}

/// Powers and exponentials are computed for these steps of brightness, not for each pixel.
const TONES: usize = 4096;
const TONES_A_LIGHT: f32 = 128.0;

pub(crate) const WIDTH: usize = 1280;
pub(crate) const HEIGHT: usize = 720;
/// Pixels for a unit of length; the picture's middle and the ground, in pixels.
const SCALE: f32 = 560.0;
const MIDDLE: f32 = 640.0;
const GROUND: f32 = 660.0;

/// White at first, then gold, red, and violet at the end.
fn colour(left: f32) -> [f32; 3] {
    const STOPS: [[f32; 3]; 4] =
        [[0.25, 0.1, 0.9], [0.9, 0.12, 0.3], [1.0, 0.5, 0.1], [1.0, 0.9, 0.7]];
    let at = (left / (f32::from(FRAMES_TO_LIVE[1]) * SECONDS_A_FRAME)).clamp(0.0, 0.999) * 3.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0, 1 or 2")]
    let stop = at as usize;
    let share = at.fract();
    [0, 1, 2].map(|c| STOPS[stop][c] * (1.0 - share) + STOPS[stop + 1][c] * share)
}
