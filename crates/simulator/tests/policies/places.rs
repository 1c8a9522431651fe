//! Tests node selection.

use crate::support::{assert_judged, job, jobs, recorded, starts_and_ends};
use dfrsim_cluster::{EstimateModel, Metrics, Observer, Occurrence, Options, SummaryOptions, simulate};
use dfrsim_model::platform::classes::{Demands, PlatformFields, UnequalNodes};
use dfrsim_model::{Job, JobId, SimTime};
use dfrsim_policies::{Policy, PolicyOptions};
use proptest::prelude::*;
use std::sync::Arc;

/// The nodes on which each job starts, in the order of the starts.
#[derive(Default)]
struct Nodes(Vec<(u64, Vec<u32>)>);

impl Observer for Nodes {
    fn observe(&mut self, _: SimTime, job: u64, occurrence: Occurrence<'_>) {
        if let Occurrence::Started(on, _) = occurrence {
            self.0.push((job, on.iter().map(|part| part.node.0).collect()));
        }
    }
}

pub(crate) fn nodes_of(policy: &str, nodes: u32, options: &Options, jobs: Vec<Job>) -> Vec<Vec<u32>> {
    let policy: Policy = policy.parse().unwrap();
    let mut found = Nodes::default();
    simulate(nodes, options, jobs, &mut *policy.scheduler(nodes, &PolicyOptions::default()), &mut found)
        .unwrap();
    found.0.sort();
    found.0.into_iter().map(|(_, nodes)| nodes).collect()
}

/// Jobs of 10 s and 100 s leave nodes free from 10 s on. Letters are jobs that are still running,
/// and `.` is a free node.
///
/// ```text
///         0123456789
/// 10 s    .B...D..FF     0, 2-4 and 6-7
/// 20 s    a job G of two nodes: FIRST takes 0 and 2, CONTIGUOUS 2-3, BEST 6-7
/// 21 s    a job H of three: FIRST takes 3-4 and 6; CONTIGUOUS finds no run of three in 0, 4 and 6-7, and takes the lowest;
///         BEST takes 2-4
/// 22 s    a job I of one: the only free node is 7 for FIRST and CONTIGUOUS, and 0 for BEST
/// ```
#[test]
fn each_rule_takes_other_nodes() {
    let table = [
        (0, 1, 10, 0),
        (0, 1, 100, 0),
        (0, 3, 10, 0),
        (0, 1, 100, 0),
        (0, 2, 10, 0),
        (0, 2, 100, 0),
        (20, 2, 30, 0),
        (21, 3, 30, 0),
        (22, 1, 30, 0),
    ];
    for (place, expected) in [
        ("", [vec![0, 2], vec![3, 4, 6], vec![7]]),
        ("/PLACE=CONTIGUOUS", [vec![2, 3], vec![0, 4, 6], vec![7]]),
        ("/PLACE=BEST", [vec![6, 7], vec![2, 3, 4], vec![0]]),
    ] {
        for policy in ["FCFS", "EASY", "CONS", "CONS/REPLAN"] {
            let found = nodes_of(&format!("{policy}{place}"), 10, &Options::default(), jobs(&table));
            assert_eq!(found[6..], expected, "{policy}{place}");
        }
    }
}

/// Counts node ranges per start. Three jobs have one range each; a job of two nodes has two with the
/// first rule and one with the best: 5 or 4 ranges of 4 jobs.
#[test]
fn ranges_are_counted() {
    let table = [(0, 1, 10, 0), (0, 1, 100, 0), (0, 2, 10, 0), (20, 2, 30, 0)];
    for (policy, expected) in [("EASY", 5.0 / 4.0), ("EASY/PLACE=BEST", 1.0)] {
        let mut metrics = Metrics::new(SummaryOptions::new(4));
        let mut scheduler = policy.parse::<Policy>().unwrap().scheduler(4, &PolicyOptions::default());
        simulate(4, &Options::default(), jobs(&table), &mut *scheduler, &mut metrics).unwrap();
        assert_eq!(metrics.summary().unwrap().ranges_per_start, Some(expected), "{policy}");
    }
}

