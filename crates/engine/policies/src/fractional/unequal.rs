//! Fractional policies where nodes differ.
//!
//! The parts of a policy are those of the [scheduler](super::FractionalScheduler) of equal nodes, in as many dimensions as nodes have
//! resources, each node with capacities of its own:
//!
//! * Greedy places a task on a node that has what it holds and the features that it needs. Of these it takes the one on which the task
//!   progresses fastest if all tasks there get the same yield, then the one that is loaded least, then the lowest.
//! * MCB packs by one list, in the order of nodes ([`dfrsim_packing::unequal`]).
//! * `OPT=MIN` raises all yields together until a node is full in a dimension that is shared.
//!
//! A yield is a part of the needs of tasks; how fast a job progresses at it depends on its nodes. A job that does not fit the empty
//! cluster is rejected. Of what names and options can say, `/stretch-per`, other second phases, `/BUDGET`, `/RELABEL`, the extensions,
//! other packings, drop rules and readings, and nodes that go down are refused.

use super::priority::{Priority, Ranked};
use super::{
    DropRule, Fractional, FractionalOptions, FractionalScheduler, OnSubmission, Packing, Periodic, Probes,
    Readings,
};
use dfrsim_cluster::{Decision, JobHandle, JobState, Scheduler, Situation, View};
use dfrsim_model::{NodeId, NodeTasks, Share, SimSpan, SimTime, Yield};
use dfrsim_packing::unequal::{TaskSize, UnequalCluster, UnequalJob};
use dfrsim_platform::classes::NodeClasses;

/// A fractional policy on any nodes.
#[derive(Debug)]
pub(crate) struct WithClasses {
    plain: FractionalScheduler,
    policy: Fractional,
    options: FractionalOptions,
    unequal: Option<Box<UnequalScheduler>>,
}

impl WithClasses {
    /// The policy on a cluster of this many nodes.
    pub(crate) fn new(policy: Fractional, nodes: u32, options: FractionalOptions) -> WithClasses {
        WithClasses {
            plain: FractionalScheduler::new(policy, nodes, options),
            policy,
            options,
            unequal: None,
        }
    }

    /// Why the policy cannot decide where nodes differ.
    fn reason_against(&self, view: View<'_>) -> Option<&'static str> {
        let mcb = self.options.mcb;
        if !self.policy.is_max_min_of_the_paper() {
            Some("it knows equal nodes only")
        } else if view.has_outages() {
            Some("fractional policies do not know nodes that go down where nodes differ")
        } else if view.has_weights() {
            Some("where nodes differ, all jobs count the same")
        } else if mcb.packing != Packing::ChoosePack || mcb.drop != DropRule::Prefix {
            Some("where nodes differ, MCB packs by `cp` and leaves jobs out by `prefix`")
        } else if mcb.probes != Probes::EndsFirst
            || mcb.cpu_step.is_some()
            || self.options.readings != Readings::default()
        {
            Some("where nodes differ, fractional policies have the usual readings")
        } else {
            None
        }
    }
}

impl Scheduler for WithClasses {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        let Some(classes) = situation.view.classes() else {
            return self.plain.decide(situation, decision);
        };
        if let Some(reason) = self.reason_against(situation.view) {
            return decision.fail(reason);
        }
        let (policy, options) = (self.policy, self.options);
        let new = || Box::new(UnequalScheduler::new(policy, options, classes));
        self.unequal.get_or_insert_with(new).decide(situation, decision);
    }
}

/// The place of CPU among the dimensions: memory, CPU, and the resources of nodes.
const CPU: usize = 1;

/// What is known of a job.
#[derive(Clone, Debug, Default)]
struct Known {
    size: TaskSize,
    /// Whether a task fits a node of each class.
    allowed: Vec<bool>,
    /// The nodes of its tasks; empty if it is on none.
    on: Vec<NodeTasks>,
    /// Whether it does not fit the empty cluster.
    is_rejected: bool,
}

/// A job that left its nodes for another one, and where it was.
type Evicted = (JobHandle, Vec<NodeTasks>);

/// A fractional policy on unequal nodes.
#[derive(Debug)]
struct UnequalScheduler {
    policy: Fractional,
    options: FractionalOptions,
    cluster: UnequalCluster,
    /// The speed of each class.
    speeds: Vec<Yield>,
    /// By handle.
    jobs: Vec<Known>,
    /// What no task holds, and what tasks need at a yield of 1, of each node in each dimension.
    free: Vec<Vec<u64>>,
    load: Vec<Vec<u64>>,
    first_submission: Option<SimTime>,
}

