//! EASY/SPARE: EASY as it is in the simulator of the dissertation's author (vcsim, M. Stillwell,
//! 2010, `results/scripts/sim.py`).
//!
//! The queue head has a reservation of specific nodes: among those that are free at the shadow time,
//! the ones that become free last. It keeps them until all of them are free, and then starts. Other
//! jobs start, in queue order, if they fit into the nodes that are free and not reserved, however
//! short they are; EASY would also start jobs on reserved nodes if they end before the shadow time.
//! The time of a reservation is unknown to the program until its job starts, and in Python 2 no
//! number is less than or equal to an unknown one, so the rule for short jobs never applies. The
//! published figures of EASY are those of this policy.
//!
//! Nodes may differ, fail, and have maintenance windows. The reservation is cancelled when nodes
//! fail or come back or a window is announced, and when the job could start but would overlap a
//! window. A job that has exceeded its estimate is expected to end one second from now.
//!
//! The policy is the one that was published, and no variant of it: each task has a node of its own,
//! the queue is in the order of submission, and a site's settings are refused.

mod groups;

use dfrsim_cluster::{Decision, JobHandle, JobState, Scheduler, Situation, View};
use dfrsim_model::{NodeId, NodeTasks, SimSpan, SimTime, Yield};
use dfrsim_policies::CustomPolicy;
use groups::{Allocation, Groups};

/// Name of the policy.
pub(crate) const NAME: &str = "EASY/SPARE";

/// Assumed remaining time of a job that has exceeded its estimate.
const OVERRUN_EXTENSION: SimSpan = SimSpan::from_secs(1);

/// Returns the policy EASY/SPARE.
pub(crate) fn easy_spare() -> CustomPolicy {
    let description = "a reservation of certain nodes, for the head of the queue; \
                       others start on the nodes that it leaves; queue by arrival";
    CustomPolicy::new(NAME, "1", |_, _, site| {
        let has_site = site.is_some_and(|settings| !settings.is_plain());
        Box::new(EasySpare { has_site, ..EasySpare::default() })
    })
    .described(description)
}

/// Job that occupies nodes, as the policy tracks it.
#[derive(Debug)]
struct RunningJob {
    job: JobHandle,
    sequence: u64,
    /// End by the estimate.
    end: SimTime,
    on: Vec<u32>,
    nodes: Allocation,
}

/// The queue head and its nodes.
#[derive(Debug)]
struct Reservation {
    job: JobHandle,
    /// Reserved nodes of no running job.
    nodes: Allocation,
    /// Reserved nodes that running jobs still use.
    awaited: Vec<(JobHandle, Allocation)>,
}

#[derive(Debug, Default)]
struct EasySpare {
    has_site: bool,
    groups: Groups,
    /// Version of the platform for which the groups are valid.
    platform_version: Option<u64>,
    /// Waiting jobs without a reservation, in the order of submission.
    queue: Vec<JobHandle>,
    running: Vec<RunningJob>,
    reservation: Option<Reservation>,
}

impl EasySpare {
    fn enqueue(&mut self, view: View<'_>, job: JobHandle) {
        let sequence = view.job(job).sequence();
        let at = self.queue.partition_point(|&other| view.job(other).sequence() < sequence);
        self.queue.insert(at, job);
    }

    /// Releases the nodes of a job that ran. Nodes that the reservation awaited stay reserved.
    fn release(&mut self, job: JobHandle) {
        let Some(at) = self.running.iter().position(|run| run.job == job) else { return };
        let run = self.running.swap_remove(at);
        self.groups.release(&run.on, &run.nodes);
        if let Some(Reservation { nodes, awaited, .. }) = &mut self.reservation
            && let Some(at) = awaited.iter().position(|(other, _)| *other == job)
        {
            let (_, released) = awaited.swap_remove(at);
            add_all(nodes, &released);
        }
    }

    /// Groups the nodes again if the platform has changed, and cancels the reservation.
    fn update_groups(&mut self, view: View<'_>) {
        let version = Some(view.platform_changes());
        if std::mem::replace(&mut self.platform_version, version) == version {
            return;
        }
        self.groups = Groups::new(view);
        self.running.iter_mut().for_each(|run| run.nodes = self.groups.occupy(&run.on));
        if let Some(cancelled) = self.reservation.take() {
            self.enqueue(view, cancelled.job);
        }
    }

    fn start(&mut self, view: View<'_>, job: JobHandle, mut nodes: Allocation, decision: &mut Decision) {
        let end = self.groups.end(view, job, view.now(), &nodes);
        let on = self.groups.allocate(&nodes);
        let tasks = on.iter().map(|&node| NodeTasks { node: NodeId(node), tasks: 1 });
        decision.start(job, tasks, Yield::ONE);
        nodes.sort_unstable();
        self.running.push(RunningJob { job, sequence: view.job(job).sequence(), end, on, nodes });
    }

