//! The grid once more, slow and obvious: before each choice every cluster is asked about every job that is left.

mod cluster;

use cluster::TwinCluster;
use dfrsim_grid::{Algorithm, GridJob, Heuristic, Options, Platform, Reallocation};
use std::cmp::Reverse;

/// What became of a job: cluster, start, end, moves.
pub(crate) type Fate = (usize, u64, u64, u32);

struct Twin<'a> {
    jobs: &'a [GridJob],
    clusters: Vec<TwinCluster>,
    now: u64,
    fates: Vec<Option<Fate>>,
    moves: Vec<u32>,
}

/// Minimum completion time mapping, one submission a job, with or without reallocation.
pub(crate) fn simulate(platform: &Platform, jobs: &[GridJob], options: &Options) -> Vec<Option<Fate>> {
    let clusters = platform.clusters().iter();
    let clusters = clusters.map(|spec| TwinCluster::new(spec, platform.local_of(spec))).collect();
    let mut twin = Twin { jobs, clusters, now: 0, fates: vec![None; jobs.len()], moves: vec![0; jobs.len()] };
    let mut arrivals = (0..jobs.len()).peekable();
    let period = options.reallocation.map(|each| each.period.micros());
    let mut tick = period.zip(jobs.first()).map(|(period, job)| job.submit.micros() + period);
    loop {
        let own = twin.clusters.iter().filter_map(|cluster| cluster.next(twin.now)).min();
        let arrival = arrivals.peek().map(|&job| jobs[job].submit.micros());
        let is_idle = arrival.is_none() && twin.clusters.iter().all(|cluster| cluster.queue.is_empty());
        let due = tick.filter(|_| !is_idle);
        let Some(now) = own.into_iter().chain(arrival).chain(due).min() else { return twin.fates };
        twin.now = now;
        for at in 0..twin.clusters.len() {
            for held in twin.clusters[at].end(now) {
                twin.fates[held.job] = Some((at, held.start, held.end, twin.moves[held.job]));
            }
            twin.pass(at);
        }
        while let Some(job) = arrivals.next_if(|&job| jobs[job].submit.micros() == now) {
            let fits = |&at: &usize| {
                jobs[job].home.is_none_or(|home| home as usize == at)
                    && jobs[job].width <= twin.clusters[at].spec.cores
            };
            if let Some(at) = (0..twin.clusters.len()).filter(fits).min_by_key(|&at| twin.end(job, at)) {
                twin.clusters[at].submit(job);
                twin.pass(at);
            }
        }
        if due == Some(now) {
            twin.reallocate(&options.reallocation.unwrap());
            tick = Some(now + period.unwrap());
        }
    }
}

impl Twin<'_> {
    fn pass(&mut self, at: usize) {
        self.clusters[at].pass(self.now, self.jobs);
    }
    /// When a job would end on a cluster.
    fn end(&self, job: usize, at: usize) -> u64 {
        self.clusters[at].end_if_submitted(self.now, self.jobs, &self.jobs[job])
    }
    fn eligible(&self, job: usize) -> Vec<usize> {
        (0..self.clusters.len()).filter(|&at| self.jobs[job].width <= self.clusters[at].spec.cores).collect()
    }
    /// Where a job waits and when it is expected to end there.
    fn place(&self, job: usize) -> Option<(usize, u64)> {
        self.clusters.iter().enumerate().find_map(|(at, cluster)| {
            let plan = cluster.plan(self.now, self.jobs);
            let (_, start) = plan.into_iter().find(|&(other, _)| other == job)?;
            Some((at, start + cluster.walltime(&self.jobs[job])))
        })
    }

    fn reallocate(&mut self, options: &Reallocation) {
        let mut left: Vec<usize> = (0..self.jobs.len())
            .filter(|&job| self.jobs[job].home.is_none() && self.place(job).is_some())
            .collect();
        let before: Vec<(usize, u64)> =
            (0..self.jobs.len()).map(|job| self.place(job).unwrap_or_default()).collect();
        let cancels = options.algorithm == Algorithm::With;
        if cancels {
            for &job in &left {
                self.clusters[before[job].0].cancel(job);
            }
            // Local jobs may start now.
            (0..self.clusters.len()).for_each(|at| self.pass(at));
        }
        while !left.is_empty() {
            // The place of each job: held still, or held once.
            let current = |job: usize| if cancels { Some(before[job]) } else { self.place(job) };
            left.retain(|&job| current(job).is_some());
            let Some(&job) = left.iter().min_by(|&&a, &&b| {
                self.wish(b, options.heuristic, cancels, current(b).unwrap())
                    .total_cmp(&self.wish(a, options.heuristic, cancels, current(a).unwrap()))
                    .then(a.cmp(&b))
            }) else {
                return;
            };
            left.retain(|&other| other != job);
            let (from, there) = current(job).unwrap();
            let Some((to, new)) = self.target(job, cancels, from) else { continue };
            if cancels || new + options.threshold.micros() < there {
                if !cancels {
                    self.clusters[from].cancel(job);
                    self.pass(from);
                }
                self.moves[job] += u32::from(to != from);
                self.clusters[to].submit(job);
                self.pass(to);
            }
        }
    }

    /// Where a job would go.
    fn target(&self, job: usize, cancels: bool, from: usize) -> Option<(usize, u64)> {
        let may = self.eligible(job).into_iter().filter(|&at| cancels || at != from);
        may.map(|at| (at, self.end(job, at))).min_by_key(|&(at, end)| (end, at != from, at))
    }

    /// How much a heuristic wants a job to be next. The numbers of the tests are small: floating point is exact but for
    /// quotients, and those of different fractions differ by far more than an error.
    fn wish(&self, job: usize, heuristic: Heuristic, cancels: bool, (from, there): (usize, u64)) -> f64 {
        let mut ends: Vec<u64> = (self.eligible(job).into_iter())
            .map(|at| if at == from && !cancels { there } else { self.end(job, at) })
            .collect();
        ends.sort_by_key(|&end| Reverse(end));
        let best = ends.pop().unwrap() as f64;
        let second = ends.pop();
        let gain =
            self.target(job, cancels, from).map_or(f64::NEG_INFINITY, |(_, end)| there as f64 - end as f64);
        match heuristic {
            Heuristic::Mct => 0.0,
            Heuristic::MinMin => -best,
            Heuristic::MaxMin => best,
            Heuristic::MaxGain => gain,
            Heuristic::MaxRelGain => gain / f64::from(self.jobs[job].width),
            Heuristic::Sufferage => second.map_or(f64::INFINITY, |second| second as f64 - best),
        }
    }
}
