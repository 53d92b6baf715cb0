//! The particles of the example `particles`, in a browser.
//!
//!     cd examples/web
//!     rustup target add wasm32-unknown-unknown
//!     cargo build --release --target wasm32-unknown-unknown
//!     python3 -m http.server
//!
//! Then open <http://localhost:8000>. (Any file server will do; browsers load no modules from `file:`.)
//! `main.js` requests frames and shows their pixels directly from the module's memory. `run.mjs` does so
//! without a page.
//!
//! WebAssembly has no virtual memory, so a reservation is a block of the allocator, allocated at once. All
//! arrays here have a `max_len`, so the module's memory has its final size from the first frame on.

#[path = "../../fountain/mod.rs"]
mod fountain;

use fountain::{Fountain, HEIGHT, WIDTH};
use stayput::VmVec;
use std::sync::{LazyLock, Mutex, PoisonError};

/// With these there are a million particles at a time, of 20 bytes each.
const MOST_SPAWNED: usize = 10_000;

struct Page {
    fountain: Fountain,
    light: VmVec<[f32; 3]>,
    /// Red, green, blue and opacity, as a canvas takes them.
    pixels: VmVec<[u8; 4]>,
}

static PAGE: LazyLock<Mutex<Page>> = LazyLock::new(|| {
    let mut light = VmVec::with_max_len(WIDTH * HEIGHT);
    let mut pixels = VmVec::with_max_len(WIDTH * HEIGHT);
    light.resize(WIDTH * HEIGHT, [0.0; 3]);
    pixels.resize(WIDTH * HEIGHT, [0, 0, 0, 255]);
    Mutex::new(Page { fountain: Fountain::new(MOST_SPAWNED), light, pixels })
});

/// Advances by one frame that spawns `spawned` particles, and returns its pixels, which never move.
#[unsafe(no_mangle)]
pub extern "C" fn frame(spawned: usize) -> *const [u8; 4] {
    let mut page = PAGE.lock().unwrap_or_else(PoisonError::into_inner);
    let Page { fountain, light, pixels } = &mut *page;
    fountain.step(spawned.min(MOST_SPAWNED));
    fountain.draw(light, |index, [red, green, blue]| pixels[index] = [red, green, blue, 255]);
    pixels.as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn particles() -> usize {
    PAGE.lock().unwrap_or_else(PoisonError::into_inner).fountain.particles().len()
}

#[unsafe(no_mangle)]
pub extern "C" fn width() -> usize {
    WIDTH
}

#[unsafe(no_mangle)]
pub extern "C" fn height() -> usize {
    HEIGHT
}
