//! Rules and effects of each record about a job.

use super::Auditor;
use super::job::{Departure, Job, Queued, Started};
use super::local::Waiting;
use super::rule::{by_plan, not_in_queue, not_running, started_on, still_waiting};
use dfrsim_audit::{Rule, records};
use dfrsim_model::event::{self, Placement};
use dfrsim_model::grid_event::Traits;
use dfrsim_model::{Share, SimSpan, SimTime, Yield};

impl Auditor {
    pub(super) fn arrive(&mut self, number: u64, width: u32, (run, walltime): (u64, u64), home: Option<u32>) {
        let expected = self.arrived;
        if number != expected {
            return self.fault(Some(number), Rule::numbering(expected));
        }
        if width == 0 || run == 0 {
            self.fault(Some(number), records::EMPTY);
        }
        let arrived = self.now;
        if number == 0 {
            self.publication = self.period.map(|period| arrived.saturating_add(period));
        }
        self.arrived += 1;
        self.jobs.insert(number, Job { arrived, width, run, walltime, home, ..Job::default() });
        self.unsettled.push(number);
    }

    pub(super) fn skip(&mut self, number: u64) {
        match self.jobs.remove(&number) {
            None => self.fault(Some(number), Rule::absent("skip", false)),
            Some(job) if self.fits_on_one(&job, |_| true) => {
                self.fault(Some(number), "it is skipped, although it fits on a cluster");
            }
            Some(_) => self.report.skipped += 1,
        }
    }

    /// Handles the submission of a job to a cluster: `expected` is the completion time by the
    /// cluster, `known` the one by the meta-scheduler.
    pub(super) fn submit(&mut self, number: u64, at: u32, (expected, known): (u64, Option<u64>)) {
        let job = self.jobs.get_mut(&number).expect("it is there");
        let cluster = &mut self.clusters[at as usize];
        let mut rules = Vec::<String>::new();
        if cluster.failed {
            rules.push(format!("cluster {at} has failed"));
        }
        if let Some(Started { cluster, .. }) = job.started {
            rules.push(started_on(cluster));
        }
        if job.width > cluster.cores {
            let (width, cores) = (job.width, cluster.cores);
            rules.push(format!("its {width} cores exceed the {cores} of cluster {at}"));
        }
        if job.queues.iter().any(|queued| queued.cluster == at) {
            rules.push(format!("it is already in the queue of cluster {at}"));
        }
        if job.queues.len() >= self.copies as usize {
            rules.push(format!("it is in more than {} queues", self.copies));
        }
        let moves = job.left.is_some_and(|left| !left.is_forced);
        if let Some(home) = job.home.filter(|&home| home != at || moves) {
            rules.push(format!("it is a local job of cluster {home}, but is submitted elsewhere or again"));
        }
        if let Some(left) = job.left.filter(|_| self.copies == 1) {
            self.report.moves += u64::from(left.cluster != at);
            let gains = |threshold: u64| {
                let new = known.unwrap_or(expected);
                let gain = left.expected.map_or(0, |before| before.saturating_sub(new));
                left.at == self.now && left.cluster != at && gain > threshold
            };
            let threshold = self.threshold.filter(|_| moves);
            if let Some(threshold) = threshold.filter(|&threshold| !gains(threshold)) {
                let threshold = SimSpan::from_micros(threshold);
                rules.push(format!(
                    "it moves, although it is not expected to end more than {threshold} s earlier"
                ));
            }
        }
        let data = *job.data.get_or_insert(at);
        let transfer = if data == at { 0 } else { transfer_of(self.transfer, job.width) };
        let walltime = cluster.scaled_time(job.walltime).saturating_add(transfer);
        let least = self.now.saturating_add(walltime);
        let place = cluster.enqueue(Waiting { job: number, width: job.width, walltime });
        let start = cluster.plan(self.now).and_then(|starts| starts.get(&place).copied());
        let planned = start.map(|start| start.saturating_add(walltime));
        if let Some(planned) = planned.filter(|&planned| planned != expected) {
            rules.push(by_plan(planned));
        } else if expected < least {
            let least = SimTime::from_micros(least);
            rules.push(format!(
                "it cannot be expected to end before {least} s, the end of its time limit if it starts now"
            ));
        }
        if self.period.is_none() && known.is_some() {
            let rule = "the meta-scheduler knows current states, so it must expect the same completion time as the cluster";
            rules.push(rule.to_owned());
        }
        if self.period.is_some() && job.home.is_none() && known.is_none() {
            let rule = "the meta-scheduler knows published states only, so what it expects must be recorded";
            rules.push(rule.to_owned());
        }
        if let Some(book) = cluster.book.as_mut().filter(|_| job.home.is_none()) {
            let start = book.start(self.now, (job.width, walltime));
            book.insert(number, start, (job.width, walltime));
            rules.extend(check_known_end(known, start.saturating_add(walltime)));
        }
        cluster.touched = true;
        let run_us = cluster.scaled_time(job.run).saturating_add(transfer);
        let traits = job.traits.unwrap_or(DEFAULT_TRAITS);
        let record = event::Record::Submit {
            at_us: self.now,
            job: place,
            id: number,
            tasks: job.width,
            cpu_need: traits.cpu_need,
            memory: traits.memory,
            run_us,
            estimate_us: Some(walltime),
            user: traits.user,
            group: traits.group,
            queue: traits.queue,
            partition: traits.partition,
        };
        cluster.local.record_at(self.line, &record);
        job.queues.push(Queued { cluster: at, place, expected });
        rules.into_iter().for_each(|rule| self.fault(Some(number), rule));
    }

