//! Tests that incrementally updated lists agree with any policy's schedule under any condition, and
//! that they suffice for a policy.

use crate::conditions::{ALONE, CONDITIONS};
use dfrsim_cluster::{Decision, JobState, JobView, Lists, Scheduler, Situation, View};
use dfrsim_model::event::Record;
use dfrsim_model::{NodeId, SimTime};
use std::collections::BTreeSet;

/// Compares the lists before each decision of a policy with lists built from the view alone.
struct Followed {
    policy: Box<dyn Scheduler>,
    lists: Lists,
}

/// The free nodes, the queue, and the running jobs with their ends, by definition.
type Plain = (Vec<u32>, Vec<u64>, Vec<(SimTime, u64)>);

fn plain(view: View<'_>) -> Plain {
    let jobs = || view.jobs().iter().map(|&handle| view.job(handle));
    let taken: BTreeSet<NodeId> =
        jobs().flat_map(|job| job.placement().to_vec()).map(|part| part.node).collect();
    let free = (0..view.nodes()).filter(|&node| view.is_up(NodeId(node)) && !taken.contains(&NodeId(node)));
    let waiting = jobs().filter(|job| job.state() != JobState::Running).map(JobView::sequence);
    let running = jobs().filter(|job| job.state() == JobState::Running);
    let mut running: Vec<(SimTime, u64)> =
        running.map(|job| (job.expected_end().unwrap_or(SimTime::MAX), job.sequence())).collect();
    running.sort_unstable();
    (free.collect(), waiting.collect(), running)
}

fn listed(view: View<'_>, lists: &Lists) -> Plain {
    let sequence = |&handle: &_| view.job(handle).sequence();
    let running = lists.running().iter().map(|run| (run.end, run.sequence));
    (lists.free(view).collect(), lists.waiting().iter().map(sequence).collect(), running.collect())
}

impl Scheduler for Followed {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        let view = situation.view;
        self.lists.update(situation);
        let expected = plain(view);
        assert_eq!(listed(view, &self.lists), expected, "at {}", view.now());
        assert_eq!(listed(view, &Lists::of(view)), expected, "at {}", view.now());
        for run in self.lists.running() {
            assert_eq!(&self.lists.nodes_of(run.job).unwrap()[..], view.job(run.job).placement().ranges());
        }
        self.policy.decide(situation, decision);
        self.lists.decided(decision);
    }
}

#[test]
fn lists_are_what_the_view_says() {
    let policies = ["EASY", "EQUIPARTITION", "GreedyPM*/per/OPT=MIN/MVT=600", "/per/OPT=MIN"];
    for condition in ALONE.into_iter().chain(CONDITIONS) {
        for (seed, policy) in (1..).zip(policies) {
            let case = condition.case(seed, 60);
            case.records_of(policy, |policy| Box::new(Followed { policy, lists: Lists::default() }));
        }
    }
}

/// Starts every job that fits, in the order of arrival, and rejects those that do not fit on the
/// empty cluster.
#[derive(Default)]
struct Greedy(Lists);

impl Scheduler for Greedy {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        self.0.update(situation);
        let view = situation.view;
        for job in self.0.waiting().to_vec() {
            let fitting = (0..view.nodes()).filter(|&node| view.fits(job, view.class_of(node)));
            if !self.0.start(view, job, decision) && fitting.count() < view.job(job).tasks() as usize {
                decision.reject(job);
            }
        }
        self.0.decided(decision);
    }
}

/// Checks that no decision is rejected and that no job remains.
#[test]
fn jobs_that_the_lists_start_have_valid_nodes() {
    for condition in ALONE.into_iter().chain(CONDITIONS) {
        let case = condition.case(7, 60);
        let records = case.records_of("FCFS", |_| Box::new(Greedy::default())).unwrap();
        let left = records
            .iter()
            .filter(|record| matches!(record, Record::Start { .. } | Record::Reject { .. }))
            .count();
        assert!(left >= 60, "{}: {left}", condition.name);
    }
}