fn cluster(classes: &NodeClasses) -> UnequalCluster {
    let one = u64::from(Share::ONE.units());
    let capacities: Vec<Vec<u64>> = classes
        .classes()
        .iter()
        .map(|class| {
            let resources = class.amounts.iter().map(|&amount| u64::from(amount) * one);
            [class.memory, class.cpu].into_iter().chain(resources).collect()
        })
        .collect();
    let resources = (0..classes.resources().len()).map(|place| {
        let amounts = classes.classes().iter().map(|class| u64::from(class.amounts[place]));
        amounts.max().unwrap_or(1) * one
    });
    let wholes = [one, one].into_iter().chain(resources).collect();
    let class_of = (0..classes.nodes()).map(|node| classes.class_of(node)).collect();
    UnequalCluster::new(capacities, wholes, class_of)
}

impl UnequalScheduler {
    fn new(policy: Fractional, options: FractionalOptions, classes: &NodeClasses) -> UnequalScheduler {
        let cluster = cluster(classes);
        let free: Vec<Vec<u64>> = (0..cluster.nodes()).map(|node| cluster.capacity(node).to_vec()).collect();
        let load = free.iter().map(|all| vec![0; all.len()]).collect();
        let speeds = classes.classes().iter().map(|class| class.speed).collect();
        UnequalScheduler {
            policy,
            options,
            cluster,
            speeds,
            jobs: Vec::new(),
            free,
            load,
            first_submission: None,
        }
    }

    fn learn(&mut self, view: View<'_>, handle: JobHandle) {
        let (job, mut size) = (view.job(handle), TaskSize::default());
        size.fixed = vec![u64::from(job.memory().units()), 0];
        size.fluid = vec![0, u64::from(job.cpu_need().units())];
        let (classes, demand) = (view.classes(), view.demand(handle));
        for (resource, asked) in classes
            .into_iter()
            .flat_map(NodeClasses::resources)
            .zip(demand.into_iter().flat_map(|it| &it.resources))
        {
            size.fixed.push(asked.held(resource.sharing));
            size.fluid.push(asked.usable(resource.sharing));
        }
        let count = classes.map_or(0, |classes| classes.classes().len());
        let allowed: Vec<bool> = (0..count).map(|class| view.fits(handle, class)).collect();
        if self.jobs.len() <= handle.index() {
            self.jobs.resize_with(handle.index() + 1, Known::default);
        }
        let rooms =
            (0..self.cluster.nodes()).filter(|&node| allowed[self.cluster.class_of(node)]).map(|node| {
                let rooms = self.cluster.capacity(node).iter().zip(&size.fixed);
                let rooms = rooms.filter_map(|(whole, held)| whole.checked_div(*held));
                rooms.fold(u64::from(job.tasks()), u64::min)
            });
        let is_rejected = rooms.sum::<u64>() < u64::from(job.tasks());
        self.jobs[handle.index()] = Known { size, allowed, on: Vec::new(), is_rejected };
    }

    fn runs(&self, job: JobHandle) -> bool {
        !self.jobs[job.index()].on.is_empty()
    }

    /// How many tasks of a job a node has room for.
    fn room_on(&self, job: &Known, node: usize, tasks: u32) -> u32 {
        if !job.allowed[self.cluster.class_of(node)] {
            return 0;
        }
        let rooms =
            self.free[node].iter().zip(&job.size.fixed).filter_map(|(free, held)| free.checked_div(*held));
        rooms.fold(tasks, |most, room| room.min(u64::from(most)) as u32)
    }
    /// Whether the nodes have room for all tasks of a job: then and only then does Greedy place them.
    fn has_room(&self, view: View<'_>, handle: JobHandle) -> bool {
        let (job, tasks) = (&self.jobs[handle.index()], view.job(handle).tasks());
        let rooms = (0..self.cluster.nodes()).map(|node| u64::from(self.room_on(job, node, tasks)));
        rooms.sum::<u64>() >= u64::from(tasks)
    }

