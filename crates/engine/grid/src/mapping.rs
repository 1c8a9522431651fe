//! Where arriving jobs go.

use crate::cluster::Cluster;
use crate::grid::Grid;
use crate::{Mapping, Observer, Options};
use dfrsim_model::{Rng, SimTime};
use rand::RngExt as _;
use std::cmp::Reverse;

pub(crate) struct Mapper {
    mapping: Mapping,
    copies: usize,
    rng: Rng,
    /// The cluster at which the next round begins.
    turn: usize,
    /// The clusters that are wide enough, the one to be chosen first; kept to reuse its memory.
    eligible: Vec<usize>,
}

impl Mapper {
    pub(crate) fn new(options: &Options) -> Mapper {
        let Options { mapping, copies, seed, .. } = *options;
        Mapper { mapping, copies, rng: seed.fork("mapping").rng(), turn: 0, eligible: Vec::new() }
    }

    /// Submits a job that arrives, or that was held.
    pub(crate) fn arrive<O: Observer>(&mut self, grid: &mut Grid<'_, O>, number: usize) {
        let job = grid.job(number);
        self.eligible.clear();
        let is_offered = |at: &usize| job.home.is_none_or(|home| home as usize == *at);
        let offered = (0..grid.clusters.len()).filter(is_offered);
        self.eligible.extend(offered.clone().filter(|&at| grid.accepts(at, number)));
        if self.eligible.is_empty() {
            let fits = offered.into_iter().any(|at| grid.could_run(at, number));
            return if fits { grid.hold(number) } else { grid.skip(number) };
        }
        let now = grid.now();
        if job.home.is_none() {
            let site = job.site.map(|site| site as usize);
            self.order(now, &mut grid.clusters, number, site);
            if self.mapping == Mapping::MinimumCompletionTime {
                grid.questions += self.eligible.len() as u64;
            }
        }
        for &at in self.eligible.iter().take(self.copies.max(1)) {
            let cluster = &mut grid.clusters[at];
            let expected = cluster.expect(now, now, cluster.demand(number));
            grid.submit(number, at, expected.end);
        }
        let is_move = |failed: usize| self.copies == 1 && failed != self.eligible[0];
        if grid.take_failed_on(number).is_some_and(is_move) {
            grid.count_move(number);
        }
        grid.settle();
    }

    /// Brings the eligible clusters into the order of preference.
    fn order(&mut self, now: SimTime, clusters: &mut [Cluster<'_>], job: usize, site: Option<usize>) {
        let count = clusters.len();
        let Mapper { eligible, rng, turn, .. } = self;
        match self.mapping {
            Mapping::Home if site.is_some_and(|site| eligible.contains(&site)) => {
                eligible.sort_by_key(|at| site != Some(*at));
            }
            Mapping::MinimumCompletionTime | Mapping::Home => {
                eligible.sort_by_cached_key(|&at| {
                    let demand = clusters[at].demand(job);
                    clusters[at].expect(now, now, demand).end
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
