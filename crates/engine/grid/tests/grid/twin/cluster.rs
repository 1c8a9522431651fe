//! One cluster, slow and obvious: lists of reservations, holes found by trying, everything from scratch.

use dfrsim_grid::{ClusterSpec, GridJob, LocalPolicy};

/// A job that holds cores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub(crate) job: usize,
    pub(crate) start: u64,
    width: u32,
    /// The end of its walltime.
    expected: u64,
    /// When it really ends.
    pub(crate) end: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct TwinCluster {
    pub(crate) spec: ClusterSpec,
    local: LocalPolicy,
    pub(crate) running: Vec<Held>,
    /// The waiting jobs; of use with conservative backfilling are their reservations.
    pub(crate) queue: Vec<(usize, Option<u64>)>,
    freed: bool,
}

impl TwinCluster {
    pub(crate) fn new(spec: &ClusterSpec, local: LocalPolicy) -> TwinCluster {
        TwinCluster { spec: spec.clone(), local, running: Vec::new(), queue: Vec::new(), freed: false }
    }
    pub(crate) fn span(&self, micros: u64) -> u64 {
        (micros * 1_000).div_ceil(u64::from(self.spec.speed.thousandths()))
    }
    pub(crate) fn walltime(&self, job: &GridJob) -> u64 {
        self.span(job.walltime.micros())
    }

    /// Takes out what ends at this moment.
    pub(crate) fn end(&mut self, now: u64) -> Vec<Held> {
        let (ended, going) = self.running.iter().partition(|held| held.end == now);
        self.running = going;
        let ended: Vec<Held> = ended;
        self.freed |= ended.iter().any(|held| held.expected > now);
        ended
    }
    pub(crate) fn submit(&mut self, job: usize) {
        self.queue.push((job, None));
    }
    pub(crate) fn cancel(&mut self, job: usize) {
        self.queue.retain(|&(other, _)| other != job);
        self.freed = true;
    }

    fn free(&self) -> u32 {
        self.spec.cores - self.running.iter().map(|held| held.width).sum::<u32>()
    }
    fn start(&mut self, now: u64, jobs: &[GridJob], job: usize) {
        self.queue.retain(|&(other, _)| other != job);
        let spec = &jobs[job];
        self.running.push(Held {
            job,
            start: now,
            width: spec.width,
            expected: now + self.walltime(spec),
            end: now + self.span(spec.run.min(spec.walltime).micros()),
        });
    }

    /// One pass; the jobs that start.
    pub(crate) fn pass(&mut self, now: u64, jobs: &[GridJob]) -> Vec<usize> {
        let before: Vec<usize> = self.queue.iter().map(|&(job, _)| job).collect();
        match self.local {
            LocalPolicy::Fcfs => self.start_heads(now, jobs),
            LocalPolicy::Easy => self.easy(now, jobs),
            LocalPolicy::Conservative | LocalPolicy::ConservativeReplan => {
                if std::mem::take(&mut self.freed) {
                    if self.local == LocalPolicy::ConservativeReplan {
                        self.queue.iter_mut().for_each(|(_, start)| *start = None);
                    }
                    for at in 0..self.queue.len() {
                        if let (job, Some(_)) = self.queue[at] {
                            self.queue[at].1 = None;
                            self.queue[at].1 = Some(self.hole(now, now, jobs, &jobs[job], &self.reserved()));
                        }
                    }
                }
                for at in 0..self.queue.len() {
                    if let (job, None) = self.queue[at] {
                        self.queue[at].1 = Some(self.hole(now, now, jobs, &jobs[job], &self.reserved()));
                    }
                }
                for (job, start) in self.queue.clone() {
                    if start == Some(now) {
                        self.start(now, jobs, job);
                    }
                }
            }
        }
        before.into_iter().filter(|&job| self.running.iter().any(|held| held.job == job)).collect()
    }
    fn start_heads(&mut self, now: u64, jobs: &[GridJob]) {
        while let Some(&(head, _)) = self.queue.first().filter(|&&(head, _)| jobs[head].width <= self.free())
        {
            self.start(now, jobs, head);
        }
    }
    fn easy(&mut self, now: u64, jobs: &[GridJob]) {
        self.start_heads(now, jobs);
        let Some(&(head, _)) = self.queue.first() else { return };
        // Each backfilled job is tried against the reservation of the head as it would be with it.
        for (job, _) in self.queue.clone().into_iter().skip(1) {
            if jobs[job].width > self.free() {
                continue;
            }
            let promised = self.hole(now, now, jobs, &jobs[head], &[]);
            let mut with = self.clone();
            with.start(now, jobs, job);
            if with.hole(now, now, jobs, &jobs[head], &[]) <= promised {
                self.start(now, jobs, job);
            }
        }
    }

    /// Reservations of waiting jobs: job, start.
    fn reserved(&self) -> Vec<(usize, u64)> {
        self.queue.iter().filter_map(|&(job, start)| Some((job, start?))).collect()
    }

    /// The first moment from `from` on at which a job finds its cores for its walltime beside the running jobs and these
    /// reservations.
    fn hole(&self, now: u64, from: u64, jobs: &[GridJob], job: &GridJob, reserved: &[(usize, u64)]) -> u64 {
        let running = self.running.iter().map(|held| (held.width, now, held.expected));
        let waiting =
            reserved.iter().map(|&(job, start)| (jobs[job].width, start, start + self.walltime(&jobs[job])));
        let taken: Vec<(u32, u64, u64)> = running.chain(waiting).collect();
        let free_at = |time: u64| {
            let used: u32 =
                taken.iter().filter(|&&(_, start, end)| start <= time && time < end).map(|each| each.0).sum();
            self.spec.cores - used
        };
        let fits = |&start: &u64| {
            let end = start + self.walltime(job);
            let inside = taken.iter().map(|&(_, time, _)| time).filter(|&time| start < time && time < end);
            inside.chain([start]).all(|time| free_at(time) >= job.width)
        };
        let ends = taken.iter().map(|&(_, _, end)| end).filter(|&end| end > from);
        ends.chain([from]).filter(fits).min().unwrap()
    }

    /// The waiting jobs with their expected starts.
    pub(crate) fn plan(&self, now: u64, jobs: &[GridJob]) -> Vec<(usize, u64)> {
        let mut plan = Vec::new();
        for &(job, start) in &self.queue {
            let start = match (self.local, start) {
                (LocalPolicy::Conservative | LocalPolicy::ConservativeReplan, start) => start.unwrap(),
                _ => self.behind(now, jobs, &jobs[job], &plan),
            };
            plan.push((job, start));
        }
        plan
    }
    /// When a job starts behind those of the plan.
    fn behind(&self, now: u64, jobs: &[GridJob], job: &GridJob, plan: &[(usize, u64)]) -> u64 {
        let from = match (self.local, plan.last()) {
            (LocalPolicy::Fcfs, Some(&(_, last))) => last,
            _ => now,
        };
        self.hole(now, from, jobs, job, plan)
    }
    /// When a job would end if it were submitted now.
    pub(crate) fn end_if_submitted(&self, now: u64, jobs: &[GridJob], job: &GridJob) -> u64 {
        self.behind(now, jobs, job, &self.plan(now, jobs)) + self.walltime(job)
    }
    /// When something happens by itself after now.
    pub(crate) fn next(&self, now: u64) -> Option<u64> {
        let starts = self.queue.iter().filter_map(|&(_, start)| start);
        self.running.iter().map(|held| held.end).chain(starts).filter(|&time| time > now).min()
    }
}
