//! Gang scheduling.

use super::free_nodes::Place;
use super::seen::{Decided, SeenJob, Situation, State};
use crate::Phase;
use dfrsim_model::Yield;

/// Length of a turn in microseconds.
const TURN: u64 = 60_000_000;

/// Row whose turn it is, and the time when the turn began.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turn {
    row: usize,
    since: u64,
}

impl Turn {
    /// Recomputes a decision, and passes the turn on if it is over.
    pub(super) fn decide(&mut self, situation: &Situation<'_>) -> Decided {
        let Situation { now, jobs, .. } = *situation;
        let mut decided = Decided::default();
        let (mut rows, mut memory): (Vec<Vec<(u64, Place)>>, _) = (Vec::new(), situation.nodes());
        for (&number, job) in jobs.iter().filter(|(_, job)| job.is_running()) {
            rows.resize(rows.len().max(job.row + 1), Vec::new());
            rows[job.row].push((number, job.state.place.clone()));
            memory.take_memory(job.size(), &job.state.place);
        }
        for (&number, job) in jobs.iter().filter(|(_, job)| !job.is_running()) {
            let beside = |row: &[(u64, Place)]| {
                let mut free = memory.clone();
                row.iter().for_each(|(other, on)| free.take_cpu(jobs[other].size(), on));
                free
            };
            let new = rows.len();
            let found = (0..=new).find_map(|row| {
                let mut free = beside(rows.get(row).map_or(&[], Vec::as_slice));
                Some((row, free.place(job.size(), job.tasks)?))
            });
            if let Some((row, on)) = found {
                memory.take_memory(job.size(), &on);
                rows.resize(new.max(row + 1), Vec::new());
                rows[row].push((number, on));
                decided.rows.insert(number, row);
            }
        }
        self.pass_on(&rows, now);
        let mut free = memory.clone();
        let count = rows.len();
        let in_turn = (0..count).flat_map(|step| &rows[(self.row + step) % count]);
        for (number, on) in in_turn {
            let job: &SeenJob = &jobs[number];
            let found = job.first_level(|size| free.has_cpu(size, on));
            let level = found.unwrap_or(job.state.level);
            if found.is_some() {
                free.take_cpu(job.at(level), on);
            }
            let job_yield = if found.is_some() { Yield::ONE.units() } else { 0 };
            let (phase, place) = (Phase::Running, on.clone());
            decided.changed.insert(*number, State { phase, place, job_yield, level });
        }
        let has_others = rows.iter().filter(|row| !row.is_empty()).count() > 1;
        let turn = has_others.then(|| self.since.saturating_add(TURN));
        let step = situation.next_step.filter(|_| !jobs.is_empty());
        decided.wake = turn.into_iter().chain(step).min();
        decided
    }

    /// Gives the turn to the next row with a job, if the turn of this one is over.
    fn pass_on(&mut self, rows: &[Vec<(u64, Place)>], now: u64) {
        let has_jobs = |row: &usize| rows.get(*row).is_some_and(|row| !row.is_empty());
        if has_jobs(&self.row) && now < self.since.saturating_add(TURN) {
            return;
        }
        let others = (1..=rows.len()).map(|step| (self.row + step) % rows.len());
        if let Some(row) = { others }.find(has_jobs) {
            *self = Turn { row, since: now };
        }
    }
}
