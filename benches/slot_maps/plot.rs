//! The figures as bars, a panel an operation.

use std::error::Error;

use bench_common::table::short;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::child::Case;
use crate::containers::{self, Kind};
use crate::summary::{CaseSummary, OperationSummary, Summary};

const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
const SOFT: RGBColor = RGBColor(0x77, 0x77, 0x77);
const PAPER: RGBColor = RGBColor(0xFE, 0xFE, 0xFE);

const COLUMNS: usize = 2;
const PANEL_WIDTH: u32 = 480;
const TITLE_HEIGHT: u32 = 76;
const PANEL_TITLE_HEIGHT: i32 = 44;
const BAR_HEIGHT: i32 = 22;
/// Where bars begin, after the names.
const LEFT: i32 = 168;
/// What is left for the figure behind the longest bar.
const RIGHT: i32 = 64;

type Failure = Box<dyn Error>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// What a bar stands for.
struct Bar {
    name: &'static str,
    kind: Kind,
    /// What it shows, and how that varies. `None` if the container lacks the operation.
    value: Option<[f64; 3]>,
}

/// A file for each case; that with the most bytes in its maps has the plain name.
pub(crate) fn all(summary: &Summary) -> Result<Vec<(String, String)>, Failure> {
    let bytes = |case: Case| case.slots * case.value_bytes;
    let bars_are_about = |case: Case| case.slots == 1 << 23 && case.value_bytes == 56;
    let main = summary
        .cases
        .iter()
        .map(|case| case.case)
        .max_by_key(|&case| (bars_are_about(case), bytes(case)));
    let file = |case: &CaseSummary| {
        let Case { slots, value_bytes } = case.case;
        let name = if Some(case.case) == main {
            "ns-per-op.svg".to_owned()
        } else {
            format!("ns-per-op-{slots}-slots-{value_bytes}-bytes.svg")
        };
        Ok((name, svg(summary, case)?))
    };
    summary.cases.iter().map(file).collect()
}

fn svg(summary: &Summary, case: &CaseSummary) -> Result<String, Failure> {
    let mut panels: Vec<(&str, Vec<Bar>)> = case
        .operations
        .iter()
        .filter(|operation| !operation.figures.is_empty())
        .map(|operation| (operation.name, times(summary, operation)))
        .collect();
    if !case.memory.is_empty() {
        panels.push(("resident bytes a value", memory(summary, case)));
    }
    let bars = i32::try_from(summary.containers.len())?;
    let panel_height = u32::try_from(PANEL_TITLE_HEIGHT + bars * BAR_HEIGHT + 18)?;
    let rows = u32::try_from(panels.len().div_ceil(COLUMNS))?;
    let width = PANEL_WIDTH * u32::try_from(COLUMNS)?;

    let mut text = String::new();
    {
        let size = (width, TITLE_HEIGHT + rows * panel_height);
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        root.fill(&PAPER)?;
        let (top, rest) = root.split_vertically(TITLE_HEIGHT);
        let title = format!("Slot maps: {}", case.title());
        top.draw(&Text::new(title, (16, 16), font(24, INK)))?;
        let subtitle = "ns an operation, less is better: median and quartiles. \
                        Sand: moves values. Palest: no slot map.";
        top.draw(&Text::new(subtitle, (16, 48), font(17, SOFT)))?;
        for (area, (title, bars)) in rest.split_evenly((rows as usize, COLUMNS)).iter().zip(&panels)
        {
            panel(area, title, bars)?;
        }
        root.present()?;
    }
    Ok(text)
}

fn times(summary: &Summary, operation: &OperationSummary) -> Vec<Bar> {
    bars(summary, |id| {
        let spread = &operation.figures.iter().find(|figure| figure.id == id)?.spread;
        Some([spread.ns_per_op_p25, spread.ns_per_op_p50, spread.ns_per_op_p75])
    })
}

fn memory(summary: &Summary, case: &CaseSummary) -> Vec<Bar> {
    bars(summary, |id| {
        let memory = case.memory.iter().find(|memory| memory.id == id)?;
        Some([memory.resident_bytes_per_value; 3])
    })
}

fn bars(summary: &Summary, value: impl Fn(&str) -> Option<[f64; 3]>) -> Vec<Bar> {
    let containers = summary.containers.iter().filter_map(|one| containers::find(one.id));
    containers.map(|one| Bar { name: one.name, kind: one.kind, value: value(one.id) }).collect()
}

fn panel(area: &Area<'_>, title: &str, bars: &[Bar]) -> Result<(), Failure> {
    area.draw(&Text::new(title.to_owned(), (16, 14), font(19, INK)))?;
    let longest = bars.iter().filter_map(|bar| bar.value).map(|[_, _, high]| high);
    let longest = longest.fold(f64::MIN_POSITIVE, f64::max);
    let (width, _) = area.dim_in_pixel();
    let room = f64::from(i32::try_from(width)? - LEFT - RIGHT);
    #[expect(clippy::cast_possible_truncation, reason = "is within the panel's width")]
    let pixel = |value: f64| LEFT + (value / longest * room).round() as i32;

    for (bar, top) in bars.iter().zip((PANEL_TITLE_HEIGHT..).step_by(BAR_HEIGHT as usize)) {
        let middle = top + BAR_HEIGHT / 2 - 1;
        let ink = if bar.kind == Kind::Stayput { INK } else { SOFT };
        let before = font(16, ink).pos(Pos::new(HPos::Right, VPos::Center));
        area.draw(&Text::new(bar.name, (LEFT - 8, middle), before))?;
        let after = font(16, ink).pos(Pos::new(HPos::Left, VPos::Center));
        let Some([low, median, high]) = bar.value else {
            area.draw(&Text::new("–", (LEFT + 4, middle), after))?;
            continue;
        };
        let shape = [(LEFT, top + 2), (pixel(median).max(LEFT + 1), top + BAR_HEIGHT - 4)];
        area.draw(&Rectangle::new(shape, colour(bar.kind).filled()))?;
        if high > low {
            let whisker = [(pixel(low), middle), (pixel(high), middle)];
            area.draw(&PathElement::new(whisker, INK.stroke_width(1)))?;
        }
        let end = pixel(high.max(median)) + 6;
        area.draw(&Text::new(short(median), (end, middle), after))?;
    }
    Ok(())
}

/// Okabe and Ito's blues for stayput, greys for the others.
fn colour(kind: Kind) -> RGBColor {
    match kind {
        Kind::Stayput => RGBColor(0x00, 0x72, 0xB2),
        Kind::StayputVariant | Kind::StayputMoving => RGBColor(0x56, 0xB4, 0xE9),
        Kind::Peer => RGBColor(0xAA, 0xAA, 0xAA),
        Kind::MovingPeer => RGBColor(0xCC, 0xB9, 0x9C),
        Kind::Limit => RGBColor(0xDD, 0xDD, 0xDD),
    }
}

fn font(size: u32, colour: RGBColor) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&colour)
}
