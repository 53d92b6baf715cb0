//! Bar charts with a panel for each kind of figure.

use std::error::Error;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::compare::Role;
use crate::table::short;

const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
const SOFT: RGBColor = RGBColor(0x77, 0x77, 0x77);
const PAPER: RGBColor = RGBColor(0xFE, 0xFE, 0xFE);

const COLUMNS: usize = 2;
const PANEL_WIDTH: u32 = 480;
const TITLE_HEIGHT: u32 = 76;
const PANEL_TITLE_HEIGHT: i32 = 44;
const BAR_HEIGHT: i32 = 22;
/// The left end of the bars, after the names.
const LEFT: i32 = 168;
/// Space for the figure after the longest bar.
const RIGHT: i32 = 64;

type Failure = Box<dyn Error>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The colour of a contender's part in the comparison: Okabe and Ito's blues for stayput, greys and sand for
/// the others.
fn colour(role: Role) -> RGBColor {
    match role {
        Role::Own => RGBColor(0x00, 0x72, 0xB2),
        Role::Variant => RGBColor(0x56, 0xB4, 0xE9),
        Role::Peer => RGBColor(0xAA, 0xAA, 0xAA),
        Role::OtherPeer => RGBColor(0xCC, 0xB9, 0x9C),
        Role::Limit => RGBColor(0xDD, 0xDD, 0xDD),
    }
}

/// A bar.
#[derive(Clone, Debug)]
pub struct Bar {
    /// Printed before the bar.
    pub name: &'static str,
    /// Its part in the comparison.
    pub role: Role,
    /// The lower quartile, the median and the upper quartile; `None` if it was not measured.
    pub value: Option<[f64; 3]>,
}

/// Several bars with a title.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Printed above the bars.
    pub title: String,
    /// From top to bottom; equally many in each panel.
    pub bars: Vec<Bar>,
}

/// Draws all panels as an SVG.
pub fn svg(title: &str, subtitle: &str, panels: &[Panel]) -> Result<String, Failure> {
    let bars = panels.iter().map(|panel| panel.bars.len()).max().unwrap_or(0);
    let panel_height = u32::try_from(PANEL_TITLE_HEIGHT + i32::try_from(bars)? * BAR_HEIGHT + 18)?;
    let rows = u32::try_from(panels.len().div_ceil(COLUMNS))?;
    let width = PANEL_WIDTH * u32::try_from(COLUMNS)?;

    let mut text = String::new();
    {
        let size = (width, TITLE_HEIGHT + rows * panel_height);
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        root.fill(&PAPER)?;
        let (top, rest) = root.split_vertically(TITLE_HEIGHT);
        top.draw(&Text::new(title, (16, 16), font(24, INK)))?;
        top.draw(&Text::new(subtitle, (16, 48), font(17, SOFT)))?;
        for (area, one) in rest.split_evenly((rows as usize, COLUMNS)).iter().zip(panels) {
            panel(area, one)?;
        }
        root.present()?;
    }
    Ok(text)
}

fn panel(area: &Area<'_>, Panel { title, bars }: &Panel) -> Result<(), Failure> {
    area.draw(&Text::new(title.clone(), (16, 14), font(19, INK)))?;
    let most = |quartile: usize| {
        let values = bars.iter().filter_map(|bar| bar.value);
        values.map(|value| value[quartile]).fold(f64::MIN_POSITIVE, f64::max)
    };
    // An outlier is cut, so that it does not leave bars too short to be compared.
    let longest = most(2).min(1.5 * most(1));
    let (width, _) = area.dim_in_pixel();
    let room = f64::from(i32::try_from(width)? - LEFT - RIGHT);
    #[expect(clippy::cast_possible_truncation, reason = "at most the panel's width")]
    let pixel = |value: f64| LEFT + (value.min(longest) / longest * room).round() as i32;

    for (bar, top) in bars.iter().zip((PANEL_TITLE_HEIGHT..).step_by(BAR_HEIGHT as usize)) {
        let middle = top + BAR_HEIGHT / 2 - 1;
        let ink = if bar.role == Role::Own { INK } else { SOFT };
        let before = font(16, ink).pos(Pos::new(HPos::Right, VPos::Center));
        area.draw(&Text::new(bar.name, (LEFT - 8, middle), before))?;
        let after = font(16, ink).pos(Pos::new(HPos::Left, VPos::Center));
        let Some([low, median, high]) = bar.value else {
            area.draw(&Text::new("–", (LEFT + 4, middle), after))?;
            continue;
        };
        let shape = [(LEFT, top + 2), (pixel(median).max(LEFT + 1), top + BAR_HEIGHT - 4)];
        area.draw(&Rectangle::new(shape, colour(bar.role).filled()))?;
        if high > low {
            let whisker = [(pixel(low), middle), (pixel(high), middle)];
            area.draw(&PathElement::new(whisker, INK.stroke_width(1)))?;
        }
        let end = pixel(high.max(median)) + 6;
        area.draw(&Text::new(short(median), (end, middle), after))?;
    }
    Ok(())
}

fn font(size: u32, colour: RGBColor) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&colour)
}
