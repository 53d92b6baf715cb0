//! A hundred thousand coins drift in the wind, and players pick up those nearby: rows that a grid finds by
//! position. (A debug build has a tenth of them.)
//!
//!     cargo run --release --example pickups

use stayput::{DefaultKey, Table, indices};
use std::time::{Duration, Instant};

const COINS: usize = if cfg!(debug_assertions) { 10_000 } else { 100_000 };
const PLAYERS: usize = COINS / 100;
const FRAMES: u16 = 120;

/// The width and height of the world.
const SIZE: f32 = 1000.0;
const REACH: f32 = 2.0;

/// The indexed part of a coin; the other part of its row is its value.
#[derive(Clone, Copy)]
struct Coin {
    at: [f32; 2],
}

indices! {
    struct CoinBy for Coin {
        at: Grid<2, cell = 4.0> = |coin| coin.at,
    }
}

type Coins = Table<(Coin, u32), CoinBy>;

struct Player {
    at: [f32; 2],
    purse: u32,
}

/// `SplitMix64`: every run gets equal numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, end: f32) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let bits = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        #[expect(clippy::cast_precision_loss, reason = "24 bits, as an f32 has")]
        let share = (bits >> 40) as f32 / (1 << 24) as f32;
        share * end
    }

    fn place(&mut self) -> [f32; 2] {
        [self.below(SIZE), self.below(SIZE)]
    }
}

/// Moves all coins. The world wraps around at its edges.
fn drift(coins: &mut Coins, frame: u16) {
    let wind = f32::from(frame) * 0.05;
    coins.for_each_mut(|_, coin| {
        let [x, y] = coin.at;
        let swirl = (y * 0.02 + wind).sin() * 0.4;
        let lift = (x * 0.015 - wind).cos() * 0.4;
        coin.at = [(x + swirl).rem_euclid(SIZE), (y + lift).rem_euclid(SIZE)];
    });
}

/// Moves each player towards the nearest coin, and takes all coins within reach.
fn pick_up(coins: &mut Coins, players: &mut [Player]) {
    let mut taken: Vec<DefaultKey> = Vec::new();
    for player in players {
        if let Some((_, (nearest, _))) = coins.nearest(|by| &by.at, player.at, 1).next() {
            let way = [nearest.at[0] - player.at[0], nearest.at[1] - player.at[1]];
            let length = way[0].hypot(way[1]).max(1.0);
            player.at = [player.at[0] + way[0] / length, player.at[1] + way[1] / length];
        }
        taken.clear();
        taken.extend(coins.within(|by| &by.at, player.at, REACH).map(|(key, _)| key));
        let worth = taken.iter().filter_map(|key| coins.remove(*key)).map(|(_, worth)| worth);
        player.purse += worth.sum::<u32>();
    }
}

fn main() {
    let mut random = Random(1);
    let mut coins = Coins::with_capacity(COINS);
    coins.extend((1..=3).cycle().take(COINS).map(|worth| (Coin { at: random.place() }, worth)));
    let mut players: Vec<Player> =
        (0..PLAYERS).map(|_| Player { at: random.place(), purse: 0 }).collect();

    let mut times = Vec::new();
    let mut worth = coins.values().map(|(_, worth)| worth).sum::<u32>();
    for frame in 0..FRAMES {
        let start = Instant::now();
        drift(&mut coins, frame);
        pick_up(&mut coins, &mut players);
        // Replaces the coins that were taken, at other places.
        while coins.len() < COINS {
            coins.insert((Coin { at: random.place() }, 1));
            worth += 1;
        }
        times.push(start.elapsed());
    }
    let purses = players.iter().map(|player| player.purse);
    let left = coins.values().map(|(_, worth)| worth);
    assert_eq!(purses.clone().chain(left.copied()).sum::<u32>(), worth, "a coin was lost");

    let mean = times.iter().sum::<Duration>() / u32::from(FRAMES);
    let worst = times.into_iter().max().unwrap_or_default();
    let richest = purses.max().unwrap_or_default();
    println!(
        "{COINS} coins, {PLAYERS} players, the richest has {richest}: frame mean {mean:.1?}, worst {worst:.1?}"
    );
}
