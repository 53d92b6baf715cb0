//! What the line plots share: size, axes, budget lines, legend.

use std::error::Error;
use std::iter;

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::containers::{Container, Family};

/// The colours on a dark screen, as CSS.
pub(crate) const DARK: &str = include_str!("dark.css");

/// Text and axes.
pub(super) const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
/// Grid lines.
const GRID: RGBColor = RGBColor(0xDD, 0xDD, 0xDD);
/// The background.
const PAPER: RGBColor = RGBColor(0xFE, 0xFE, 0xFE);

pub(super) type Failure = Box<dyn Error>;
pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(super) type Plot<'a, 'b> =
    ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Narrow, so that text is legible when a phone scales the picture down.
pub(super) const WIDTH: u32 = 600;
const TITLE_HEIGHT: u32 = 36;
/// Space for half of the last label.
pub(super) const RIGHT_MARGIN: u32 = 44;
const PLOT_HEIGHT: u32 = 340;
const LEGEND_ROW_HEIGHT: u32 = 26;
const LEGEND_COLUMNS: usize = 2;

/// Frame budgets with a line of their own, in microseconds. The axis has a label for the first.
const BUDGETS: [(f64, &str); 2] = [(1_000.0, ""), (16_600.0, "a frame at 60 Hz")];

/// A horizontal line across a plot, and its name.
pub(super) type Rule = (f64, &'static str);

/// A line of a plot, in the units of its axes.
pub(super) struct Line {
    pub(super) container: &'static Container,
    pub(super) points: Vec<(f64, f64)>,
}

/// An axis: its meaning, its range, and its labels. Both axes are linear in plotters' sense, and a logarithmic
/// one holds logarithms, so that the labels can be chosen here.
pub(super) struct Axis {
    pub(super) label: &'static str,
    pub(super) range: (f64, f64),
    pub(super) ticks: Vec<(f64, String)>,
}

impl Axis {
    /// Creates a logarithmic axis in microseconds, over the decades around all values.
    pub(super) fn times(label: &'static str, us: impl Iterator<Item = f64>) -> Self {
        let (min, max) = us.map(height).fold((f64::INFINITY, f64::NEG_INFINITY), |ends, value| {
            (value.min(ends.0), value.max(ends.1))
        });
        let (bottom, top) = if min > max { (0.0, 1.0) } else { (min.floor(), max.ceil()) };
        Self { label, range: (bottom, top.max(bottom + 1.0)), ticks: Vec::new() }.labelled()
    }

    /// Extends the axis by a decade below.
    pub(super) fn extended(self) -> Self {
        Self { range: (self.range.0 - 1.0, self.range.1), ..self }.labelled()
    }

    /// Labels each decade.
    fn labelled(self) -> Self {
        let (bottom, top) = self.range;
        let decades = iter::successors(Some(bottom), |power| Some(power + 1.0));
        let ticks = decades
            .take_while(|&power| power <= top)
            .map(|power| (power, time(10_f64.powf(power))))
            .collect();
        Self { ticks, ..self }
    }
}

/// Returns the position of a time on a logarithmic axis.
pub(super) fn height(us: f64) -> f64 {
    us.max(1e-3).log10()
}

/// Draws below the title of a new SVG, and returns its text.
pub(super) fn svg(
    (width, height): (u32, u32),
    title: &str,
    draw: impl FnOnce(&Area<'_>) -> Result<(), Failure>,
) -> Result<String, Failure> {
    let mut text = String::new();
    {
        let size = (width, TITLE_HEIGHT + height);
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        root.fill(&PAPER)?;
        let (top, rest) = root.split_vertically(TITLE_HEIGHT);
        top.draw(&Text::new(title.to_owned(), (12, 10), font(21)))?;
        draw(&rest)?;
        root.present()?;
    }
    Ok(text)
}

/// Plots lines, with the legend below. This crate's are drawn last, and thicker. Rules are dashed horizontal
/// lines.
pub(super) fn line_plot(
    title: &str,
    x: &Axis,
    y: &Axis,
    rules: &[Rule],
    lines: &[Line],
) -> Result<String, Failure> {
    let legend_rows = u32::try_from(lines.len().div_ceil(LEGEND_COLUMNS))?;
    let height = PLOT_HEIGHT + legend_rows * LEGEND_ROW_HEIGHT + 8;
    svg((WIDTH, height), title, |area| {
        let (plot, legend) = area.split_vertically(PLOT_HEIGHT);
        let mut chart = axes(&plot, x, y, RIGHT_MARGIN)?;
        draw_rules(&mut chart, x.range, y.range, rules)?;
        for stayput in [false, true] {
            for line in lines {
                if (line.container.family == Family::Stayput) == stayput {
                    let points = line.points.iter().copied();
                    chart.draw_series(LineSeries::new(points, stroke(line.container)))?;
                }
            }
        }
        name_rules(&mut chart, x.range, y.range, rules)?;
        draw_legend(&legend, lines)
    })
}

/// Returns the budgets as rules, at their positions on a logarithmic axis.
pub(super) fn budgets() -> [Rule; 2] {
    BUDGETS.map(|(us, name)| (height(us), name))
}

/// Draws the axes and the grid, with a margin on the right.
pub(super) fn axes<'a, 'b>(
    area: &Area<'b>,
    x: &Axis,
    y: &Axis,
    right_margin: u32,
) -> Result<Plot<'a, 'b>, Failure> {
    let (left, right) = x.range;
    let (bottom, top) = y.range;
    let mut chart = ChartBuilder::on(area)
        .margin_left(4)
        .margin_right(right_margin)
        .margin_top(4)
        .x_label_area_size(56)
        .y_label_area_size(if y.ticks.is_empty() { 40 } else { 80 })
        .build_cartesian_2d(left..right, bottom..top)?;
    for (at, label) in &x.ticks {
        chart.draw_series([PathElement::new([(*at, bottom), (*at, top)], GRID)])?;
        let place = Pos::new(HPos::Center, VPos::Top);
        let text = Text::new(label.clone(), (0, 8), font(19).pos(place));
        chart.draw_series([EmptyElement::at((*at, bottom)) + text])?;
    }
    for (at, label) in &y.ticks {
        chart.draw_series([PathElement::new([(left, *at), (right, *at)], GRID)])?;
        let place = Pos::new(HPos::Right, VPos::Center);
        let text = Text::new(label.clone(), (-8, 0), font(19).pos(place));
        chart.draw_series([EmptyElement::at((left, *at)) + text])?;
    }
    let place = Pos::new(HPos::Center, VPos::Top);
    let text = Text::new(x.label, (0, 32), font(19).pos(place));
    chart.draw_series([EmptyElement::at((left.midpoint(right), bottom)) + text])?;
    Ok(chart)
}

/// Draws the rules that lie within the axis.
pub(super) fn draw_rules(
    chart: &mut Plot<'_, '_>,
    (left, right): (f64, f64),
    axis: (f64, f64),
    rules: &[Rule],
) -> Result<(), Failure> {
    for (height, _) in within(axis, rules) {
        let ends = [(left, height), (right, height)];
        chart.draw_series(DashedLineSeries::new(ends, 6, 4, INK.stroke_width(1)))?;
    }
    Ok(())
}

/// Writes the rules' names above them, over the lines and legible there.
pub(super) fn name_rules(
    chart: &mut Plot<'_, '_>,
    (left, _): (f64, f64),
    axis: (f64, f64),
    rules: &[Rule],
) -> Result<(), Failure> {
    for (height, name) in within(axis, rules).filter(|(_, name)| !name.is_empty()) {
        let style = font(17).pos(Pos::new(HPos::Left, VPos::Bottom));
        // Without the font, the width is overestimated.
        let (width, _) = style.font.box_size(name)?;
        let ends = [(3, -20), (9 + i32::try_from(width)? * 4 / 5, -2)];
        let veil = Rectangle::new(ends, PAPER.mix(0.75).filled());
        let text = Text::new(name, (6, -3), style);
        chart.draw_series([EmptyElement::at((left, height)) + veil + text])?;
    }
    Ok(())
}

fn within((bottom, top): (f64, f64), rules: &[Rule]) -> impl Iterator<Item = Rule> {
    rules.iter().copied().filter(move |(height, _)| bottom < *height && *height < top)
}

fn draw_legend(area: &Area<'_>, lines: &[Line]) -> Result<(), Failure> {
    let column_width = i32::try_from(WIDTH)? / i32::try_from(LEGEND_COLUMNS)?;
    for (index, line) in lines.iter().enumerate() {
        let x = 12 + i32::try_from(index % LEGEND_COLUMNS)? * column_width;
        let y = i32::try_from(index / LEGEND_COLUMNS)? * i32::try_from(LEGEND_ROW_HEIGHT)? + 12;
        let swatch = stroke(line.container).stroke_width(4);
        area.draw(&PathElement::new([(x, y), (x + 28, y)], swatch))?;
        let place = Pos::new(HPos::Left, VPos::Center);
        area.draw(&Text::new(line.container.name, (x + 38, y), font(19).pos(place)))?;
    }
    Ok(())
}

pub(super) fn colour(container: &Container) -> RGBColor {
    let (red, green, blue) = container.colour;
    RGBColor(red, green, blue)
}

pub(super) fn stroke(container: &Container) -> ShapeStyle {
    let width = if container.family == Family::Stayput { 3 } else { 2 };
    colour(container).stroke_width(width)
}

pub(super) fn font(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK)
}

/// Formats a time as `50 µs`, `1 ms` or `2 s`.
pub(super) fn time(us: f64) -> String {
    let (value, unit) = match us {
        ..1_000.0 => (us, "µs"),
        ..1_000_000.0 => (us / 1e3, "ms"),
        _ => (us / 1e6, "s"),
    };
    let decimals = usize::from(value < 9.95 && value.fract() > 0.005);
    format!("{value:.decimals$} {unit}")
}
