//! Mapping of arriving jobs to clusters.

use crate::engine::grid::Grid;
use crate::engine::{Estimate, Mapped, Mapping, Options};
use dfrsim_model::Rng;
use rand::RngExt as _;
use std::cmp::Reverse;

pub(crate) struct Mapper {
    options: Options,
    rng: Rng,
    /// Cluster at which the next round-robin search begins.
    turn: usize,
    /// Clusters that can run the job, in order of preference; kept to reuse its memory.
    eligible: Vec<usize>,
    /// Job mapped in advance, when the one before it was submitted, and its clusters.
    mapped_ahead: Option<(usize, Vec<usize>)>,
}

impl Mapper {
    pub(crate) fn new(options: Options) -> Mapper {
        let rng = options.seed.fork("mapping").rng();
        Mapper { options, rng, turn: 0, eligible: Vec::new(), mapped_ahead: None }
    }

    /// Submits a job that arrives or was unassigned.
    pub(crate) fn map_job(&mut self, grid: &mut Grid<'_>, number: usize) {
        let job = grid.job(number);
        self.eligible.clear();
        let is_offered = |at: &usize| job.home.is_none_or(|home| home as usize == *at);
        let offered = (0..grid.clusters.len()).filter(is_offered);
        self.eligible.extend(offered.clone().filter(|&at| grid.accepts(at, number)));
        if self.eligible.is_empty() {
            let fits = offered.into_iter().any(|at| grid.could_run(at, number));
            return if fits { grid.keep_unassigned(number) } else { grid.skip(number) };
        }
        let now = grid.now();
        if job.home.is_none() {
            let ahead = self.mapped_ahead.take_if(|(job, _)| *job == number).map(|(_, clusters)| clusters);
            let chosen = ahead.filter(|clusters| self.eligible.contains(&clusters[0]));
            match chosen {
                Some(mut clusters) => {
                    clusters.retain(|at| self.eligible.contains(at));
                    self.eligible = clusters;
                }
                None => self.order(grid, number),
            }
            if self.options.mapping == Mapping::MinimumCompletionTime {
                grid.outcome.questions += self.eligible.len() as u64;
            }
        }
        for &at in self.eligible.iter().take(self.options.copies.max(1)) {
            let cluster = &mut grid.clusters[at];
            let expected = cluster.expect(now, now, cluster.demand(number));
            grid.submit(number, at, expected.end);
        }
        let is_move = |failed: usize| self.options.copies == 1 && failed != self.eligible[0];
        if grid.take_failed_on(number).is_some_and(is_move) {
            grid.count_move(number);
        }
        grid.run_pending_cycles();
        if self.options.mapped == Mapped::AtPrevious
            && let Some(next) = grid.next_mapped(number)
        {
            self.eligible.clear();
            self.eligible.extend((0..grid.clusters.len()).filter(|&at| grid.accepts(at, next)));
            if !self.eligible.is_empty() {
                self.order(grid, next);
                self.mapped_ahead = Some((next, self.eligible.clone()));
            }
        }
    }

    /// Sorts the eligible clusters by preference.
    fn order(&mut self, grid: &mut Grid<'_>, job: usize) {
        let (now, site) = (grid.now(), grid.job(job).site.map(|site| site as usize));
        let clusters = &mut grid.clusters;
        let count = clusters.len();
        let Mapper { options, eligible, rng, turn, .. } = self;
        match options.mapping {
            Mapping::Home if site.is_some_and(|site| eligible.contains(&site)) => {
                eligible.sort_by_key(|at| site != Some(*at));
            }
            Mapping::MinimumCompletionTime | Mapping::Home => {
                eligible.sort_by_cached_key(|&at| {
                    let demand = clusters[at].demand(job);
                    match options.estimate {
                        Estimate::Plan => clusters[at].expect(now, now, demand).end,
                        Estimate::FirstCore => clusters[at].expect_from_first_core(now, demand),
                    }
                });
            }
            Mapping::Random => {
                let chosen = rng.random_range(0..eligible.len());
                eligible.rotate_left(chosen);
            }
            Mapping::RoundRobin => {
                eligible.sort_by_key(|&at| (at + count - *turn) % count);
                *turn = (eligible[0] + 1) % count;
            }
            Mapping::QueueLength => eligible.sort_by_key(|&at| clusters[at].known_waiting(now)),
            Mapping::LeastWorkLeft => eligible.sort_by(|&a, &b| {
                let of = |at: usize| (clusters[at].work_left(now), u128::from(clusters[at].spec.cores));
                let ((a_work, a_cores), (b_work, b_cores)) = (of(a), of(b));
                (a_work * b_cores).cmp(&(b_work * a_cores))
            }),
            Mapping::Fastest => eligible.sort_by_key(|&at| Reverse(clusters[at].spec.speed)),
        }
    }
}