/// Nodes 0, 2-3, 5-6 and 8 are free from 10 s on. For four nodes BEST takes the two longest runs;
/// for five it adds the lowest run of one.
#[test]
fn best_takes_the_longest_runs_where_none_is_long_enough() {
    let begin = [
        (0, 1, 10, 0),
        (0, 1, 99, 0),
        (0, 2, 10, 0),
        (0, 1, 99, 0),
        (0, 2, 10, 0),
        (0, 1, 99, 0),
        (0, 1, 10, 0),
    ];
    for (width, expected) in [(4, vec![2, 3, 5, 6]), (5, vec![0, 2, 3, 5, 6])] {
        let table: Vec<_> = begin.into_iter().chain([(20, width, 9, 0)]).collect();
        let found = nodes_of("EASY/PLACE=BEST", 9, &Options::default(), jobs(&table));
        assert_eq!(found[7], expected);
    }
}

/// Nodes 0 and 1 have a GPU, nodes 2 and 3 have more memory, nodes 4 and 5 have neither, and node 6
/// equals these but is slow. With BEST, jobs without a demand use the smallest nodes first, and slow
/// ones last: 4 and 5, then 2 and 3, then those with GPUs, and finally the slow node. The first rule
/// begins with the GPUs.
#[test]
fn best_keeps_what_is_scarce_where_nodes_differ() {
    let platform = "classes = [{ name = 'gpu', nodes = 2, cores = 4, memory_gb = 8, resources = { gpu = 1 } },
        { name = 'large', nodes = 2, cores = 4, memory_gb = 16 }, { name = 'plain', nodes = 2, cores = 4, memory_gb = 8 },
        { name = 'slow', nodes = 1, cores = 4, memory_gb = 8, speed = 0.5 }]";
    let classes = PlatformFields::parse("platform.toml", platform).unwrap().classes().unwrap();
    let given = [(JobId(5), vec![("gpu".to_owned(), 1)])].into_iter().collect();
    let demands = Demands { given, ..Demands::default() };
    let options =
        Options { unequal: Some(Arc::new(UnequalNodes { classes, demands })), ..Options::default() };
    let table = [(0, 1, 50, 0), (1, 2, 50, 0), (2, 1, 50, 0), (3, 1, 50, 0), (4, 1, 50, 0), (5, 1, 50, 0)];
    for policy in ["FCFS", "EASY", "CONS"] {
        let found = nodes_of(&format!("{policy}/PLACE=BEST"), 7, &options, jobs(&table));
        assert_eq!(found, [vec![4], vec![2, 5], vec![3], vec![0], vec![1], vec![6]], "{policy}");
        let found = nodes_of(policy, 7, &options, jobs(&table));
        assert_eq!(found[..4], [vec![0], vec![1, 2], vec![3], vec![4]], "{policy}");
    }
}

fn workload() -> impl Strategy<Value = (u32, Vec<Job>)> {
    (2_u32..150).prop_flat_map(|nodes| {
        let row = (0_u64..8, 1..=nodes, 1_u64..40, prop::option::of(1_u64..60));
        prop::collection::vec(row, 1..60).prop_map(move |rows| {
            let mut submit = 0;
            let jobs = rows.into_iter().zip(0..).map(|((gap, width, run, requested), id)| {
                submit += gap;
                job(id, (submit, width.min(1 + width * width / nodes), run, requested.unwrap_or(0)))
            });
            (nodes, jobs.collect())
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(200)))]

    /// No rule of node selection changes a start on equal nodes, and the audit accepts the nodes of
    /// each rule.
    #[test]
    fn places_change_no_start((nodes, jobs) in workload()) {
        let options = Options { estimates: EstimateModel::Requested, ..Options::default() };
        for base in ["FCFS", "EASY", "CONS", "CONS/REPLAN", "FCFS/ORDER=SAF", "EASY/ORDER=WFP3"] {
            let schedule = |place: &str| {
                let name = format!("{base}{place}");
                let found = recorded::<()>(&PolicyOptions::default(), &name, nodes, &options, None, &jobs);
                assert_judged(&found.events, &name);
                starts_and_ends(&found.records)
            };
            let first = schedule("");
            for place in ["/PLACE=CONTIGUOUS", "/PLACE=BEST"] {
                prop_assert_eq!(&schedule(place), &first, "{}{}", base, place);
            }
        }
    }
}
