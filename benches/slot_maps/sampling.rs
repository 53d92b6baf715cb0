//! Each operation by criterion.

use std::time::Duration;

use bench_common::compare::{Container, Operation as _, Planned};
use bench_common::small::structures;
use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};

use crate::case::{Case, SlotMaps};
use crate::operation::Operation;

/// How many slots' worth of operations are done for a sample at most. Criterion sees the time of
/// the operations alone, not of what is done between them, and would ask for too many.
const SLOTS_A_SAMPLE: usize = 1 << 20;

/// Of the largest maps, values of one size.
const LARGE: usize = 1 << 22;
const LARGE_VALUE_BYTES: usize = 56;

pub(crate) fn run(cases: &[Planned<SlotMaps>], filter: Option<&str>) {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500));
    if let Some(filter) = filter {
        criterion = criterion.with_filter(filter);
    }
    let one_size = cases.iter().any(|planned| planned.case.value_bytes == LARGE_VALUE_BYTES);
    for Planned { case, operations, containers, .. } in cases {
        if case.slots >= LARGE && one_size && case.value_bytes != LARGE_VALUE_BYTES {
            continue;
        }
        for operation in Operation::all().filter(|one| operations.contains(one)) {
            let mut group = criterion.benchmark_group(format!("{}/{case}", operation.name()));
            group.sampling_mode(SamplingMode::Flat);
            group.throughput(Throughput::Elements(operation.count(case.slots) as u64));
            // A stage without slots costs nothing, and knows as well.
            let none = Case { value_bytes: 4, slots: 0 };
            let able = |container: &&&Container<_>| (container.stage)(none).can(operation);
            for container in containers.iter().filter(able) {
                group.bench_function(BenchmarkId::from_parameter(container.name), |bencher| {
                    let mut stage = (container.stage)(*case);
                    let slots = case.slots * structures(case.slots);
                    let done_max = (SLOTS_A_SAMPLE / slots).max(1) as u64;
                    bencher.iter_custom(|wanted| {
                        let done = wanted.min(done_max);
                        let time: Duration =
                            (0..done).map(|_| stage.perform(operation)[0].time()).sum();
                        #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
                        time.mul_f64(wanted as f64 / done as f64)
                    });
                });
            }
            group.finish();
        }
    }
    criterion.final_summary();
}
