//! Tests the batch planners against the slow and simple reference implementation in the audit, on
//! small clusters with many coincidences.

use crate::classes::events;
use dfrsim_audit::{CheckedPolicy, audit_policy};
use dfrsim_cluster::{EstimateModel, Options, Overrun};
use dfrsim_model::batch::BatchPolicy;
use dfrsim_model::{Job, JobId, SimSpan, SimTime};
use dfrsim_policies::batch::Profile;
use proptest::prelude::*;

/// Converts quarters of a second, so that several events occur within the one second by which
/// overdue jobs are extended.
fn quarters(count: u64) -> SimSpan {
    SimSpan::from_micros(count * 250_000)
}

/// Draws up to 24 jobs on a few nodes, most of which wait for others; a few are larger than the
/// cluster. Requested times are independent of run times, or missing. Numbers are small, so that
/// there are many coincidences.
fn workload() -> impl Strategy<Value = (u32, Vec<Job>)> {
    let gap = prop_oneof![3 => Just(0), 4 => (1_u64..6).prop_map(|seconds| seconds * 4), 2 => 1_u64..20];
    let span = || prop_oneof![3 => (1_u64..12).prop_map(|seconds| seconds * 4), 1 => 1_u64..30];
    let requested = prop_oneof![1 => Just(None), 6 => span().prop_map(Some)];
    (1_u32..=8).prop_flat_map(move |nodes| {
        let row = (gap.clone(), 1..=nodes + nodes / 4, span(), requested.clone());
        prop::collection::vec(row, 1..24).prop_map(move |rows| {
            let mut submit = SimTime::ZERO;
            let jobs = rows.into_iter().zip(0..).map(|((gap, tasks, run, requested), id)| {
                submit = submit + quarters(gap);
                Job {
                    id: JobId(id),
                    submit,
                    tasks,
                    run_time: quarters(run),
                    requested_time: requested.map(quarters),
                    ..Job::default()
                }
            });
            (nodes, jobs.collect())
        })
    })
}

fn any_options() -> impl Strategy<Value = Options> {
    let estimates = prop_oneof![
        1 => Just(EstimateModel::Exact),
        4 => Just(EstimateModel::Requested),
        1 => Just(EstimateModel::Factor(2.0)),
        1 => Just(EstimateModel::Random(5.0)),
        1 => Just(EstimateModel::None),
    ];
    let overrun = prop_oneof![Just(Overrun::Extend), Just(Overrun::Kill)];
    (estimates, overrun).prop_map(|(estimates, overrun)| Options { estimates, overrun, ..Options::default() })
}

/// The number of free nodes in each second.
struct SecondBySecond(Vec<u32>);

impl SecondBySecond {
    fn change(&mut self, start: usize, end: usize, by: impl Fn(u32) -> u32) {
        self.0[start..end].iter_mut().for_each(|free| *free = by(*free));
    }
    fn earliest(&self, from: usize, width: u32, span: usize) -> usize {
        (from..).find(|&start| self.0[start..start + span].iter().all(|&free| free >= width)).unwrap()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(10_000)))]

    /// Compares policies with the reference implementation in the audit, which uses plain lists, for
    /// each order and any reservations, node selection and node use.
    #[test]
    fn batch_policies_agree_with_the_reference(
        (nodes, jobs) in workload(), options in any_options(), policy in prop::sample::select(BatchPolicy::all().collect::<Vec<_>>()),
    ) {
        prop_assume!(jobs.iter().any(|job| job.tasks <= nodes));
        let events = events(policy.to_string().parse().unwrap(), nodes, &options, &jobs);
        let report = audit_policy(events.as_bytes(), CheckedPolicy::Batch(policy));
        prop_assert!(report.is_ok(), "{}: {}", policy, report.unwrap_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(2_000)))]

    /// Reserves jobs in their earliest hole, and releases some of them, entirely or for the rest of
    /// their time.
    #[test]
    fn the_profile_agrees_with_one_number_a_second(
        nodes in 1_u32..10,
        actions in prop::collection::vec((0..4_u8, 0_usize..20, 1_u32..10, 1_usize..15), 1..40),
    ) {
        let time = |second: usize| SimTime::from_secs(second as u64);
        let mut profile = Profile::new(nodes);
        let mut seconds = SecondBySecond(vec![nodes; 40 * 35 + 100]);
        let (mut now, mut planned) = (0, Vec::new());
        for (action, a, width, span) in actions {
            match action {
                0 => {
                    now += a / 4;
                    profile.advance(time(now));
                }
                1 if !planned.is_empty() => {
                    let (start, end, width): (usize, usize, u32) = planned.swap_remove(a % planned.len());
                    profile.release(time(start.max(now)), time(end), width);
                    seconds.change(start, end, |free| free + width);
                }
                _ => {
                    let width = width.min(nodes);
                    let start = seconds.earliest(now + a, width, span);
                    let found = profile.earliest(time(now + a), width, SimSpan::from_secs(span as u64));
                    prop_assert_eq!(found, time(start));
                    profile.reserve(time(start), time(start + span), width);
                    seconds.change(start, start + span, |free| free - width);
                    planned.push((start, start + span, width));
                }
            }
            planned.retain(|&(_, end, _)| end > now);
        }
    }
}
