//! CONS over a list of reservations; the earliest hole is found by trying.

use super::{SECOND, State, Twin};
use dfrsim_policies::batch::Compression;

pub(crate) struct Conservative {
    compression: Compression,
    /// The planned start of each waiting job, by submission.
    plan: Vec<(usize, u64)>,
    overdue: bool,
    /// The start that each job was given first.
    promises: Vec<(usize, u64)>,
}

struct Reservation {
    start: u64,
    end: u64,
    width: u32,
}

impl Conservative {
    pub(crate) fn new(compression: Compression) -> Conservative {
        Conservative { compression, plan: Vec::new(), overdue: false, promises: Vec::new() }
    }

    /// The jobs that hold nodes over time: the running jobs and the planned ones.
    fn reservations(&self, state: &State<'_>) -> Vec<Reservation> {
        let running = state.running.iter().map(|&running| Reservation {
            start: state.now,
            end: state.expected_end(running),
            width: state.jobs[running.0].width,
        });
        let planned = self.plan.iter().map(|&(job, start)| Reservation {
            start,
            end: start.saturating_add(state.jobs[job].estimate),
            width: state.jobs[job].width,
        });
        running.chain(planned).collect()
    }

    /// The first moment from which the job finds its nodes free for as long as its estimate. Nodes come free at
    /// ends of reservations only, so no other moment but now can be the first.
    fn earliest_hole(&self, state: &State<'_>, job: usize) -> u64 {
        let reservations = self.reservations(state);
        let width = state.jobs[job].width;
        let free_at = |time: u64| {
            let there = reservations.iter().filter(|taken| taken.start <= time && time < taken.end);
            state.nodes - there.map(|taken| taken.width).sum::<u32>()
        };
        let fits = |&start: &u64| {
            let end = start.saturating_add(state.jobs[job].estimate);
            // Nodes become taken at starts of reservations only.
            let within =
                reservations.iter().map(|taken| taken.start).filter(|&time| start < time && time < end);
            within.chain([start]).all(|time| free_at(time) >= width)
        };
        let candidates = reservations.iter().map(|taken| taken.end).chain([state.now]);
        candidates.filter(fits).min().unwrap()
    }

    fn plan_again(&mut self, state: &State<'_>) {
        self.plan.clear();
        self.plan_arrived(state);
    }

    fn plan_arrived(&mut self, state: &State<'_>) {
        for &job in &state.queue {
            if self.plan.iter().all(|&(planned, _)| planned != job) {
                let start = self.earliest_hole(state, job);
                self.plan.push((job, start));
                if self.promises.iter().all(|&(promised, _)| promised != job) {
                    self.promises.push((job, start));
                }
            }
        }
    }

    fn compress(&mut self, state: &State<'_>) {
        for at in 0..self.plan.len() {
            let (job, _) = self.plan.remove(at);
            let start = self.earliest_hole(state, job);
            self.plan.insert(at, (job, start));
        }
    }
}

impl Twin for Conservative {
    fn pass(&mut self, state: &mut State<'_>) -> Option<u64> {
        let was_overdue = self.overdue;
        self.overdue = state.running.iter().any(|&running| state.estimated_end(running) <= state.now);
        if self.overdue || was_overdue {
            self.plan_again(state);
        } else if state.ended_early {
            match self.compression {
                Compression::OneByOne => self.compress(state),
                Compression::Replan => self.plan_again(state),
            }
        }
        self.plan_arrived(state);
        for (job, start) in std::mem::take(&mut self.plan) {
            if start == state.now {
                state.start(job);
            } else {
                self.plan.push((job, start));
            }
        }
        let not_before = if self.overdue { state.now + SECOND } else { state.now };
        let starts = self.plan.iter().map(|&(_, start)| start);
        starts.filter(|&start| start > not_before && start < u64::MAX).min()
    }

    fn promises(&self) -> Vec<(usize, u64)> {
        self.promises.clone()
    }
}