    fn change(&mut self, job: JobHandle, on: &[NodeTasks], comes: bool) {
        let size = &self.jobs[job.index()].size;
        for &NodeTasks { node, tasks } in on {
            let (free, load) = (&mut self.free[node.index()], &mut self.load[node.index()]);
            for dimension in 0..free.len() {
                let held = size.fixed[dimension] * u64::from(tasks);
                let need = size.fluid[dimension] * u64::from(tasks);
                if comes {
                    (free[dimension], load[dimension]) = (free[dimension] - held, load[dimension] + need);
                } else {
                    (free[dimension], load[dimension]) = (free[dimension] + held, load[dimension] - need);
                }
            }
        }
    }
    /// The job goes to these nodes.
    fn put(&mut self, job: JobHandle, on: Vec<NodeTasks>) {
        self.change(job, &on, true);
        self.jobs[job.index()].on = on;
    }
    /// The job leaves its nodes; returns them.
    fn take_off(&mut self, job: JobHandle) -> Vec<NodeTasks> {
        let on = std::mem::take(&mut self.jobs[job.index()].on);
        self.change(job, &on, false);
        on
    }

    /// How slowly a further task of a size progresses on a node, if all tasks there get the same yield, and how much the node is loaded.
    fn slowness(&self, size: &TaskSize, node: usize) -> (f64, f64) {
        let capacity = self.cluster.capacity(node);
        let loads = (0..capacity.len()).filter(|&dimension| size.fluid[dimension] > 0).map(|dimension| {
            (self.load[node][dimension] + size.fluid[dimension]) as f64 / capacity[dimension] as f64
        });
        let of_others = self.load[node][CPU] as f64 / capacity[CPU] as f64;
        let load = loads.fold(of_others, f64::max);
        (load.max(1.0) / self.speeds[self.cluster.class_of(node)].as_f64(), load)
    }

