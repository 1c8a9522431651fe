//! Gang scheduling: jobs take turns on the nodes, all tasks of a job at once.
//!
//! Source: J. Ousterhout, "Scheduling techniques for concurrent systems", ICDCS 1982, whose matrix
//! method this is, with alternate selection.

use dfrsim_cluster::{
    Decision, FreeNodes, JobHandle, JobState, NodeOrder, NodeRange, Placement, Scheduler, Situation, View,
};
use dfrsim_model::{SimSpan, SimTime, Yield};

/// Name of the policy.
pub(crate) const NAME: &str = "GANG";
/// Length of a turn.
const TURN: SimSpan = SimSpan::from_secs(60);

/// Scheduler that runs the rows of Ousterhout's matrix in turn.
///
/// A row is a set of jobs that have their whole CPU need at the same time. A job joins the first row
/// that has the CPU for it, or a new one, if there is memory, and waits otherwise; jobs are tried in
/// order of submission. It stays on its nodes to its end. Each row in turn runs for 60 s, and jobs of
/// the rows after it run too where that leaves CPU (alternate selection). All others keep their memory
/// at a yield of 0. Licences are held as memory is, and power under a cap as CPU is, except that of used
/// devices and sockets: of a row, only the first jobs for which the cap has power run in its turn. A job
/// that lacks power then runs at the first lower speed level at which there is enough, and keeps that
/// level. A turn ends early if its row has no jobs left.
/// A job that does not fit the empty cluster is rejected. A job that loses its nodes waits again. Nodes
/// that are down are not used; wrong CPU needs are refused.
#[derive(Debug, Default)]
pub struct GangScheduler {
    /// Row of each job, by handle.
    row_of: Vec<usize>,
    /// Row whose turn it is, and the time when the turn began.
    turn: usize,
    since: SimTime,
}

impl GangScheduler {
    /// Returns the jobs of each row, in order of submission; rows may be empty.
    fn rows(&self, view: View<'_>) -> Vec<Vec<JobHandle>> {
        let mut rows: Vec<Vec<JobHandle>> = Vec::new();
        for &job in view.jobs().iter().filter(|&&job| view.job(job).state() == JobState::Running) {
            let row = self.row_of[job.index()];
            if rows.len() <= row {
                rows.resize(row + 1, Vec::new());
            }
            rows[row].push(job);
        }
        rows
    }

    /// Returns the row whose turn it is, after a turn that is over.
    fn next_turn(&mut self, rows: &[Vec<JobHandle>], now: SimTime) {
        let is_over = rows.get(self.turn).is_none_or(Vec::is_empty) || now >= self.since + TURN;
        let mut others = (self.turn + 1..=self.turn + rows.len()).map(|row| row % rows.len());
        if is_over && let Some(next) = others.find(|row| !rows[*row].is_empty()) {
            (self.turn, self.since) = (next, now);
        }
    }
}

/// Jobs that are placed now, with their nodes.
struct Placed(Vec<(JobHandle, Vec<NodeRange>)>);

impl Placed {
    /// Returns the nodes of a job that runs or is placed now.
    fn nodes<'a>(&'a self, view: View<'a>, job: JobHandle) -> Placement<'a> {
        let new = self.0.iter().find(|(placed, _)| *placed == job);
        new.map_or_else(|| view.job(job).placement(), |(_, nodes)| Placement::new(nodes))
    }
}

impl Scheduler for GangScheduler {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        let view = situation.view;
        if !situation.discovered.is_empty() {
            decision.fail(format!("{NAME} is for exact CPU needs"));
            return;
        }
        self.row_of.resize(view.handles(), 0);
        let (all, now) = (FreeNodes::all(view), FreeNodes::empty(view));
        let (mut rows, mut memory, mut placed) = (self.rows(view), now, Placed(Vec::new()));
        for &job in rows.iter().flatten() {
            memory.occupy_memory(view, job, view.job(job).placement());
        }
        for &job in view.jobs().iter().filter(|&&job| view.job(job).state() == JobState::Waiting) {
            if !all.fits(view, job) {
                decision.reject(job);
                continue;
            }
            let joined = (0..=rows.len()).find_map(|row| {
                let mut free = memory.clone();
                for &other in rows.get(row).into_iter().flatten() {
                    free.occupy_cpu(view, other, placed.nodes(view, other));
                }
                Some((row, free.place(view, job, NodeOrder::Fullest)?))
            });
            let Some((row, nodes)) = joined else { continue };
            memory.occupy_memory(view, job, Placement::new(&nodes));
            if row == rows.len() {
                rows.push(Vec::new());
            }
            rows[row].push(job);
            self.row_of[job.index()] = row;
            placed.0.push((job, nodes));
        }
        self.next_turn(&rows, view.now());
        let mut free = memory.clone();
        let in_turn = (self.turn..self.turn + rows.len()).map(|row| row % rows.len());
        for &job in in_turn.flat_map(|row| &rows[row]) {
            let nodes = placed.nodes(view, job);
            let level = free.find_level(view, job, |free| free.has_cpu(view, job, nodes));
            if level.is_some() {
                free.occupy_cpu(view, job, nodes);
            }
            let wanted = if level.is_some() { Yield::ONE } else { Yield::ZERO };
            let own = view.job(job);
            let level = level.unwrap_or(own.level());
            if own.state() == JobState::Waiting {
                decision.start(job, nodes.ranges().iter().copied(), wanted);
                decision.at_level(level);
                memory.name_devices(job, decision);
            } else if (own.current_yield(), own.level()) != (wanted, level) {
                decision.set_yield(job, wanted);
                decision.at_level(level);
            }
        }
        let has_others = rows.iter().filter(|row| !row.is_empty()).count() > 1;
        let turn = has_others.then(|| self.since + TURN);
        let step = view.classes().and_then(|classes| classes.next_common_step(view.now()));
        let step = step.filter(|_| !view.jobs().is_empty());
        if let Some(next) = turn.into_iter().chain(step).min() {
            decision.wake_at(next);
        }
    }
}
