//! Small instances, given by hand and drawn at random.

use dfrsim_model::{Job, JobId, Share, SimSpan, SimTime};
use proptest::collection::vec;
use proptest::prelude::*;

/// Creates jobs of (submit time, tasks, need, run time), with times in seconds.
pub(crate) fn jobs(list: &[(u64, u32, Share, u64)]) -> Vec<Job> {
    let job = |(id, &(submit, tasks, need, run))| Job {
        id: JobId(id),
        submit: SimTime::from_secs(submit),
        tasks,
        cpu_need: need,
        run_time: SimSpan::from_secs(run),
        ..Job::default()
    };
    (0..).zip(list).map(job).collect()
}

/// A cluster, its jobs and tau.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) jobs: Vec<Job>,
    pub(crate) nodes: u32,
    pub(crate) tau: SimSpan,
}

/// Draws needs that share a large divisor, so that amounts fit into 64 bits, or arbitrary needs, so
/// that they do not.
fn need() -> impl Strategy<Value = Share> {
    prop_oneof![
        3 => prop::sample::select(vec![1, 2, 4]).prop_map(|parts| Share::from_ratio(1, parts)),
        1 => (1_u64..=1000).prop_map(|part| Share::from_ratio(part, 1009)),
    ]
}

/// Draws crowded instances of up to `most` jobs, of 1 s to 30 s each, that arrive within `most` * 3
/// seconds.
pub(crate) fn cases(most: usize) -> impl Strategy<Value = Case> {
    let job = (0..3 * most as u64, 1_u32..=6, need(), 1_u64..=30);
    let tau = prop::sample::select(vec![0, 5, 10]).prop_map(SimSpan::from_secs);
    (vec(job, 0..=most), 1_u32..=5, tau).prop_map(|(list, nodes, tau)| Case { jobs: jobs(&list), nodes, tau })
}
