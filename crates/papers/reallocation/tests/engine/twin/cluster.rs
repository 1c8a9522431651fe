//! Slow and simple model of one cluster: lists of reservations, holes found by trying, everything
//! computed from scratch.

use dfrsim_paper_reallocation::engine::{Backfilling, BatchPolicy, ClusterSpec, Compression, GridJob};

/// A running job.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub(crate) job: usize,
    pub(crate) start: u64,
    width: u32,
    /// End of its walltime.
    expected: u64,
    /// Actual end.
    pub(crate) end: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct TwinCluster {
    pub(crate) spec: ClusterSpec,
    local: Backfilling,
    pub(crate) running: Vec<Held>,
    /// Waiting jobs, with their reservations under conservative backfilling.
    pub(crate) queue: Vec<(usize, Option<u64>)>,
    freed: bool,
    /// Additional time of each job here, for its data transfer.
    pub(crate) extra: Vec<u64>,
    /// Allocated cores as known to the meta-scheduler, if it does not query the cluster.
    pub(crate) known: Option<Vec<Known>>,
    pub(crate) is_up: bool,
}

/// Allocated cores as far as the meta-scheduler knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    job: usize,
    /// True if the job is waiting.
    waits: bool,
    start: u64,
}

impl TwinCluster {
    pub(crate) fn new(
        spec: &ClusterSpec,
        local: BatchPolicy,
        jobs: usize,
        is_published: bool,
    ) -> TwinCluster {
        TwinCluster {
            spec: spec.clone(),
            local: local.backfilling,
            running: Vec::new(),
            queue: Vec::new(),
            freed: false,
            extra: vec![0; jobs],
            known: is_published.then(Vec::new),
            is_up: true,
        }
    }
    pub(crate) fn span(&self, micros: u64) -> u64 {
        (micros * 1_000).div_ceil(u64::from(self.spec.speed.thousandths()))
    }
    pub(crate) fn walltime(&self, jobs: &[GridJob], job: usize) -> u64 {
        self.span(jobs[job].walltime.micros()) + self.extra[job]
    }
    /// Removes all jobs, as the cluster fails, and returns them.
    pub(crate) fn fail(&mut self) -> Vec<usize> {
        let running = self.running.drain(..).map(|held| held.job);
        let left = running.chain(self.queue.drain(..).map(|(job, _)| job)).collect();
        (self.freed, self.is_up) = (false, false);
        if let Some(known) = &mut self.known {
            known.clear();
        }
        left
    }
    pub(crate) fn publish(&mut self, now: u64, jobs: &[GridJob]) {
        let running =
            self.running.iter().map(|held| Known { job: held.job, waits: false, start: held.start });
        let waiting = self.plan(now, jobs).into_iter().map(|(job, start)| Known { job, waits: true, start });
        self.known = Some(running.chain(waiting).collect());
    }

