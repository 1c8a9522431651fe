//! Collects the lives of jobs from an events file.

use super::columns::Columns;
use super::life::{Down, Life, Queued, Run, Stay};
use dfrsim_model::SimTime;
use dfrsim_plots::replay::{Change, Job, Phase, Watch};
use dfrsim_plots::{EventsFault, Window};
use std::collections::BTreeMap;

/// How much of a file is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) stays: usize,
    pub(super) runs: usize,
}

impl Limits {
    /// Some ten megabytes, which a browser has ready in a second or two.
    pub(super) const fn of_a_page() -> Limits {
        Limits { stays: 1_000_000, runs: 3_000_000 }
    }
}

/// The lives so far.
pub(super) struct Lives {
    from: u64,
    to: u64,
    limits: Limits,
    /// When there was too much to keep.
    cut: Option<u64>,
    jobs: Vec<Life>,
    stays: Vec<Stay>,
    runs: usize,
    queued: Vec<Queued>,
    downs: Vec<Down>,
    /// Since when nodes have been down.
    down: BTreeMap<u32, u64>,
    /// Jobs in the system: the place of their life, and their stay if they run.
    inside: BTreeMap<u64, (usize, Option<Stay>)>,
    first: Option<u64>,
    last: u64,
    /// Whether the window has a begin or an end of its own.
    has_from: bool,
    has_to: bool,
}

impl Lives {
    pub(super) fn new(window: Window, limits: Limits) -> Lives {
        Lives {
            from: window.from.map_or(0, SimTime::micros),
            to: window.to.map_or(u64::MAX, SimTime::micros),
            limits,
            cut: None,
            jobs: Vec::new(),
            stays: Vec::new(),
            runs: 0,
            queued: Vec::new(),
            downs: Vec::new(),
            down: BTreeMap::new(),
            inside: BTreeMap::new(),
            first: None,
            last: 0,
            has_from: window.from.is_some(),
            has_to: window.to.is_some(),
        }
    }

    /// When there was too much to keep, if there was.
    pub(super) fn cut(&self) -> Option<SimTime> {
        self.cut.map(SimTime::from_micros)
    }

    fn end_stay(&mut self, mut stay: Stay, at: u64, end: Option<Change>) {
        if stay.from < at && at > self.from && stay.from < self.to {
            stay.to = at;
            stay.end = end;
            self.runs += stay.runs.len();
            self.stays.push(stay);
        }
    }

    /// A node has been down until now; those beside it that went down and came up with it are one entry.
    fn end_down(&mut self, node: u32, from: u64, to: u64) {
        match self.downs.last_mut() {
            Some(last) if (last.first + last.nodes, last.from, last.to) == (node, from, to) => {
                last.nodes += 1;
            }
            _ => self.downs.push(Down { first: node, nodes: 1, from, to }),
        }
    }

    /// Whether an event belongs to the kept time.
    fn takes(&mut self, at: u64) -> bool {
        let is_full =
            self.stays.len().max(self.downs.len()) >= self.limits.stays || self.runs >= self.limits.runs;
        if self.cut.is_none() && is_full {
            self.cut = Some(at);
            self.to = self.to.min(at);
            self.has_to = true;
        }
        self.first.get_or_insert(at);
        if at > self.to {
            return false;
        }
        self.last = at;
        true
    }

    /// The columns; `None` if no job runs.
    pub(super) fn finish(mut self, tau: u64) -> Option<Columns> {
        let end = if self.has_to { self.to.min(self.last.max(self.from)) } else { self.last };
        for (place, stay) in std::mem::take(&mut self.inside).into_values() {
            self.jobs[place].end = end;
            if let Some(stay) = stay {
                self.end_stay(stay, end, None);
            }
        }
        if self.stays.is_empty() {
            return None;
        }
        for (node, from) in std::mem::take(&mut self.down) {
            self.end_down(node, from, u64::MAX);
        }
        // Jobs that left before the window begins are left out.
        let mut places = vec![None; self.jobs.len()];
        let mut kept = Vec::new();
        for (place, life) in self.jobs.into_iter().enumerate() {
            if life.end >= self.from {
                places[place] = Some(kept.len());
                kept.push(life);
            }
        }
        let stays = self.stays.into_iter();
        let mut stays: Vec<Stay> =
            stays.filter_map(|stay| Some(Stay { job: places[stay.job]?, ..stay })).collect();
        stays.sort_by_key(|stay| (stay.from, stay.job));
        let queued = self.queued.into_iter();
        let queued: Vec<Queued> =
            queued.filter_map(|one| Some(Queued { job: places[one.job]?, ..one })).collect();
        let from = if self.has_from { self.from } else { self.first.unwrap_or(0) };
        let shown = (from, end.max(from.saturating_add(1)));
        let within = |down: Down| Down { from: down.from.max(shown.0), to: down.to.min(shown.1), ..down };
        let mut downs: Vec<Down> =
            self.downs.into_iter().map(within).filter(|down| down.from < down.to).collect();
        downs.sort_by_key(|down| (down.from, down.first));
        Some(Columns::new(&kept, &stays, &queued, &downs, shown, tau))
    }
}

