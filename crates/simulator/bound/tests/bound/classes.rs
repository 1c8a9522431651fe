//! Tests bounds on different nodes, derived by hand.

use crate::instances::jobs;
use dfrsim_bound::{max_stretch_bound, max_stretch_bound_on};
use dfrsim_model::platform::classes::{Demands, PlatformFields, UnequalNodes};
use dfrsim_model::{JobId, Share, SimSpan};

/// A node without GPUs, and a node of half its speed with two GPUs.
const CLASSES: &str = "classes = [{ name = 'a', nodes = 1, cores = 4, memory_gb = 8 },
    { name = 'b', nodes = 1, cores = 4, memory_gb = 8, speed = 0.5, resources = { gpu = 2 } }]";

/// Creates the nodes, with jobs by their numbers and the GPUs that each of their tasks requests.
fn nodes(platform: &str, asked: &[(u64, u32)]) -> UnequalNodes {
    let classes = PlatformFields::parse("platform.toml", platform).unwrap().classes().unwrap();
    let given = asked.iter().map(|&(job, count)| (JobId(job), vec![("gpu".to_owned(), count)])).collect();
    UnequalNodes { classes, demands: Demands { given, ..Demands::default() } }
}

/// Three jobs of 60 s with hardly any CPU need. Two GPUs on a node of half speed count as one at
/// full speed.
#[test]
fn held_gpus_bound_the_stretch() {
    let table = jobs(&[(0, 1, Share::from_ratio(1, 100), 60); 3]);
    let bound = |asked: &[(u64, u32)]| max_stretch_bound_on(&table, &nodes(CLASSES, asked), SimSpan::ZERO);
    assert_eq!(max_stretch_bound(&table, 2, SimSpan::ZERO).value, 1.0);
    assert_eq!(bound(&[]), 1.0);
    // One job could have both GPUs, and each of them works at half speed. A job with one GPU takes
    // at least 60 / (1/2), but the relaxation treats its GPU as a fraction of a full-speed one.
    assert_eq!(bound(&[(0, 1)]), 1.0);
    assert_eq!([bound(&[(0, 2)]), bound(&[(0, 1), (1, 1)])], [2.0, 2.0]);
    assert_eq!([bound(&[(0, 2), (1, 2)]), bound(&[(0, 2), (1, 1), (2, 1)])], [4.0, 4.0]);
    // No node has three GPUs: no policy runs such a job.
    assert_eq!(bound(&[(0, 3), (1, 2)]), 2.0);
}

/// Shared GPUs are divided: with needs of 3/10 of two GPUs, up to 10/3 jobs fit at full speed.
#[test]
fn shared_gpus_are_used_by_their_needs() {
    let platform = CLASSES.replace("classes =", "shared = ['gpu']\nclasses =").replace("speed = 0.5, ", "");
    let mut nodes = nodes(&platform, &[]);
    nodes.demands.requests = vec!["gpu:1:2:0.3".parse().unwrap()];
    let table = |count| jobs(&vec![(0, 1, Share::from_ratio(1, 100), 60); count]);
    let bound = |count| max_stretch_bound_on(&table(count), &nodes, SimSpan::ZERO);
    assert_eq!(bound(3), 1.0);
    assert!((bound(10) - 3.0).abs() < 1e-9, "{}", bound(10));
}

/// A job with more tasks than the GPUs of all nodes can serve counts for CPU only.
#[test]
fn jobs_that_never_fit_do_not_count() {
    let table = jobs(&[(0, 3, Share::from_ratio(1, 100), 60), (0, 1, Share::from_ratio(1, 100), 60)]);
    assert_eq!(max_stretch_bound_on(&table, &nodes(CLASSES, &[(0, 1), (1, 1)]), SimSpan::ZERO), 1.0);
    assert_eq!(max_stretch_bound_on(&table, &nodes(CLASSES, &[(0, 1), (1, 2)]), SimSpan::ZERO), 2.0);
}