    pub(super) fn cancel(&mut self, number: u64, at: u32, expected: Option<u64>) {
        let job = self.jobs.get_mut(&number).expect("it is there");
        let Some(queued) = job.leave(at) else {
            return self.fault(Some(number), not_in_queue(at));
        };
        let cluster = &mut self.clusters[at as usize];
        let is_forced = cluster.failed;
        cluster.local.withdraw(self.line, self.now, queued.place);
        job.left = Some(Departure { cluster: at, at: self.now, expected, is_forced });
        if is_forced && job.queues.is_empty() && job.started.is_none() {
            job.data = None;
        }
        let known = cluster.book.as_mut().and_then(|book| book.remove(self.now, number));
        let walltime = cluster.queue.get(&queued.place).map_or(0, |waiting| waiting.walltime);
        let mut rule = known
            .filter(|_| expected.is_some())
            .and_then(|start| check_known_end(expected, start.saturating_add(walltime)));
        // Cancellations of one series free their cores together.
        let before = cluster.cancelled_in.take().filter(|(series, _)| *series == self.series);
        let (_, starts) = before.unwrap_or_else(|| {
            let starts = cluster.starts(self.now).into_iter().flatten();
            (self.series, starts.map(|(waiting, start)| (waiting.job, start)).collect())
        });
        let planned = starts.get(&number).filter(|_| self.period.is_none());
        let planned = planned.map(|start| start.saturating_add(walltime));
        if let Some(planned) = planned.filter(|&planned| expected.is_some_and(|it| it != planned)) {
            rule = Some(by_plan(planned));
        }
        cluster.cancelled_in = Some((self.series, starts));
        cluster.queue.remove(&queued.place);
        cluster.touched = true;
        cluster.reservations.remove(queued.place);
        cluster.reservations.note_freed();
        self.report.cancellations += 1;
        self.unsettled.push(number);
        rule.into_iter().for_each(|rule| self.fault(Some(number), rule));
    }

    pub(super) fn start(&mut self, number: u64, at: u32, on: (&Placement<'_>, Option<u32>)) {
        let job = self.jobs.get_mut(&number).expect("it is there");
        let again = job.started.as_mut().filter(|started| started.cluster == at && started.is_requeued);
        if let Some(started) = again {
            started.is_requeued = false;
            let cluster = &mut self.clusters[at as usize];
            cluster.local.record_at(self.line, &start_record(self.now, started.place, on));
            return;
        }
        if let Some(Started { cluster, .. }) = job.started {
            return self.fault(Some(number), started_on(cluster));
        }
        let Some(queued) = job.leave(at) else {
            return self.fault(Some(number), not_in_queue(at));
        };
        let cluster = &mut self.clusters[at as usize];
        cluster.local.record_at(self.line, &start_record(self.now, queued.place, on));
        let Queued { place, expected, .. } = queued;
        job.started = Some(Started { cluster: at, place, expected, is_requeued: false });
        if let (Some(_), Some(waiting)) = (cluster.policy, cluster.queue.get(&queued.place).copied()) {
            cluster.reserve(self.now);
            cluster.running.insert(number, self.now.saturating_add(waiting.walltime), waiting.width);
        }
        cluster.queue.remove(&queued.place);
        cluster.reservations.remove(queued.place);
        cluster.touched = true;
        self.unsettled.push(number);
    }

    pub(super) fn complete(&mut self, number: u64, at: u32) {
        let job = self.jobs.get(&number).expect("it is there");
        let Some(Started { place, expected, .. }) = job.started.filter(|started| started.cluster == at)
        else {
            return self.fault(Some(number), not_running(at));
        };
        let cluster = &mut self.clusters[at as usize];
        cluster.local.record_at(self.line, &event::Record::Complete { at_us: self.now, job: place });
        if cluster.running.remove(number).is_some_and(|end| end > self.now) {
            cluster.reservations.note_freed();
        }
        cluster.touched = true;
        let promises = cluster.promises;
        self.turnaround += u128::from(self.now - job.arrived);
        self.report.completed += 1;
        if !job.queues.is_empty() {
            let queues = job.queues.len();
            self.fault(Some(number), still_waiting(queues));
        }
        if promises && self.now > expected {
            let promised = SimTime::from_micros(expected);
            self.fault(Some(number), format!("it was guaranteed to end at {promised} s at the latest"));
        }
        self.jobs.remove(&number);
    }
}

/// Default attributes of a job.
const DEFAULT_TRAITS: Traits =
    Traits { cpu_need: Share::ONE.units(), memory: 0, user: None, group: None, queue: None, partition: None };

fn start_record<'a>(at_us: u64, job: u64, (on, level): (&Placement<'a>, Option<u32>)) -> event::Record<'a> {
    event::Record::Start { at_us, job, on: on.clone(), job_yield: Yield::ONE.units(), level }
}

/// Computes the transfer time of a job's data.
fn transfer_of((fixed, per_core): (u64, u64), width: u32) -> u64 {
    fixed.saturating_add(per_core.saturating_mul(width.into()))
}

/// Checks the completion time that the meta-scheduler expects against the published state.
fn check_known_end(found: Option<u64>, known: u64) -> Option<String> {
    let moment = |end: u64| format!("an end at {} s", SimTime::from_micros(end));
    (found != Some(known)).then(|| {
        let (expects, known) = (found.map_or("no end".to_owned(), moment), SimTime::from_micros(known));
        format!("the meta-scheduler expects {expects}; by the published state it is {known} s")
    })
}
