//! A graph like a road map, whose junctions have lists of neighbours in one reservation: a breadth-first search finds how far
//! each junction is from the centre, and the result is written as a picture. (A debug build has a tenth of them.)
//!
//!     cargo run --release --example graph

use stayput::{Key, SecondaryLists, SecondaryMap, SlotMap, new_key_type};
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::time::Instant;
use std::{fs, io};

new_key_type! { struct Junction; }

/// Junctions along a side of the map.
const SIDE: usize = if cfg!(debug_assertions) { 100 } else { 316 };

/// The width and height of the picture.
const PIXELS: f32 = 800.0;

/// `SplitMix64`: every run gets equal numbers.
struct Random(u64);

impl Random {
    /// Returns a number from 0 up to 1.
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let bits = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        #[expect(clippy::cast_precision_loss, reason = "24 bits, as an f32 has")]
        let share = (bits >> 40) as f32 / (1 << 24) as f32;
        share
    }
}

/// Junctions, and for each the junctions at the other ends of its roads.
struct Roads {
    places: SlotMap<Junction, [f32; 2]>,
    roads: SecondaryLists<Junction, Junction>,
}

impl Roads {
    /// A grid of streets, each junction a little off, with some streets missing and some motorways.
    fn new(random: &mut Random) -> (Self, Vec<Junction>) {
        let mut all = Self { places: SlotMap::with_key(), roads: SecondaryLists::new() };
        let mut junctions = Vec::new();
        for at in 0..SIDE * SIDE {
            #[expect(clippy::cast_precision_loss, reason = "there are few")]
            let place = [at % SIDE, at / SIDE]
                .map(|step| (step as f32 + 0.2 + 0.6 * random.next()) / SIDE as f32);
            let junction = all.places.insert(place);
            junctions.push(junction);
        }
        for at in 0..SIDE * SIDE {
            for other in [at + 1, at + SIDE].into_iter().filter(|other| *other < SIDE * SIDE) {
                let wraps = other == at + 1 && other % SIDE == 0;
                if !wraps && random.next() < 0.7 {
                    all.connect(junctions[at], junctions[other]);
                }
            }
        }
        for step in (0..SIDE - 8).step_by(8) {
            let middle = SIDE / 2 * SIDE;
            all.connect(junctions[middle + step], junctions[middle + step + 8]);
            let (from, to) = (step * SIDE + SIDE / 2, (step + 8) * SIDE + SIDE / 2);
            all.connect(junctions[from], junctions[to]);
        }
        (all, junctions)
    }

    fn connect(&mut self, a: Junction, b: Junction) {
        for (from, to) in [(a, b), (b, a)] {
            self.roads.entry(from).push(to);
        }
    }

    /// Returns how many roads away each junction is that can be reached.
    fn distances(&self, start: Junction) -> SecondaryMap<Junction, u32> {
        let mut distances = SecondaryMap::new();
        distances.insert(start, 0);
        let mut next = VecDeque::from([start]);
        while let Some(junction) = next.pop_front() {
            let distance = distances[junction] + 1;
            for to in self.roads.get(junction).into_iter().flatten() {
                if !distances.contains_key(*to) {
                    distances.insert(*to, distance);
                    next.push_back(*to);
                }
            }
        }
        distances
    }

    /// Draws all roads, coloured by the distance of their ends.
    fn picture(&self, distances: &SecondaryMap<Junction, u32>) -> String {
        const COLOURS: [&str; 8] = [
            "#fde725", "#a0da39", "#4ac16d", "#1fa187", "#277f8e", "#365c8d", "#46327e", "#440154",
        ];
        let farthest = distances.values().max().copied().unwrap_or(0) + 1;
        let mut paths = COLOURS.map(|_| String::new());
        for (from, roads) in &self.roads {
            let Some(distance) = distances.get(from) else { continue };
            let path = &mut paths[(*distance as usize * COLOURS.len()) / farthest as usize];
            let [x, y] = self.places[from].map(|at| at * PIXELS);
            for to in roads.iter().filter(|to| to.data().index() > from.data().index()) {
                let [to_x, to_y] = self.places[*to].map(|at| at * PIXELS);
                let _ = write!(path, "M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}");
            }
        }
        let mut picture = format!(
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {PIXELS} {PIXELS}'>\n\
             <rect width='100%' height='100%' fill='#fff'/>\n"
        );
        for (path, colour) in paths.iter().zip(COLOURS) {
            let _ = writeln!(picture, "<path d='{path}' stroke='{colour}' fill='none'/>");
        }
        picture + "</svg>\n"
    }
}

fn main() -> io::Result<()> {
    let mut random = Random(1);
    let begun = Instant::now();
    let (mut roads, junctions) = Roads::new(&mut random);
    let stats = roads.roads.stats();
    println!(
        "{} junctions, {} roads, both ways; built in {:.1?}",
        stats.lists,
        stats.elements / 2,
        begun.elapsed()
    );

    let centre = junctions[SIDE / 2 * SIDE + SIDE / 2];
    let begun = Instant::now();
    let distances = roads.distances(centre);
    let farthest = distances.values().max().copied().unwrap_or(0);
    println!(
        "{} can be reached from the centre, over {farthest} roads at most; found in {:.1?}",
        distances.len(),
        begun.elapsed()
    );

    let begun = Instant::now();
    roads.roads.compact();
    println!(
        "compacted in {:.1?}: room for {} more elements before, {} after",
        begun.elapsed(),
        stats.spare + stats.unused,
        roads.roads.stats().spare
    );
    assert_eq!(roads.distances(centre).len(), distances.len());

    let path = std::env::temp_dir().join("stayput-graph.svg");
    fs::write(&path, roads.picture(&distances))?;
    println!("picture: {}", path.display());
    Ok(())
}
