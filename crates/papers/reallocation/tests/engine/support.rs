//! Small random grids, and audited simulations.

use dfrsim_model::grid_event::Record;
use dfrsim_model::platform::classes::{Demands, PlatformFields, UnequalNodes};
use dfrsim_model::platform::{NodeSpan, Outages, Window};
use dfrsim_model::{JobId, Seed, SimSpan, SimTime};
use dfrsim_paper_reallocation::audit::Auditor;
use dfrsim_paper_reallocation::engine::{
    Algorithm, Backfilling, BatchPolicy, ClusterSpec, Compression, Conditions, Estimate, GridJob, Heuristic,
    JobTraits, Mapped, Mapping, Options, Outage, Outcome, Platform, Reallocation, Speed, Transfer, simulate,
};
use dfrsim_policies::batch::{NodeUse, QueueOrder};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use std::sync::Arc;

/// Returns the policies of the text, and EASY.
pub(crate) fn policies() -> Vec<BatchPolicy> {
    let cons = [Compression::OneByOne, Compression::Replan].map(Backfilling::Conservative);
    [Backfilling::Fcfs, Backfilling::Easy].into_iter().chain(cons).map(BatchPolicy::from).collect()
}

/// Returns the disciplines of the reference implementation.
pub(crate) fn disciplines() -> impl Iterator<Item = Backfilling> {
    Backfilling::ALL.into_iter().filter(|discipline| {
        !matches!(discipline, Backfilling::FirstFit | Backfilling::TwoQueues | Backfilling::Slurm)
    })
}

/// Returns all policies, with all queue orders.
pub(crate) fn all_policies() -> Vec<BatchPolicy> {
    let ordered = |order| disciplines().map(move |discipline| BatchPolicy { order, ..discipline.into() });
    QueueOrder::all().flat_map(ordered).collect()
}

/// Returns all policies with whole nodes, and all with shared nodes.
pub(crate) fn sharing_policies() -> Vec<BatchPolicy> {
    let of_use = |nodes| all_policies().into_iter().map(move |policy| BatchPolicy { nodes, ..policy });
    [NodeUse::Whole, NodeUse::Shared].into_iter().flat_map(of_use).collect()
}

/// Draws one to three clusters of a few cores.
pub(crate) fn platform(policies: Vec<BatchPolicy>) -> impl Strategy<Value = Platform> {
    let speed = prop::sample::select(vec![1_000, 1_200, 1_400]);
    let own = prop_oneof![2 => Just(None), 1 => prop::sample::select(policies.clone()).prop_map(Some)];
    let cluster = (1_u32..=6, speed, own);
    (prop::collection::vec(cluster, 1..=3), prop::sample::select(policies)).prop_map(|(clusters, local)| {
        let specs = clusters.into_iter().enumerate().map(|(at, (cores, speed, local))| ClusterSpec {
            name: at.to_string(),
            cores,
            speed: Speed::from_thousandths(speed).unwrap(),
            local,
            conditions: Conditions::default(),
        });
        Platform::new(specs.collect(), local).unwrap()
    })
}

/// Draws a platform with up to two outages per cluster.
pub(crate) fn failing_platform(policies: Vec<BatchPolicy>) -> impl Strategy<Value = Platform> {
    let spans = prop::collection::vec((1_u64..60, 1_u64..40), 0..=2);
    (platform(policies), prop::collection::vec(spans, 3)).prop_map(|(platform, spans)| {
        let mut outages = Vec::new();
        for (cluster, spans) in (0..platform.clusters().len()).zip(spans) {
            let mut over = 0;
            for (up, down) in spans {
                let from = over + up;
                over = from + down;
                let [from, until] = [from, over].map(SimTime::from_micros);
                outages.push(Outage { cluster, from, until });
            }
        }
        platform.with_outages(outages).unwrap()
    })
}

/// Creates a fast node, and others of half its speed.
pub(crate) fn unequal(nodes: u32) -> Arc<UnequalNodes> {
    let slow = match nodes {
        0 | 1 => String::new(),
        _ => format!(", {{ name = 'slow', nodes = {}, cores = 1, memory_gb = 1, speed = 0.5 }}", nodes - 1),
    };
    let text = format!("classes = [{{ name = 'fast', nodes = 1, cores = 1, memory_gb = 1 }}{slow}]");
    let classes = PlatformFields::parse("platform.toml", &text).unwrap().classes().unwrap();
    Arc::new(UnequalNodes { classes, demands: Demands::default() })
}

/// Creates nodes with two devices each, of parts of which half of the jobs need one.
pub(crate) fn with_devices(nodes: u32) -> Arc<UnequalNodes> {
    let text = format!(
        "devices = 'gpu'\nclasses = [{{ name = 'a', nodes = {nodes}, cores = 1, memory_gb = 1, resources = {{ gpu = 2 }} }}]"
    );
    let classes = PlatformFields::parse("platform.toml", &text).unwrap().classes().unwrap();
    let requests = vec!["gpu:0.5:1+2:0.2-0.9".parse().unwrap()];
    Arc::new(UnequalNodes { classes, demands: Demands { requests, ..Demands::default() } })
}

