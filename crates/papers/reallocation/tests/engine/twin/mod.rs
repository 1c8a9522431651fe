//! Slow and simple reference implementation of the grid: before each choice every cluster is queried
//! about every remaining job.

mod cluster;

use cluster::TwinCluster;
use dfrsim_paper_reallocation::engine::{
    Algorithm, GridJob, Heuristic, Options, Platform, Reallocation, Transfer,
};
use std::cmp::Reverse;

/// Outcome of a job: cluster, start, end, moves.
pub(crate) type Fate = (usize, u64, u64, u32);

struct Twin<'a> {
    jobs: &'a [GridJob],
    clusters: Vec<TwinCluster>,
    now: u64,
    fates: Vec<Option<Fate>>,
    moves: Vec<u32>,
    /// First cluster of each job, which has its data.
    data: Vec<Option<usize>>,
    options: Options,
}

/// Simulates minimum completion time mapping, with one submission per job, with or without
/// reallocation.
pub(crate) fn simulate(platform: &Platform, jobs: &[GridJob], options: &Options) -> Vec<Option<Fate>> {
    let clusters = platform.clusters().iter();
    let is_published = options.publication_period.is_some();
    let cluster = |spec| TwinCluster::new(spec, platform.local_of(spec), jobs.len(), is_published);
    let mut twin = Twin {
        jobs,
        clusters: clusters.map(cluster).collect(),
        now: 0,
        fates: vec![None; jobs.len()],
        moves: vec![0; jobs.len()],
        data: vec![None; jobs.len()],
        options: *options,
    };
    let mut arrivals = (0..jobs.len()).peekable();
    let mut held: Vec<(usize, Option<usize>)> = Vec::new();
    let first = jobs.first().map_or(0, |job| job.submit.micros());
    let [reallocates, publishes] = [options.reallocation.map(|each| each.period), options.publication_period]
        .map(|period| {
            move |now: u64| {
                period.is_some_and(|each| now > first && (now - first).is_multiple_of(each.micros()))
            }
        });
    let changes: Vec<(u64, usize, bool)> = (platform.outages().iter())
        .flat_map(|it| [(it.from.micros(), it.cluster, false), (it.until.micros(), it.cluster, true)])
        .collect();
    // Simulates every microsecond.
    for now in 0.. {
        let waits = twin.clusters.iter().any(|it| !it.queue.is_empty() || !it.running.is_empty());
        if arrivals.peek().is_none() && !waits && held.is_empty() {
            break;
        }
        twin.now = now;
        for at in 0..twin.clusters.len() {
            for ended in twin.clusters[at].end(now) {
                twin.fates[ended.job] = Some((at, ended.start, ended.end, twin.moves[ended.job]));
            }
        }
        let mut changed = false;
        for &(_, at, up) in changes.iter().filter(|&&(time, ..)| time == now) {
            changed = true;
            if up {
                twin.clusters[at].is_up = true;
                continue;
            }
            for job in twin.clusters[at].fail() {
                twin.data[job] = None;
                twin.clusters.iter_mut().for_each(|cluster| cluster.extra[job] = 0);
                held.push((job, Some(at)));
            }
        }
        for at in 0..twin.clusters.len() {
            twin.pass(at);
        }
        if publishes(now) {
            twin.clusters.iter_mut().for_each(|cluster| cluster.publish(now, jobs));
        }
        held.sort_unstable();
        let again = if changed { std::mem::take(&mut held) } else { Vec::new() };
        let arriving = std::iter::from_fn(|| arrivals.next_if(|&job| jobs[job].submit.micros() == now));
        for (job, failed) in again.into_iter().chain(arriving.map(|job| (job, None))) {
            if !twin.arrive(job, failed) {
                held.push((job, failed));
            }
        }
        if reallocates(now) {
            twin.reallocate(&options.reallocation.unwrap());
        }
    }
    twin.fates
}

impl Twin<'_> {
    /// Submits a job, which may have failed with a cluster; returns true if it is in a queue or fits
    /// nowhere.
    fn arrive(&mut self, job: usize, failed: Option<usize>) -> bool {
        let is_home = |&at: &usize| self.jobs[job].home.is_none_or(|home| home as usize == at);
        let fits = |&at: &usize| self.jobs[job].width <= self.clusters[at].spec.cores;
        let wide: Vec<usize> = (0..self.clusters.len()).filter(is_home).filter(fits).collect();
        let up = wide.iter().copied().filter(|&at| self.clusters[at].is_up);
        let Some(at) = up.min_by_key(|&at| self.end(job, at)) else { return wide.is_empty() };
        self.moves[job] += u32::from(failed.is_some_and(|failed| failed != at));
        self.submit(job, at);
        true
    }
    fn submit(&mut self, job: usize, at: usize) {
        let data = *self.data[job].get_or_insert(at);
        let Transfer { fixed, per_core } = self.options.transfer;
        let extra = fixed.micros() + u64::from(self.jobs[job].width) * per_core.micros();
        for (other, cluster) in self.clusters.iter_mut().enumerate() {
            cluster.extra[job] = if other == data { 0 } else { extra };
        }
        if self.jobs[job].home.is_none() {
            let start = self.clusters[at].start_if_submitted(self.now, self.jobs, job);
            self.clusters[at].note(job, start);
        }
        self.clusters[at].submit(job);
        self.pass(at);
    }
    fn pass(&mut self, at: usize) {
        self.clusters[at].pass(self.now, self.jobs);
    }
    /// Returns the expected end of a job on a cluster.
    fn end(&self, job: usize, at: usize) -> u64 {
        let cluster = &self.clusters[at];
        cluster.start_if_submitted(self.now, self.jobs, job) + cluster.walltime(self.jobs, job)
    }
    fn eligible(&self, job: usize) -> Vec<usize> {
        let accepts = |cluster: &TwinCluster| cluster.is_up && self.jobs[job].width <= cluster.spec.cores;
        (0..self.clusters.len()).filter(|&at| accepts(&self.clusters[at])).collect()
    }
    /// Returns the cluster on which a job waits, and its expected end there.
    fn place(&self, job: usize) -> Option<(usize, u64)> {
        self.clusters.iter().enumerate().find_map(|(at, cluster)| {
            let plan = cluster.known_plan(self.now, self.jobs);
            let (_, start) = plan.into_iter().find(|&(other, _)| other == job)?;
            Some((at, start + cluster.walltime(self.jobs, job)))
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
                self.clusters[before[job].0].forget(job);
            }
            // Local jobs may start now.
            (0..self.clusters.len()).for_each(|at| self.pass(at));
        }
        while !left.is_empty() {
            // The position of each job: current, or before the cancellation.
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
                    self.clusters[from].forget(job);
                    self.pass(from);
                }
                self.moves[job] += u32::from(to != from);
                self.submit(job, to);
            }
        }
    }

    /// Returns the best cluster for a job and its expected end there.
    fn target(&self, job: usize, cancels: bool, from: usize) -> Option<(usize, u64)> {
        let may = self.eligible(job).into_iter().filter(|&at| cancels || at != from);
        may.map(|at| (at, self.end(job, at))).min_by_key(|&(at, end)| (end, at != from, at))
    }

    /// Returns the priority that a heuristic gives to a job. The numbers of the tests are small, so
    /// floating point is exact except for quotients, and different fractions differ by far more than
    /// an error.
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
