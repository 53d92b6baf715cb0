//! The figures as bars, a panel an operation.

use std::error::Error;

use bench_common::plot::{self, Bar, Panel};

use crate::summary::{CaseSummary, OperationSummary, Summary};

/// A file for each case.
pub(crate) fn all(summary: &Summary) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    summary.cases.iter().map(|case| Ok((format!("{}.svg", case.case.id()), svg(case)?))).collect()
}

fn svg(case: &CaseSummary) -> Result<String, Box<dyn Error>> {
    let panel = |operation: &OperationSummary| {
        let figures = case.structures.iter().zip(&operation.figures);
        let bars = figures.map(|(structure, figure)| Bar {
            name: structure.name,
            shade: structure.shade,
            value: figure.map(|spread| [spread.p25, spread.median, spread.p75]),
        });
        Panel { title: operation.title.clone(), bars: bars.collect() }
    };
    let panels: Vec<Panel> = case.operations.iter().map(panel).collect();
    let subtitle = "ns each, where nothing else is said; less is better: median and quartiles. \
                    Blue: stayput.";
    plot::svg(&case.title, subtitle, &panels)
}
