//! The README's picture: few lines, with their names at their ends.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::chart::{
    Axis, DARK, Failure, Line, axes, budgets, colour, draw_rules, font, height, name_rules, stroke,
    svg,
};
use super::frames::{frame_numbers, lines, thinned};
use crate::readme::SHOWN;
use crate::stats::{Measured, micros};

const SIZE: (u32, u32) = (640, 340);
/// Space for the names.
const RIGHT_MARGIN: u32 = 136;
/// The least distance between two names, as a share of the plot's height.
const NAMES_APART: f64 = 0.09;
/// The number of points at a line's end whose mean height its name gets.
const END_POINTS: usize = 20;

/// Plots the runs whose worst frames are the median ones; `None` if some of the lines were not measured.
pub(crate) fn picture(title: &str, measured: &[Measured]) -> Result<Option<String>, Failure> {
    let all = lines(measured, |run| thinned(&run.frame_ns, micros));
    let of = |(id, name, _)| Some((all.iter().find(|line| line.container.id == id)?, name));
    let Some(named) = SHOWN.into_iter().map(of).collect::<Option<Vec<(&Line, &str)>>>() else {
        return Ok(None);
    };
    let x = frame_numbers(measured);
    let y = Axis::times("", named.iter().flat_map(|(line, _)| &line.points).map(|&(_, us)| us));

    let svg = svg(SIZE, title, |area| {
        let mut chart = axes(area, &x, &y, RIGHT_MARGIN)?;
        draw_rules(&mut chart, x.range, y.range, &budgets())?;
        for (line, _) in &named {
            let points = line.points.iter().map(|&(frame, us)| (frame, height(us)));
            chart.draw_series(LineSeries::new(points, stroke(line.container)))?;
        }
        name_rules(&mut chart, x.range, y.range, &budgets())?;
        for ((line, name), at) in named.iter().zip(name_heights(&named, y.range)) {
            let colour = colour(line.container);
            let style = font(19).color(&colour);
            let text = Text::new(*name, (8, 0), style.pos(Pos::new(HPos::Left, VPos::Center)));
            chart.draw_series([EmptyElement::at((x.range.1, at)) + text])?;
        }
        Ok(())
    })?;
    Ok(Some(svg.replacen(">\n", &format!(">\n<style>\n{DARK}</style>\n"), 1)))
}

/// Returns the heights of the names: at the ends of their lines, moved apart where they would overlap.
fn name_heights(named: &[(&Line, &str)], (bottom, top): (f64, f64)) -> Vec<f64> {
    let mut ends: Vec<(usize, f64)> =
        named.iter().map(|(line, _)| end_height(line)).enumerate().collect();
    ends.sort_by(|a, b| f64::total_cmp(&a.1, &b.1));
    let apart = (top - bottom) * NAMES_APART;
    let mut lowest = f64::NEG_INFINITY;
    for (_, at) in &mut ends {
        *at = at.max(lowest);
        lowest = *at + apart;
    }
    ends.sort_by_key(|(index, _)| *index);
    ends.into_iter().map(|(_, at)| at).collect()
}

fn end_height(line: &Line) -> f64 {
    let mut last: Vec<f64> =
        line.points.iter().rev().take(END_POINTS).map(|&(_, us)| height(us)).collect();
    last.sort_by(f64::total_cmp);
    last.get(last.len() / 2).copied().unwrap_or_default()
}