/// Draws conditions for the clusters of a platform: nodes may differ or have devices, and, with
/// `has_windows`, the first node may be down in an announced window.
pub(crate) fn with_conditions(platform: Platform, has_windows: bool) -> impl Strategy<Value = Platform> {
    let window = prop::option::of((1_u64..60, 1_u64..40)).prop_map(move |it| it.filter(|_| has_windows));
    prop::collection::vec((0_u32..4, window), 3).prop_map(move |drawn| {
        let conditioned = |spec: &ClusterSpec, kind: u32, window: Option<(u64, u64)>| {
            let outages = window.map(|(up, down)| {
                let [from, until] = [up, up + down].map(SimTime::from_micros);
                let outage =
                    dfrsim_model::platform::Outage { from, until, nodes: NodeSpan { first: 0, nodes: 1 } };
                let windows = vec![Window { announced: SimTime::ZERO, outage }];
                Arc::new(Outages { windows, ..Outages::default() })
            });
            let unequal = match kind {
                0 | 1 => None,
                2 => Some(unequal(spec.cores)),
                _ => Some(with_devices(spec.cores)),
            };
            ClusterSpec { conditions: Conditions { outages, unequal, site: None }, ..spec.clone() }
        };
        let specs = platform.clusters().iter().zip(&drawn);
        let specs = specs.map(|(spec, &(kind, window))| conditioned(spec, kind, window)).collect();
        Platform::new(specs, platform.local()).unwrap()
    })
}

/// Draws no transfer time, or some microseconds per job and per core.
pub(crate) fn transfer() -> impl Strategy<Value = Transfer> {
    let times = prop_oneof![1 => Just((0, 0)), 1 => (0_u64..15, 0_u64..5)];
    times.prop_map(|(fixed, per_core)| Transfer {
        fixed: SimSpan::from_micros(fixed),
        per_core: SimSpan::from_micros(per_core),
    })
}

pub(crate) fn publication_period() -> impl Strategy<Value = Option<SimSpan>> {
    prop_oneof![1 => Just(None), 1 => (1_u64..60).prop_map(|micros| Some(SimSpan::from_micros(micros)))]
}

/// Draws a few jobs, most of which wait for others. Numbers are small, so that there are many
/// coincidences. Times are in microseconds.
pub(crate) fn jobs() -> impl Strategy<Value = Vec<GridJob>> {
    let gap = prop_oneof![3 => Just(0), 4 => 1_u64..20, 1 => 20_u64..200];
    let home = prop_oneof![4 => Just(None), 1 => Just(Some(0))];
    let row = (gap, 1_u32..=6, 1_u64..60, 1_u64..60, home);
    prop::collection::vec(row, 1..14).prop_map(|rows| {
        let mut submit = 0;
        let jobs = rows.into_iter().zip(0..).map(|((gap, width, run, walltime, home), id)| {
            submit += gap;
            GridJob {
                id: JobId(id),
                submit: SimTime::from_micros(submit),
                width,
                run: SimSpan::from_micros(run),
                walltime: SimSpan::from_micros(walltime),
                home,
                site: None,
                traits: JobTraits::default(),
            }
        });
        jobs.collect()
    })
}

pub(crate) fn reallocation() -> impl Strategy<Value = Reallocation> {
    let algorithm = prop::sample::select(Algorithm::ALL.to_vec());
    let heuristic = prop::sample::select(Heuristic::ALL.to_vec());
    (algorithm, heuristic, 1_u64..40, 0_u64..10).prop_map(|(algorithm, heuristic, period, threshold)| {
        Reallocation {
            algorithm,
            heuristic,
            period: SimSpan::from_micros(period),
            threshold: SimSpan::from_micros(threshold),
        }
    })
}

/// Draws every mapping, estimate and mapping time, any transfer and publication, with reallocation,
/// with copies, or with neither.
pub(crate) fn options() -> impl Strategy<Value = Options> {
    let mapping = (
        prop::sample::select(Mapping::ALL.to_vec()),
        prop::sample::select(Estimate::ALL.to_vec()),
        prop::sample::select(Mapped::ALL.to_vec()),
    );
    let more = prop_oneof![
        4 => reallocation().prop_map(|each| (1, Some(each))),
        2 => (1_usize..=3).prop_map(|copies| (copies, None)),
    ];
    (mapping, more, transfer(), publication_period(), any::<u64>()).prop_map(
        |((mapping, estimate, mapped), (copies, reallocation), transfer, publication_period, seed)| Options {
            mapping,
            estimate,
            mapped,
            copies,
            reallocation,
            transfer: if copies == 1 { transfer } else { Transfer::default() },
            publication_period,
            skip_too_wide: true,
            seed: Seed::new(seed),
        },
    )
}

/// Converts microseconds of jobs and options to seconds.
pub(crate) fn in_seconds(jobs: Vec<GridJob>, options: Options) -> (Vec<GridJob>, Options) {
    let of = |span: SimSpan| SimSpan::from_secs(span.micros());
    let jobs = jobs.into_iter().map(|job| GridJob {
        submit: SimTime::from_secs(job.submit.micros()),
        run: of(job.run),
        walltime: of(job.walltime),
        ..job
    });
    let Transfer { fixed, per_core } = options.transfer;
    let options = Options {
        transfer: Transfer { fixed: of(fixed), per_core: of(per_core) },
        publication_period: options.publication_period.map(of),
        reallocation: options.reallocation.map(|it| Reallocation {
            period: of(it.period),
            threshold: of(it.threshold),
            ..it
        }),
        ..options
    };
    (jobs.collect(), options)
}

/// Simulates with the checker as an observer.
pub(crate) fn audited(
    platform: &Platform,
    jobs: &[GridJob],
    options: &Options,
) -> Result<Outcome, TestCaseError> {
    let mut auditor: Option<Auditor> = None;
    let outcome = simulate(platform, jobs, options, |record: Record<'_>| match &mut auditor {
        Some(auditor) => auditor.record(&record),
        None => auditor = Some(Auditor::begin(&record).unwrap()),
    })
    .unwrap();
    let report = auditor.unwrap().finish().map_err(|faults| TestCaseError::fail(faults.to_string()))?;
    prop_assert_eq!(report.completed as usize + outcome.skipped, jobs.len());
    prop_assert_eq!(report.cancellations, outcome.cancellations);
    Ok(outcome)
}
