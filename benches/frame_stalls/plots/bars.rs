//! The worst frame of each container, as bars.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::chart::{
    Axis, Failure, INK, RIGHT_MARGIN, WIDTH, axes, colour, font, height, svg, time,
};
use crate::containers;
use crate::stats::Row;

const BAR_HEIGHT: u32 = 44;
const AXIS_HEIGHT: u32 = 64;

/// Draws a bar for each row, from the left edge of a logarithmic axis to the median of the worst frames; a thin
/// line spans the single repetitions.
pub(crate) fn worst_frames(title: &str, rows: &[&Row]) -> Result<String, Failure> {
    let count = u32::try_from(rows.len())?;
    let times = rows.iter().flat_map(|row| [row.worst_us_min, row.worst_us_max]);
    // From a decade lower, so that the shortest bar is visible.
    let x = Axis::times("worst frame", times).extended();
    let y = Axis { label: "", range: (-f64::from(count), 0.0), ticks: Vec::new() };

    svg((WIDTH, count * BAR_HEIGHT + AXIS_HEIGHT), title, |area| {
        let mut chart = axes(area, &x, &y, RIGHT_MARGIN)?;
        for (row, top) in rows.iter().zip((0..count).map(|index| -f64::from(index))) {
            let Some(container) = containers::find(row.id) else { continue };
            let length = height(row.worst_us);
            let bar = [(x.range.0, top - 0.92), (length, top - 0.5)];
            chart.draw_series([Rectangle::new(bar, colour(container).filled())])?;
            let whisker = [row.worst_us_min, row.worst_us_max].map(|us| (height(us), top - 0.71));
            chart.draw_series([PathElement::new(whisker, INK.stroke_width(2))])?;

            let above = font(18).pos(Pos::new(HPos::Left, VPos::Center));
            let name = format!("{}: {}", row.name, time(row.worst_us));
            let place = (x.range.0, top - 0.28);
            chart.draw_series([Text::new(name, place, above)])?;
        }
        Ok(())
    })
}