    /// Starts the job of the reservation if all of its nodes are free; cancels the reservation if it
    /// would then overlap a window.
    fn start_reserved(&mut self, view: View<'_>, decision: &mut Decision) {
        let is_ready = |it: &mut Reservation| it.awaited.is_empty() && self.groups.are_free(&it.nodes);
        let Some(Reservation { job, nodes, .. }) = self.reservation.take_if(is_ready) else { return };
        let end = self.groups.end(view, job, view.now(), &nodes);
        if self.groups.are_open(&nodes, view.now(), end) {
            self.start(view, job, nodes, decision);
        } else {
            self.enqueue(view, job);
        }
    }

    /// Returns the number of nodes of each group that are free and not reserved.
    fn spare(&self) -> Vec<u32> {
        let mut spare = self.groups.free();
        for &(at, nodes) in self.reservation.iter().flat_map(|it| &it.nodes) {
            spare[at] = spare[at].saturating_sub(nodes);
        }
        spare
    }

    /// Starts waiting jobs on nodes that are not reserved. The first one that cannot start gets a
    /// reservation, if no job has one.
    fn start_on_spare_nodes(&mut self, view: View<'_>, decision: &mut Decision) {
        let (mut at, mut has_head, mut spare) = (0, self.reservation.is_some(), self.spare());
        while let Some(&job) = self.queue.get(at) {
            if let Some(slot) = self.groups.find_slot(view, job, view.now(), &spare) {
                let nodes = self.groups.choose(view, job, slot, view.job(job).tasks(), &spare);
                self.queue.remove(at);
                self.start(view, job, nodes, decision);
                spare = self.spare();
            } else if has_head {
                at += 1;
            } else {
                has_head = true;
                self.reservation = self.reserve(view, job);
                match self.reservation {
                    Some(_) => _ = self.queue.remove(at),
                    None => at += 1,
                }
                spare = self.spare();
            }
        }
    }

    /// Returns the running jobs with the times at which they are expected to release their nodes, in
    /// the order of these times.
    fn releases(&self, now: SimTime) -> Vec<(SimTime, &RunningJob)> {
        let release = |run: &RunningJob| {
            let end = if run.end <= now { now.saturating_add(OVERRUN_EXTENSION) } else { run.end };
            self.groups.release_time(now, end, &run.nodes)
        };
        let mut releases: Vec<_> = self.running.iter().map(|run| (release(run), run)).collect();
        releases.sort_by_key(|(end, run)| (*end, run.sequence));
        releases
    }

    /// Selects the nodes of a reservation: of those that the job can use at the shadow time, the
    /// ones that become free last. Returns `None` if there is no such time.
    fn reserve(&self, view: View<'_>, job: JobHandle) -> Option<Reservation> {
        let releases = self.releases(view.now());
        let (mut free, mut time, mut released) = (self.groups.free(), view.now(), 0);
        let slot = loop {
            while let Some((_, run)) = releases.get(released).filter(|(end, _)| *end <= time) {
                run.nodes.iter().for_each(|&(at, nodes)| free[at] += nodes);
                released += 1;
            }
            if let Some(slot) = self.groups.find_slot(view, job, time, &free) {
                break slot;
            }
            let next = releases.get(released).map(|(end, _)| *end);
            time = next.into_iter().chain(self.groups.next_opening(time)).min()?;
        };
        let mut usable = self.groups.usable(view, job, slot, &free);
        let (mut missing, mut awaited) = (view.job(job).tasks(), Vec::new());
        for (_, run) in releases[..released].iter().rev() {
            let mut taken = Allocation::new();
            for &(at, nodes) in &run.nodes {
                let nodes = nodes.min(usable[at]).min(missing);
                (usable[at], missing) = (usable[at] - nodes, missing - nodes);
                taken.extend((nodes > 0).then_some((at, nodes)));
            }
            awaited.extend((!taken.is_empty()).then_some((run.job, taken)));
        }
        let nodes = self.groups.choose(view, job, slot, missing, &usable);
        Some(Reservation { job, nodes, awaited })
    }
}

/// Adds nodes to an allocation.
fn add_all(nodes: &mut Allocation, more: &Allocation) {
    for &(group, count) in more {
        match nodes.iter_mut().find(|(other, _)| *other == group) {
            Some((_, sum)) => *sum += count,
            None => nodes.push((group, count)),
        }
    }
}

impl Scheduler for EasySpare {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        if self.has_site {
            return decision.fail(format!("{NAME} has no rules for the settings of a site"));
        }
        let view = situation.view;
        situation.completed.iter().for_each(|&job| self.release(job));
        for interrupted in situation.interrupted {
            self.release(interrupted.job);
            if view.job(interrupted.job).state() == JobState::Waiting {
                self.enqueue(view, interrupted.job);
            }
        }
        self.update_groups(view);
        for &job in situation.submitted {
            if self.groups.eligible_nodes(view, job) < view.job(job).tasks() as usize {
                decision.reject(job);
            } else {
                self.enqueue(view, job);
            }
        }
        self.start_reserved(view, decision);
        self.start_on_spare_nodes(view, decision);
    }
}
