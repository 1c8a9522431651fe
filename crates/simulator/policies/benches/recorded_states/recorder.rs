//! A scheduler that records the inputs of the packing and of the second phase under another
//! scheduler.

use dfrsim_cluster::{Decision, JobHandle, JobState, JobView, Scheduler, Situation, View};
use dfrsim_model::{NodeTasks, Share, VirtualTime, Yield};
use dfrsim_packing::mcb::{Mcb, PackJob};
use dfrsim_packing::shares::{SharedJob, Shares};
use dfrsim_policies::fractional::{Fractional, OnSubmission, RemapLimit, SecondPhase};
use dfrsim_policies::{Policy, PolicyOptions};
use std::cmp::Ordering;
use std::ops::RangeInclusive;

/// Size classes: a nominal number of jobs (10 and 100), and the range of job numbers counted for it.
pub(crate) const SIZES: [(u32, RangeInclusive<usize>); 2] = [(10, 8..=12), (100, 80..=120)];

/// Input of MCB: jobs by decreasing priority, each with its nodes if it is pinned.
#[derive(Clone, Debug)]
pub(crate) struct PackState(Vec<(PackJob<'static>, Option<Vec<NodeTasks>>)>);

impl PackState {
    pub(crate) fn jobs(&self) -> Vec<PackJob<'_>> {
        self.0.iter().map(|(job, pinned)| PackJob { pinned: pinned.as_deref(), ..*job }).collect()
    }
}

/// Input of the second phase: the mapped jobs in submission order.
#[derive(Clone, Debug)]
pub(crate) struct ShareState(Vec<(Share, Vec<NodeTasks>)>);

impl ShareState {
    pub(crate) fn jobs(&self) -> Vec<SharedJob<'_>> {
        self.0.iter().map(|(need, placement)| SharedJob { need: *need, placement, size: None }).collect()
    }
}

/// Evenly spaced sample of the offered values; at most 500 are kept.
#[derive(Clone, Debug)]
pub(crate) struct Sample<T> {
    pub(crate) kept: Vec<T>,
    offered: usize,
    stride: usize,
}

impl<T> Sample<T> {
    const MOST: usize = 500;

    fn new() -> Sample<T> {
        Sample { kept: Vec::new(), offered: 0, stride: 1 }
    }
    fn offer(&mut self, make: impl FnOnce() -> T) {
        if self.offered.is_multiple_of(self.stride) {
            self.kept.push(make());
        }
        self.offered += 1;
        if self.kept.len() > Self::MOST {
            let mut place = 0..;
            self.kept.retain(|_| place.next().is_some_and(|place| place % 2 == 0));
            self.stride *= 2;
        }
    }
}

/// Recorded states, by the size classes of [`SIZES`].
#[derive(Clone, Debug)]
pub(crate) struct Recording {
    pub(crate) packing: [Sample<PackState>; SIZES.len()],
    pub(crate) sharing: [Sample<ShareState>; SIZES.len()],
}

impl Recording {
    pub(crate) fn new() -> Recording {
        Recording {
            packing: std::array::from_fn(|_| Sample::new()),
            sharing: std::array::from_fn(|_| Sample::new()),
        }
    }
}

fn size_of(jobs: usize) -> Option<usize> {
    SIZES.iter().position(|(_, range)| range.contains(&jobs))
}

/// Inputs of the previous decision; their results are visible at the next one.
struct Asked {
    jobs: Vec<JobHandle>,
    /// Jobs in the order of the state, and the state, if MCB maps all jobs at this decision.
    packing: Option<(Vec<JobHandle>, PackState)>,
}

