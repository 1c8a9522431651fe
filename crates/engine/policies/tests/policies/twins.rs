//! The batch planners against their slow, obvious twins, and what their definitions promise.

use crate::support::schedule;
use crate::twin;
use crate::twin::{SecondBySecond, Twin};
use dfrsim_cluster::{EstimateModel, Options, Overrun};
use dfrsim_model::{Job, JobId, Share, SimSpan, SimTime};
use dfrsim_policies::Policy;
use dfrsim_policies::batch::{BatchPolicy, Compression, Discipline, Profile, QueueOrder};
use proptest::prelude::*;

/// Quarters of a second: several events within the one second that overdue jobs are given do happen.
fn quarters(count: u64) -> SimSpan {
    SimSpan::from_micros(count * 250_000)
}

/// Up to 24 jobs on a few nodes, most of them waiting for others; a few are wider than the cluster. Requested
/// times are independent of run times, or are missing. Small numbers, so that many things coincide.
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
                    cpu_need: Share::ONE,
                    memory: Share::ZERO,
                    run_time: quarters(run),
                    requested_time: requested.map(quarters),
                    user: None,
                    origin: dfrsim_model::Origin::UNKNOWN,
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

fn any_order() -> impl Strategy<Value = QueueOrder> {
    prop::sample::select(QueueOrder::all().collect::<Vec<_>>())
}

fn any_compression() -> impl Strategy<Value = Compression> {
    prop_oneof![Just(Compression::OneByOne), Just(Compression::Replan)]
}

type Starts = Vec<Option<(u64, u64)>>;

/// Start and end of each job by the crate's policy, in microseconds.
fn ours(policy: Policy, nodes: u32, options: &Options, jobs: &[Job]) -> Starts {
    let mut starts = vec![None; jobs.len()];
    for record in schedule(&policy.to_string(), nodes, options, jobs.to_vec()) {
        starts[record.id.0 as usize] = Some((record.start.micros(), record.end.micros()));
    }
    starts
}

/// Fails unless the policy and its twin agree; their schedule.
fn agree(
    policy: Policy,
    twin: &mut impl Twin,
    nodes: u32,
    options: &Options,
    jobs: &[Job],
) -> Result<Starts, TestCaseError> {
    let ours = ours(policy, nodes, options, jobs);
    prop_assert_eq!(&ours, &twin::simulate(nodes, options, jobs, twin));
    Ok(ours)
}

fn assert_promises_kept(twin: &impl Twin, starts: &Starts) -> Result<(), TestCaseError> {
    for (job, promised) in twin.promises() {
        let (start, _) = starts[job].unwrap();
        prop_assert!(start <= promised, "job {} starts at {} and not by {}", job, start, promised);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn fcfs_agrees_with_its_twin(
        (nodes, jobs) in workload(), options in any_options(), order in any_order(),
    ) {
        agree(Policy::Batch(BatchPolicy { order, ..Discipline::Fcfs.into() }), &mut twin::Fcfs(order), nodes, &options, &jobs)?;
    }

    #[test]
    fn easy_agrees_with_its_twin(
        (nodes, jobs) in workload(), options in any_options(), order in any_order(),
    ) {
        agree(Policy::Batch(BatchPolicy { order, ..Discipline::Easy.into() }), &mut twin::Easy::new(order), nodes, &options, &jobs)?;
    }

    #[test]
    fn easy_spare_agrees_with_its_twin((nodes, jobs) in workload(), options in any_options()) {
        agree(Discipline::Spare.into(), &mut twin::EasySpare::new(nodes), nodes, &options, &jobs)?;
    }

    #[test]
    fn cons_agrees_with_its_twin(
        (nodes, jobs) in workload(), options in any_options(), compression in any_compression(),
    ) {
        let policy = Discipline::Conservative(compression).into();
        agree(policy, &mut twin::Conservative::new(compression), nodes, &options, &jobs)?;
    }

    #[test]
    fn fcfs_starts_in_order_of_submission((nodes, jobs) in workload(), options in any_options()) {
        let starts = ours(Discipline::Fcfs.into(), nodes, &options, &jobs);
        prop_assert!(starts.iter().flatten().is_sorted_by_key(|(start, _)| start));
    }

    /// With exact estimates the reservation of a head can only move to an earlier time.
    #[test]
    fn no_head_of_easy_starts_after_its_first_reservation((nodes, jobs) in workload()) {
        let mut twin = twin::Easy::new(QueueOrder::Arrival);
        let starts =
            agree(Discipline::Easy.into(), &mut twin, nodes, &Options::default(), &jobs)?;
        assert_promises_kept(&twin, &starts)?;
    }

    /// With exact estimates no job ever ends early, so every job starts just when it was planned on arrival.
    #[test]
    fn cons_with_exact_estimates_starts_as_planned_on_arrival(
        (nodes, jobs) in workload(), compression in any_compression(),
    ) {
        let mut twin = twin::Conservative::new(compression);
        let starts = agree(Discipline::Conservative(compression).into(), &mut twin, nodes, &Options::default(), &jobs)?;
        for (job, promised) in twin.promises() {
            prop_assert_eq!(starts[job].unwrap().0, promised);
        }
    }

    /// Where jobs end no later than estimated, compression one by one breaks no promise.
    #[test]
    fn cons_keeps_its_promises_when_jobs_are_killed_at_their_estimate((nodes, jobs) in workload()) {
        let options =
            Options { estimates: EstimateModel::Requested, overrun: Overrun::Kill, ..Options::default() };
        let mut twin = twin::Conservative::new(Compression::OneByOne);
        let starts =
            agree(Discipline::Conservative(Compression::OneByOne).into(), &mut twin, nodes, &options, &jobs)?;
        assert_promises_kept(&twin, &starts)?;
    }

    #[test]
    fn no_schedule_is_wider_than_the_cluster(
        (nodes, jobs) in workload(),
        options in any_options(),
        policy in prop::sample::select(vec!["FCFS", "EASY", "EASY/ORDER=WFP3", "CONS", "CONS/REPLAN"]),
    ) {
        let starts = ours(policy.parse().unwrap(), nodes, &options, &jobs);
        let lives: Vec<_> = starts.iter().zip(&jobs).filter_map(|(life, job)| Some(((*life)?, job.tasks))).collect();
        for &((time, _), _) in &lives {
            let there = lives.iter().filter(|((start, end), _)| (start..end).contains(&&time));
            prop_assert!(there.map(|(_, tasks)| tasks).sum::<u32>() <= nodes);
        }
    }

    /// Jobs are planned at their earliest hole; some are taken out again, whole or for the rest of their time.
    #[test]
    fn the_profile_agrees_with_one_number_a_second(
        nodes in 1_u32..10,
        actions in prop::collection::vec((0..4_u8, 0_usize..20, 1_u32..10, 1_usize..15), 1..40),
    ) {
        let time = |second: usize| SimTime::from_secs(second as u64);
        let mut profile = Profile::new(nodes);
        let mut seconds = SecondBySecond::new(nodes, 40 * 35 + 100);
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
                    seconds.release(start, end, width);
                }
                _ => {
                    let width = width.min(nodes);
                    let start = seconds.earliest(now + a, width, span);
                    let found = profile.earliest(time(now + a), width, SimSpan::from_secs(span as u64));
                    prop_assert_eq!(found, time(start));
                    profile.reserve(time(start), time(start + span), width);
                    seconds.reserve(start, start + span, width);
                    planned.push((start, start + span, width));
                }
            }
            planned.retain(|&(_, end, _)| end > now);
        }
    }
}
