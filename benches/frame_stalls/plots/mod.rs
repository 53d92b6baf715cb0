//! The plots, as SVG text. Their colours suit white paper; [`DARK`] replaces some.

mod bars;
mod chart;
mod frames;
mod picture;

pub(crate) use bars::worst_frames;
pub(crate) use chart::DARK;
pub(crate) use frames::{frame_times, frames_a_point, memory};
pub(crate) use picture::picture;
