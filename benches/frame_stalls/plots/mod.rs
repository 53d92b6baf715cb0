//! The plots, as SVG text. Colours suit white paper; the report replaces the ones below by the page's own.

mod bars;
mod chart;
mod frames;
mod percentiles;
mod picture;

pub(crate) use bars::worst_frames;
pub(crate) use chart::{GRID, INK, PAPER, time};
pub(crate) use frames::{frame_times, frames_a_point, memory};
pub(crate) use percentiles::percentiles;
pub(crate) use picture::picture;
