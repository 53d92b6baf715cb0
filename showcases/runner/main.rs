//! Runs programs in turn, compares their results, and writes a table and a plot of their frames.

use plotters::prelude::{
    ChartBuilder, Color, IntoDrawingArea, IntoLogRange, LineSeries, PathElement, RGBColor,
    SVGBackend, Text, WHITE,
};
use stayput::{HugePages, Reservation};
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Okabe and Ito's, which colour-blind readers can tell apart.
const COLOURS: [RGBColor; 6] = [
    RGBColor(213, 94, 0),
    RGBColor(0, 114, 178),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

/// A program, and what it has printed.
struct Contender<'a> {
    label: &'a str,
    path: &'a str,
    runs: Vec<Run>,
}

/// What a program prints in one run.
#[derive(Default)]
struct Run {
    sum: String,
    nanoseconds: u64,
    peak_kib: u64,
    frames: Vec<u64>,
}

impl Run {
    fn of(program: &str) -> Outcome<Self> {
        touch()?;
        let output = Command::new(program).output()?;
        if !output.status.success() {
            return Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        let mut run = Self::default();
        for line in String::from_utf8(output.stdout)?.lines() {
            match line.split_once(' ').ok_or("a line without a value")? {
                ("sum", sum) => run.sum = sum.to_owned(),
                ("total", total) => run.nanoseconds = total.parse()?,
                ("peak", peak) => run.peak_kib = peak.parse()?,
                ("frame", time) => run.frames.push(time.parse()?),
                (other, _) => return Err(format!("a line of {other}").into()),
            }
        }
        Ok(run)
    }

    fn mean(&self) -> f64 {
        self.frames.iter().sum::<u64>() as f64 / self.frames.len() as f64
    }

    /// The time that 99 of 100 frames do not exceed.
    fn most_frames(&self) -> f64 {
        let mut sorted = self.frames.clone();
        sorted.sort_unstable();
        sorted[sorted.len() * 99 / 100] as f64
    }

    fn worst(&self) -> f64 {
        self.frames.iter().copied().max().unwrap_or(0) as f64
    }
}

/// Touches memory, in pages of both sizes, and releases it. Under a hypervisor that takes free memory back, the first
/// touch of a page after a pause takes several times as long as the kernel's own work; this gives all programs the same
/// memory at hand.
fn touch() -> Outcome<()> {
    const MOST_BYTES: usize = 1 << 30;
    for pages in [HugePages::Always, HugePages::Never] {
        Reservation::builder().bytes(MOST_BYTES).huge_pages(pages).reserve()?.prefault(..)?;
    }
    Ok(())
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, runs, output, programs @ ..] = &arguments[..] else {
        return Err("runner RUNS OUTPUT LABEL=PROGRAM ...".into());
    };
    let mut contenders = Vec::new();
    for program in programs {
        let (label, path) = program.split_once('=').ok_or("a program without a label")?;
        contenders.push(Contender { label, path, runs: Vec::new() });
    }
    let runs: usize = runs.parse()?;
    for round in 0..runs {
        // What a program leaves behind, such as free huge pages, helps the next one. So the order is reversed each time.
        let mut order: Vec<usize> = (0..contenders.len()).collect();
        if round % 2 == 1 {
            order.reverse();
        }
        for contender in order {
            let run = Run::of(contenders[contender].path)?;
            contenders[contender].runs.push(run);
        }
    }
    let all = || contenders.iter().flat_map(|contender| &contender.runs);
    let first = all().next().ok_or("no runs")?;
    if all().any(|run| run.sum != first.sum || run.frames.len() != first.frames.len()) {
        return Err("the results differ".into());
    }
    fs::write(format!("{output}.md"), table(&contenders))?;
    if first.frames.len() > 1 {
        plot(Path::new(&format!("{output}.svg")), &contenders)?;
    }
    Ok(())
}

/// The medians of each program, and their ratios to those of the first.
fn table(contenders: &[Contender<'_>]) -> String {
    let measures: [(&str, f64, fn(&Run) -> f64); 5] = [
        ("mean frame, µs", 1e3, Run::mean),
        ("p99 frame, µs", 1e3, Run::most_frames),
        ("worst frame, µs", 1e3, Run::worst),
        ("whole run, ms", 1e6, |run| run.nanoseconds as f64),
        ("peak memory, MiB", 1024.0, |run| run.peak_kib as f64),
    ];
    let runs = contenders[0].runs.len();
    let times = if runs == 1 { "one run".to_owned() } else { format!("medians of {runs} runs") };
    let mut header = format!("| {times} | {} |", contenders[0].label);
    let mut line = "|---|--:|".to_owned();
    for contender in &contenders[1..] {
        header += &format!(" {} | ratio |", contender.label);
        line += "--:|--:|";
    }
    let mut rows = vec![header, line];
    for (what, unit, of) in measures {
        let mut medians = contenders.iter().map(|contender| median(contender.runs.iter().map(of)));
        let first = medians.next().expect("there is a contender");
        let mut row = format!("| {what} | {:.1} |", first / unit);
        for other in medians {
            row += &format!(" {:.1} | {:.2} |", other / unit, other / first);
        }
        rows.push(row);
    }
    rows.join("\n") + "\n"
}

/// Draws the time of each frame in the run with the median worst frame. With many programs and frames, the worst of
/// several frames, since lines would cover each other.
fn plot(path: &Path, contenders: &[Contender<'_>]) -> Outcome<()> {
    const MOST_POINTS: usize = 150;
    const LEGEND_HEIGHT: i32 = 36;
    let frames = contenders[0].runs[0].frames.len();
    let step = if contenders.len() > 2 { frames.div_ceil(MOST_POINTS) } else { 1 };
    let points = |contender: &Contender<'_>| -> Vec<(usize, f64)> {
        let mut runs: Vec<&Run> = contender.runs.iter().collect();
        runs.sort_by(|one, other| one.worst().total_cmp(&other.worst()));
        let frames = runs[runs.len() / 2].frames.chunks(step).enumerate();
        let worst = |of: &[u64]| of.iter().copied().max().unwrap_or(0) as f64 / 1e3;
        frames.map(|(number, of)| (number * step, worst(of))).collect()
    };
    let series: Vec<Vec<(usize, f64)>> = contenders.iter().map(points).collect();
    let all = || series.iter().flatten().map(|point| point.1);
    let (most, least) = (all().fold(0.1, f64::max), all().fold(f64::MAX, f64::min).max(0.1));
    let area = SVGBackend::new(path, (900, 360)).into_drawing_area();
    area.fill(&WHITE)?;
    let (legend, area) = area.split_vertically(LEGEND_HEIGHT);
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(64)
        .build_cartesian_2d(0..frames, (least * 0.8..most * 1.25).log_scale())?;
    let what = if step == 1 { "µs".to_owned() } else { format!("worst of {step}, µs") };
    chart.configure_mesh().x_desc("frame").y_desc(what).light_line_style(WHITE).draw()?;
    let mut left = 76;
    for ((contender, points), colour) in contenders.iter().zip(series).zip(COLOURS) {
        chart.draw_series(LineSeries::new(points, colour.stroke_width(1)))?;
        let label = contender.label.replace('`', "");
        legend.draw(&PathElement::new([(left, 22), (left + 20, 22)], colour.stroke_width(3)))?;
        let width = i32::try_from(label.chars().count())? * 7 + 56;
        legend.draw(&Text::new(label, (left + 26, 15), ("sans-serif", 14)))?;
        left += width;
    }
    area.present()?;
    Ok(())
}