/// Nodes in order, joined where they are next to each other.
pub(super) fn runs(on: &[(u32, u32)]) -> Vec<Run> {
    let mut sorted = on.to_vec();
    sorted.sort_unstable();
    let mut runs: Vec<Run> = Vec::new();
    for (node, tasks) in sorted {
        match runs.last_mut() {
            Some(run) if run.first + run.nodes == node && run.tasks == tasks => run.nodes += 1,
            _ => runs.push(Run { first: node, nodes: 1, tasks }),
        }
    }
    runs
}

impl Watch for Lives {
    fn leave(&mut self, at: u64, job: &Job, change: Change) -> Result<(), EventsFault> {
        if !self.takes(at) {
            return Ok(());
        }
        let is_over = matches!(change, Change::Complete | Change::Kill | Change::Lose | Change::Reject);
        let Some((place, stay)) = self.inside.get_mut(&job.sequence) else { return Ok(()) };
        let place = *place;
        let has_left = job.phase == Phase::Running && change != Change::Yield;
        if let Some(stay) = stay.take_if(|_| has_left) {
            self.end_stay(stay, at, Some(change));
        }
        if is_over {
            self.inside.remove(&job.sequence);
            (self.jobs[place].end, self.jobs[place].fate) = (at, Some(change));
        }
        Ok(())
    }

    fn enter(&mut self, at: u64, job: &Job, change: Change) -> Result<(), EventsFault> {
        if !self.takes(at) {
            return Ok(());
        }
        if change == Change::Submit {
            self.inside.insert(job.sequence, (self.jobs.len(), None));
            self.jobs.push(Life {
                id: job.id,
                submit: job.submit,
                run: job.run,
                cpu_need: job.cpu_need.units(),
                end: at,
                fate: None,
            });
            return Ok(());
        }
        let Some((place, stay)) = self.inside.get_mut(&job.sequence) else { return Ok(()) };
        if job.phase != Phase::Running {
            return Ok(());
        }
        let job_yield = job.job_yield.units();
        match stay {
            Some(stay) => match stay.pieces.last_mut() {
                // Several changes at one moment are one.
                Some(piece) if piece.0 == at => piece.1 = job_yield,
                _ => stay.pieces.push((at, job_yield)),
            },
            None => {
                *stay = Some(Stay {
                    job: *place,
                    from: at,
                    to: at,
                    begin: change,
                    end: None,
                    pieces: vec![(at, job_yield)],
                    runs: runs(&job.on),
                });
            }
        }
        Ok(())
    }

    fn nodes(&mut self, at: u64, first: u32, nodes: u32, goes_down: bool) -> Result<(), EventsFault> {
        // Before the first job and after the last one they are not shown.
        for node in first..first + nodes {
            if goes_down {
                self.down.insert(node, at);
            } else if let Some(from) = self.down.remove(&node)
                && at > self.from
                && from < self.to
            {
                self.end_down(node, from, at);
            }
        }
        Ok(())
    }

    fn queue(&mut self, at: u64, job: &Job, cluster: u32) -> Result<(), EventsFault> {
        let place = self.takes(at).then(|| self.inside.get(&job.sequence)).flatten();
        if let Some(&(job, _)) = place {
            self.queued.push(Queued { job, at, cluster });
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), EventsFault> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_next_to_each_other_are_one_run() {
        let run = |first, nodes, tasks| Run { first, nodes, tasks };
        assert_eq!(
            runs(&[(3, 1), (1, 1), (2, 1), (4, 2), (7, 2)]),
            [run(1, 3, 1), run(4, 1, 2), run(7, 1, 2)]
        );
        assert_eq!(runs(&[]), []);
    }
}