/// Runs a fractional policy and records its states.
///
/// The states are reconstructed from the scheduler's view of the cluster. Each recorded state is
/// verified: packing it again must give the mapping and the yields that the cluster has after the
/// decision.
pub(crate) struct Recorder<'a> {
    policy: Box<dyn Scheduler>,
    parts: Fractional,
    options: PolicyOptions,
    nodes: u32,
    asked: Option<Asked>,
    recording: &'a mut Recording,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(parts: Fractional, nodes: u32, recording: &'a mut Recording) -> Recorder<'a> {
        let options = PolicyOptions::default();
        let policy = Policy::Fractional(parts).scheduler(nodes, &options);
        Recorder { policy, parts, options, nodes, asked: None, recording }
    }

    /// Reconstructs the input of MCB at this decision; `None` if MCB does not run or the number of
    /// jobs is in no size class. Under `MCB*`, jobs are on their current nodes until MCB has run.
    fn packing(&self, situation: &Situation<'_>) -> Option<(Vec<JobHandle>, PackState)> {
        let no_event = situation.submitted.is_empty() && situation.completed.is_empty() && !situation.tick;
        if self.parts.on_submission != OnSubmission::Mcb || no_event {
            return None;
        }
        size_of(situation.view.jobs().len())?;
        let view = situation.view;
        let mut ranked = view.jobs().to_vec();
        ranked.sort_by(|&a, &b| {
            priority(view.job(b)).partial_cmp(&priority(view.job(a))).unwrap_or(Ordering::Equal)
        });
        let state = ranked.iter().map(|&handle| self.pack_job(view.job(handle))).collect();
        Some((ranked, PackState(state)))
    }

    fn pack_job(&self, job: JobView<'_>) -> (PackJob<'static>, Option<Vec<NodeTasks>>) {
        let young = match self.parts.remap_limit {
            RemapLimit::Unlimited => false,
            RemapLimit::FlowTime(limit) => job.flow_time() < limit,
            RemapLimit::VirtualTime(limit) => job.virtual_time() < VirtualTime::of(limit),
        };
        let pinned = (job.state() == JobState::Running && young).then(|| job.placement().to_vec());
        let (tasks, need, memory, sequence) = (job.tasks(), job.cpu_need(), job.memory(), job.sequence());
        (PackJob { tasks, need, memory, sequence, pinned: None, size: None }, pinned)
    }

    /// Records the states of the previous decision and verifies them against the current state of
    /// the cluster.
    fn keep(&mut self, Asked { jobs, packing }: Asked, view: View<'_>) {
        let Recorder { options, nodes, parts, recording, .. } = self;
        if let Some((ranked, state)) = packing {
            let size = size_of(ranked.len()).expect("other sizes are not asked about");
            recording.packing[size].offer(|| {
                let mut mcb = Mcb::new(*nodes, options.mcb);
                let jobs = state.jobs();
                let mapping = mcb.map(&jobs);
                for (place, &job) in ranked.iter().enumerate() {
                    assert_eq!(
                        mapping.placement(place),
                        view.job(job).placement().to_vec(),
                        "another mapping"
                    );
                }
                state.clone()
            });
        }
        let mapped: Vec<JobView<'_>> =
            jobs.iter().map(|&job| view.job(job)).filter(|job| !job.placement().is_empty()).collect();
        if let Some(size) = size_of(mapped.len()) {
            recording.sharing[size].offer(|| {
                let state =
                    ShareState(mapped.iter().map(|job| (job.cpu_need(), job.placement().to_vec())).collect());
                let mut yields = Vec::new();
                share(parts.second_phase, &mut Shares::new(*nodes), &state.jobs(), &mut yields);
                for (job, &found) in mapped.iter().zip(&yields) {
                    let completed = job.state() == JobState::Completed;
                    assert!(completed || job.current_yield() == found, "another yield");
                }
                state
            });
        }
    }
}

/// Runs the second phase of a policy that does not optimise the stretch.
pub(crate) fn share(phase: SecondPhase, shares: &mut Shares, jobs: &[SharedJob], yields: &mut Vec<Yield>) {
    match phase {
        SecondPhase::Average => shares.max_average(jobs, yields),
        SecondPhase::Min | SecondPhase::Max => shares.max_min(jobs, yields),
    }
}

/// Computes the default priority: flow time divided by the square of the virtual time, in 1/s.
fn priority(job: JobView<'_>) -> f64 {
    let virtual_time = job.virtual_time().as_secs_f64();
    if virtual_time == 0.0 {
        f64::INFINITY
    } else {
        job.flow_time().as_secs_f64() / (virtual_time * virtual_time)
    }
}

impl Scheduler for Recorder<'_> {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        if let Some(asked) = self.asked.take() {
            self.keep(asked, situation.view);
        }
        let packing = self.packing(situation);
        self.asked = Some(Asked { jobs: situation.view.jobs().to_vec(), packing });
        self.policy.decide(situation, decision);
    }
}