    /// Places all tasks of a job that is on no node by Greedy; whether they fit.
    fn place(&mut self, view: View<'_>, handle: JobHandle) -> bool {
        if !self.has_room(view, handle) {
            return false;
        }
        let job = self.jobs[handle.index()].clone();
        let mut on: Vec<NodeTasks> = Vec::new();
        for _ in 0..view.job(handle).tasks() {
            let fitting = (0..self.cluster.nodes()).filter(|&node| self.room_on(&job, node, 1) > 0);
            let slowness = |node: usize| self.slowness(&job.size, node);
            let best = fitting
                .map(|node| (slowness(node), node))
                .min_by(|(a, _), (b, _)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
            let (_, node) = best.expect("there is room");
            let task = [NodeTasks { node: NodeId(node as u32), tasks: 1 }];
            self.change(handle, &task, true);
            match on.binary_search_by_key(&task[0].node, |part| part.node) {
                Ok(place) => on[place].tasks += 1,
                Err(place) => on.insert(place, task[0]),
            }
        }
        self.jobs[handle.index()].on = on;
        true
    }

    /// Jobs by decreasing priority.
    fn ranked(&self, view: View<'_>, jobs: impl Iterator<Item = JobHandle>) -> Vec<JobHandle> {
        let priority = Priority::new(&self.policy, &self.options);
        let jobs = jobs.filter(|job| !self.jobs[job.index()].is_rejected);
        let mut ranked: Vec<Ranked> = jobs.map(|job| Ranked::of(priority, view, job)).collect();
        ranked.sort_unstable_by(|a, b| b.cmp(a));
        ranked.iter().map(Ranked::job).collect()
    }

    /// Starts waiting and paused jobs that were submitted before a place in the order, by decreasing priority, where Greedy finds room.
    fn start_waiting(&mut self, view: View<'_>, before: u64) {
        let all = view.jobs().iter().copied();
        let waiting = all.filter(|&job| !self.runs(job) && view.job(job).sequence() < before);
        for job in self.ranked(view, waiting) {
            self.place(view, job);
        }
    }

    fn admit(&mut self, view: View<'_>, job: JobHandle) {
        match self.policy.on_submission {
            OnSubmission::Nothing | OnSubmission::Mcb => {}
            OnSubmission::Greedy => _ = self.place(view, job),
            OnSubmission::GreedyP | OnSubmission::GreedyPM => {
                if !self.place(view, job)
                    && let Some(evicted) = self.make_room(view, job)
                    && self.policy.on_submission == OnSubmission::GreedyPM
                {
                    evicted.into_iter().for_each(|(other, _)| _ = self.place(view, other));
                }
            }
        }
    }

    /// Takes jobs of low priority off their nodes, places the job, and returns those that stay off, by decreasing priority; `None` if it
    /// does not fit even without all others.
    fn make_room(&mut self, view: View<'_>, job: JobHandle) -> Option<Vec<Evicted>> {
        let running = view.jobs().iter().copied().filter(|&other| self.runs(other));
        let mut lowest_first = self.ranked(view, running).into_iter().rev();
        let mut evicted: Vec<Evicted> = Vec::new();
        while !self.has_room(view, job) {
            let Some(other) = lowest_first.next() else {
                evicted.into_iter().rev().for_each(|(other, on)| self.put(other, on));
                return None;
            };
            let on = self.take_off(other);
            evicted.push((other, on));
        }
        evicted.reverse();
        evicted.retain(|(other, on)| {
            self.put(*other, on.clone());
            let fits_beside = self.has_room(view, job);
            if !fits_beside {
                self.take_off(*other);
            }
            !fits_beside
        });
        let placed = self.place(view, job);
        debug_assert!(placed, "room was made");
        Some(evicted)
    }

    /// Maps all jobs again.
    fn remap(&mut self, view: View<'_>) {
        let ranked = self.ranked(view, view.jobs().iter().copied());
        let limit = self.policy.remap_limit;
        let jobs: Vec<UnequalJob<'_>> = ranked
            .iter()
            .map(|&handle| {
                let (job, known) = (view.job(handle), &self.jobs[handle.index()]);
                let is_pinned = !known.on.is_empty() && limit.pins(job, self.policy.extensions);
                UnequalJob {
                    tasks: job.tasks(),
                    size: &known.size,
                    allowed: &known.allowed,
                    sequence: job.sequence(),
                    pinned: is_pinned.then_some(&known.on[..]),
                }
            })
            .collect();
        let placements = self.cluster.map(&jobs, self.options.mcb);
        for &job in &ranked {
            self.take_off(job);
        }
        for (&job, on) in ranked.iter().zip(placements) {
            self.put(job, on);
        }
    }

    /// Gives out what is shared, and decides what makes the cluster's mapping this one.
    fn conclude(&self, view: View<'_>, decision: &mut Decision) {
        let placed: Vec<JobHandle> = view.jobs().iter().copied().filter(|&job| self.runs(job)).collect();
        let shared =
            placed.iter().map(|job| &self.jobs[job.index()]).map(|known| (&known.size, &known.on[..]));
        let yields = self.cluster.max_min(&shared.collect::<Vec<_>>());
        let mut yields = yields.into_iter();
        for &handle in view.jobs() {
            let (job, on) = (view.job(handle), &self.jobs[handle.index()].on);
            if on.is_empty() {
                if job.state() == JobState::Running {
                    decision.pause(handle);
                }
                continue;
            }
            let job_yield = yields.next().expect("there is a yield for each placed job");
            match job.state() {
                JobState::Waiting => decision.start(handle, on, job_yield),
                JobState::Paused => decision.resume(handle, on, job_yield),
                JobState::Running if job.placement() != &on[..] => decision.migrate(handle, on, job_yield),
                JobState::Running if job.current_yield() != job_yield => {
                    decision.set_yield(handle, job_yield);
                }
                _ => {}
            }
        }
    }

    /// The whole periods that have passed since the first submission, and what is left of them; `None` without ticks.
    fn periods(&self, now: SimTime) -> Option<(SimTime, u64, u64)> {
        let first = self.first_submission.filter(|_| self.policy.periodic != Periodic::Nothing)?;
        let (since, period) = (now.since(first).micros(), self.options.period.micros());
        Some((first, since / period, since % period))
    }
}

impl Scheduler for UnequalScheduler {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        let view = situation.view;
        let now = view.now();
        for &job in situation.completed {
            self.take_off(job);
        }
        let mut submitted = Vec::with_capacity(situation.submitted.len());
        for &job in situation.submitted {
            self.first_submission.get_or_insert(now);
            self.learn(view, job);
            if self.jobs[job.index()].is_rejected {
                decision.reject(job);
            } else {
                submitted.push(job);
            }
        }
        let new_from = submitted.first().map_or(u64::MAX, |&job| view.job(job).sequence());
        let by_mcb = self.policy.on_submission == OnSubmission::Mcb;
        let completed = self.policy.opportunistic && !situation.completed.is_empty();
        if completed && !by_mcb {
            self.start_waiting(view, new_from);
        }
        for &job in &submitted {
            self.admit(view, job);
        }
        let tick = self.periods(now).is_some_and(|(_, passed, rest)| passed > 0 && rest == 0);
        if (tick || by_mcb && (completed || !submitted.is_empty())) && !view.jobs().is_empty() {
            self.remap(view);
        }
        self.conclude(view, decision);
        if let Some((first, passed, _)) = self.periods(now).filter(|_| !view.jobs().is_empty()) {
            let span = SimSpan::from_micros((passed + 1).saturating_mul(self.options.period.micros()));
            decision.wake_at(first.saturating_add(span));
        }
    }
}