    /// Removes and returns the jobs that end now.
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
            expected: now + self.walltime(jobs, job),
            end: now + self.span(spec.run.min(spec.walltime).micros()) + self.extra[job],
        });
    }

    /// Runs one scheduling pass, and returns the jobs that start.
    pub(crate) fn pass(&mut self, now: u64, jobs: &[GridJob]) -> Vec<usize> {
        let before: Vec<usize> = self.queue.iter().map(|&(job, _)| job).collect();
        match self.local {
            Backfilling::Fcfs => self.start_heads(now, jobs),
            Backfilling::Easy => self.easy(now, jobs),
            Backfilling::FirstFit | Backfilling::TwoQueues | Backfilling::Slurm => {
                unreachable!("it is not in the twin")
            }
            Backfilling::Conservative(compression) => {
                if std::mem::take(&mut self.freed) {
                    if compression == Compression::Replan {
                        self.queue.iter_mut().for_each(|(_, start)| *start = None);
                    }
                    for at in 0..self.queue.len() {
                        if let (job, Some(_)) = self.queue[at] {
                            self.queue[at].1 = None;
                            self.queue[at].1 = Some(self.hole(now, now, jobs, job, &self.reserved()));
                        }
                    }
                }
                for at in 0..self.queue.len() {
                    if let (job, None) = self.queue[at] {
                        self.queue[at].1 = Some(self.hole(now, now, jobs, job, &self.reserved()));
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
        // Each candidate is checked against the head's reservation as it would be with the candidate
        // running.
        for (job, _) in self.queue.clone().into_iter().skip(1) {
            if jobs[job].width > self.free() {
                continue;
            }
            let promised = self.hole(now, now, jobs, head, &[]);
            let mut with = self.clone();
            with.start(now, jobs, job);
            if with.hole(now, now, jobs, head, &[]) <= promised {
                self.start(now, jobs, job);
            }
        }
    }

    /// Returns the reservations of waiting jobs as (job, start).
    fn reserved(&self) -> Vec<(usize, u64)> {
        self.queue.iter().filter_map(|&(job, start)| Some((job, start?))).collect()
    }

    /// Returns the first time from `from` on at which a job fits for its walltime, given the running
    /// jobs and these reservations.
    fn hole(&self, now: u64, from: u64, jobs: &[GridJob], job: usize, reserved: &[(usize, u64)]) -> u64 {
        let running = self.running.iter().map(|held| (held.width, now, held.expected));
        let waiting =
            reserved.iter().map(|&(job, start)| (jobs[job].width, start, start + self.walltime(jobs, job)));
        self.hole_beside(from, jobs, job, &running.chain(waiting).collect::<Vec<_>>())
    }
    /// Returns the first time from `from` on at which a job fits, given allocated cores as (cores,
    /// start, end).
    fn hole_beside(&self, from: u64, jobs: &[GridJob], job: usize, taken: &[(u32, u64, u64)]) -> u64 {
        let free_at = |time: u64| {
            let used: u32 =
                taken.iter().filter(|&&(_, start, end)| start <= time && time < end).map(|each| each.0).sum();
            self.spec.cores - used
        };
        let fits = |&start: &u64| {
            let end = start + self.walltime(jobs, job);
            let inside = taken.iter().map(|&(_, time, _)| time).filter(|&time| start < time && time < end);
            inside.chain([start]).all(|time| free_at(time) >= jobs[job].width)
        };
        let ends = taken.iter().map(|&(_, _, end)| end).filter(|&end| end > from);
        ends.chain([from]).filter(fits).min().unwrap()
    }

    /// Returns the waiting jobs with their expected starts.
    pub(crate) fn plan(&self, now: u64, jobs: &[GridJob]) -> Vec<(usize, u64)> {
        let mut plan = Vec::new();
        for &(job, start) in &self.queue {
            let start = match (self.local, start) {
                (Backfilling::Conservative(_), start) => start.unwrap(),
                _ => self.behind(now, jobs, job, &plan),
            };
            plan.push((job, start));
        }
        plan
    }
    /// Returns the start of a job behind those of the plan.
    fn behind(&self, now: u64, jobs: &[GridJob], job: usize, plan: &[(usize, u64)]) -> u64 {
        let from = match (self.local, plan.last()) {
            (Backfilling::Fcfs, Some(&(_, last))) => last,
            _ => now,
        };
        self.hole(now, from, jobs, job, plan)
    }
    /// Returns the start of a job if it were submitted now, as far as is known.
    pub(crate) fn start_if_submitted(&self, now: u64, jobs: &[GridJob], job: usize) -> u64 {
        let Some(known) = &self.known else {
            return self.behind(now, jobs, job, &self.plan(now, jobs));
        };
        let last = known.iter().filter(|known| known.waits && self.local == Backfilling::Fcfs);
        let from = last.map(|known| known.start).max().unwrap_or(now).max(now);
        let taken = known
            .iter()
            .map(|known| (jobs[known.job].width, known.start, known.start + self.walltime(jobs, known.job)));
        self.hole_beside(from, jobs, job, &taken.collect::<Vec<_>>())
    }
    /// Records the expected start of a job in the meta-scheduler's knowledge.
    pub(crate) fn note(&mut self, job: usize, start: u64) {
        if let Some(known) = &mut self.known {
            known.push(Known { job, waits: true, start });
        }
    }
    /// Removes a job from the meta-scheduler's knowledge.
    pub(crate) fn forget(&mut self, job: usize) {
        if let Some(known) = &mut self.known {
            known.retain(|known| known.job != job);
        }
    }
    /// Returns the known start of each waiting job.
    pub(crate) fn known_plan(&self, now: u64, jobs: &[GridJob]) -> Vec<(usize, u64)> {
        let mut plan = self.plan(now, jobs);
        for (job, start) in &mut plan {
            let note = self.known.iter().flatten().find(|known| known.job == *job);
            *start = note.map_or(*start, |known| known.start.max(now));
        }
        plan
    }
}
