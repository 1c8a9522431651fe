//! Follows a grid record by record.

use super::GridRule;
use super::cluster::Cluster;
use super::job::{Job, Left, Queued, Started};
use crate::lines::{Lines, malformed};
use crate::{AuditError, Fault, Faults, Rule};
use dfrsim_model::grid_event::{FORMAT_VERSION, Record};
use dfrsim_model::{SimSpan, SimTime};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::BufRead;

/// The figures of a grid's record in which no fault was found, all recomputed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The local policy.
    pub local: String,
    /// How many clusters there are.
    pub clusters: usize,
    /// Jobs that ended.
    pub completed: u64,
    /// Jobs that fit nowhere.
    pub skipped: u64,
    /// How often a job was submitted to another cluster than the one on which it waited before; 0 if jobs wait on
    /// several.
    pub moves: u64,
    /// How often a job left a queue without starting.
    pub cancellations: u64,
}

impl fmt::Display for Report {
    /// A few lines for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} clusters with {}: no fault", self.clusters, self.local)?;
        write!(
            f,
            "{} jobs completed, {} fit nowhere; {} moves, {} cancellations",
            self.completed, self.skipped, self.moves, self.cancellations
        )
    }
}

/// Checks a file of records (see the [module's page](super)).
///
/// # Errors
/// [`AuditError::Faults`] with every rule that is broken, [`AuditError::Io`] if the file cannot be read to its end.
pub fn audit(reader: impl BufRead) -> Result<Report, AuditError> {
    let mut lines = Lines::new(reader);
    let first = lines.next()?.filter(|text| !text.is_empty()).map_or(Err(Rule::NoRun), parse);
    let mut auditor = match first {
        Ok(record) => Auditor::begin(&record)?,
        Err(rule) => return Err(Faults::from(Fault { line: 1, at: None, job: None, rule }).into()),
    };
    while let Some(text) = lines.next()? {
        match parse(text) {
            Ok(record) => auditor.record(&record),
            Err(rule) => {
                auditor.line += 1;
                auditor.fault(None, rule);
            }
        }
    }
    Ok(auditor.finish()?)
}

fn parse(text: &[u8]) -> Result<Record<'_>, Rule> {
    serde_json::from_slice(text).map_err(|error| malformed(&error))
}

/// Checks records as they come.
#[derive(Debug)]
pub struct Auditor {
    local: String,
    promises: bool,
    copies: u32,
    threshold: Option<u64>,
    clusters: Vec<Cluster>,
    faults: Faults,
    /// The line at hand.
    line: u64,
    now: u64,
    /// The jobs in the system.
    jobs: BTreeMap<u64, Job>,
    arrived: u64,
    /// Jobs that are in no queue, or in queues though they have started: to be settled within the moment.
    unsettled: BTreeSet<u64>,
    completed: u64,
    skipped: u64,
    moves: u64,
    cancellations: u64,
    response: u128,
    finished: bool,
}

impl Auditor {
    /// Begins with the first record, without which the others mean nothing.
    ///
    /// # Errors
    /// If it is no `run` record, or one of another format.
    pub fn begin(first: &Record<'_>) -> Result<Auditor, Faults> {
        let rule = match first {
            Record::Run { format, .. } if *format != FORMAT_VERSION => {
                Rule::Format { found: *format, known: FORMAT_VERSION }
            }
            Record::Run { local, promises, copies, threshold_us, clusters, .. } => {
                let mut auditor = Auditor {
                    local: local.clone().into_owned(),
                    promises: *promises,
                    copies: *copies,
                    threshold: *threshold_us,
                    clusters: clusters.iter().copied().map(Cluster::new).collect(),
                    faults: Faults::default(),
                    line: 1,
                    now: 0,
                    jobs: BTreeMap::new(),
                    arrived: 0,
                    unsettled: BTreeSet::new(),
                    completed: 0,
                    skipped: 0,
                    moves: 0,
                    cancellations: 0,
                    response: 0,
                    finished: false,
                };
                for (cluster, spec) in clusters.iter().enumerate() {
                    if spec.cores == 0 || spec.speed == 0 {
                        auditor.fault(None, GridRule::EmptyCluster { cluster });
                        // Nothing can be computed on it.
                        return Err(auditor.faults);
                    }
                }
                return Ok(auditor);
            }
            _ => Rule::NoRun,
        };
        Err(Faults::from(Fault { line: 1, at: None, job: None, rule }))
    }

    /// The next record.
    pub fn record(&mut self, record: &Record<'_>) {
        self.line += 1;
        if self.finished {
            return self.fault(None, Rule::AfterSummary);
        }
        match *record {
            Record::Run { .. } => self.fault(None, Rule::SecondRun),
            Record::Arrive { at_us, job, width, run_us, walltime_us, .. } => {
                self.advance(at_us);
                self.arrive(job, width, run_us.min(walltime_us));
            }
            Record::Skip { at_us, job } => {
                self.advance(at_us);
                self.skip(job);
            }
            Record::Submit { at_us, job, cluster, expected_us } => {
                self.advance(at_us);
                self.within(job, cluster, "submit", |auditor| auditor.submit(job, cluster, expected_us));
            }
            Record::Cancel { at_us, job, cluster, expected_us } => {
                self.advance(at_us);
                self.within(job, cluster, "cancel", |auditor| auditor.cancel(job, cluster, expected_us));
            }
            Record::Start { at_us, job, cluster } => {
                self.advance(at_us);
                self.within(job, cluster, "start", |auditor| auditor.start(job, cluster));
            }
            Record::Complete { at_us, job, cluster } => {
                self.advance(at_us);
                self.within(job, cluster, "complete", |auditor| auditor.complete(job, cluster));
            }
            Record::Summary { completed, skipped, moves, cancellations, response_us } => {
                self.summary([completed, skipped, moves, cancellations].map(u128::from), response_us);
            }
        }
    }

    /// The report, if there was no fault.
    ///
    /// # Errors
    /// Every rule that was broken, [`Rule::NoSummary`] if the last record is missing.
    pub fn finish(mut self) -> Result<Report, Faults> {
        if !self.finished {
            self.line += 1;
            self.fault(None, Rule::NoSummary);
        }
        if self.faults.count() > 0 {
            return Err(self.faults);
        }
        let Auditor { local, clusters, completed, skipped, moves, cancellations, .. } = self;
        Ok(Report { local, clusters: clusters.len(), completed, skipped, moves, cancellations })
    }

    fn fault(&mut self, job: Option<u64>, rule: impl Into<Rule>) {
        let at = Some(SimTime::from_micros(self.now)).filter(|_| self.line > 1);
        self.faults.push(Fault { line: self.line, at, job, rule: rule.into() });
    }

    fn advance(&mut self, at: u64) {
        if at < self.now {
            let before = SimTime::from_micros(self.now);
            return self.fault(None, Rule::TimeBackwards { before });
        }
        if at > self.now {
            self.settle();
            self.now = at;
        }
    }

    /// What must hold when a moment is over.
    fn settle(&mut self) {
        for number in std::mem::take(&mut self.unsettled) {
            let Some(job) = self.jobs.get(&number) else { continue };
            match (job.started, job.queues.len()) {
                (None, 0) => {
                    self.fault(Some(number), GridRule::Nowhere { since: SimTime::from_micros(self.now) });
                }
                (Some(_), queues @ 1..) => self.fault(Some(number), GridRule::StillWaiting { queues }),
                _ => {}
            }
        }
    }

    /// Follows a record about a job and a cluster that must both be there.
    fn within(&mut self, job: u64, cluster: u32, record: &'static str, follow: impl FnOnce(&mut Auditor)) {
        if cluster as usize >= self.clusters.len() {
            let clusters = self.clusters.len();
            self.fault(Some(job), GridRule::NoSuchCluster { cluster, clusters });
        } else if self.jobs.contains_key(&job) {
            follow(self);
        } else if job < self.arrived {
            self.fault(Some(job), Rule::Gone { record });
        } else {
            self.fault(Some(job), Rule::Unknown { record });
        }
    }

    fn arrive(&mut self, number: u64, width: u32, run: u64) {
        if number != self.arrived {
            let expected = self.arrived;
            return self.fault(Some(number), Rule::Numbering { expected });
        }
        self.arrived += 1;
        if width == 0 || run == 0 {
            self.fault(Some(number), Rule::Empty);
        }
        let arrived = self.now;
        self.jobs.insert(number, Job { arrived, width, run, queues: Vec::new(), left: None, started: None });
        self.unsettled.insert(number);
    }

    fn skip(&mut self, number: u64) {
        match self.jobs.remove(&number) {
            None => self.fault(Some(number), Rule::Unknown { record: "skip" }),
            Some(job) if self.clusters.iter().any(|cluster| job.width <= cluster.cores) => {
                self.fault(Some(number), GridRule::WouldFit);
            }
            Some(_) => self.skipped += 1,
        }
    }

    fn submit(&mut self, number: u64, at: u32, expected: u64) {
        let job = self.jobs.get_mut(&number).expect("it is there");
        let cluster = &mut self.clusters[at as usize];
        let mut rules = Vec::<GridRule>::new();
        if let Some(Started { cluster, .. }) = job.started {
            rules.push(GridRule::Started { cluster });
        }
        if job.width > cluster.cores {
            rules.push(GridRule::TooWide { width: job.width, cluster: at, cores: cluster.cores });
        }
        if job.queues.iter().any(|queued| queued.cluster == at) {
            rules.push(GridRule::InQueue { cluster: at });
        }
        if job.queues.len() >= self.copies as usize {
            rules.push(GridRule::Copies { copies: self.copies });
        }
        if let Some(left) = job.left.filter(|_| self.copies == 1) {
            self.moves += u64::from(left.cluster != at);
            let gains = |threshold: u64| {
                let gain = left.expected.map_or(0, |before| before.saturating_sub(expected));
                left.at == self.now && left.cluster != at && gain > threshold
            };
            if let Some(threshold) = self.threshold.filter(|&threshold| !gains(threshold)) {
                rules.push(GridRule::Gain { threshold: SimSpan::from_micros(threshold) });
            }
        }
        job.queues.push(Queued { cluster: at, place: cluster.join(number), expected });
        rules.into_iter().for_each(|rule| self.fault(Some(number), rule));
    }

    fn cancel(&mut self, number: u64, at: u32, expected: Option<u64>) {
        let job = self.jobs.get_mut(&number).expect("it is there");
        let Some(queued) = job.leave(at) else {
            return self.fault(Some(number), GridRule::NotInQueue { cluster: at });
        };
        job.left = Some(Left { cluster: at, at: self.now, expected });
        self.clusters[at as usize].queue.remove(&queued.place);
        self.cancellations += 1;
        self.unsettled.insert(number);
    }

    fn start(&mut self, number: u64, at: u32) {
        let job = self.jobs.get_mut(&number).expect("it is there");
        if let Some(Started { cluster, .. }) = job.started {
            return self.fault(Some(number), GridRule::Started { cluster });
        }
        let Some(queued) = job.leave(at) else {
            return self.fault(Some(number), GridRule::NotInQueue { cluster: at });
        };
        let cluster = &mut self.clusters[at as usize];
        let due = self.now.saturating_add(cluster.time_of(job.run));
        job.started = Some(Started { cluster: at, due, expected: queued.expected });
        let first = cluster.queue.first_key_value().map(|(_, &first)| first);
        cluster.queue.remove(&queued.place);
        cluster.used += u64::from(job.width);
        let (used, cores) = (cluster.used, cluster.cores);
        self.unsettled.insert(number);
        if let Some(first) = first.filter(|&first| first != number && self.local == "FCFS") {
            self.fault(Some(number), GridRule::OutOfTurn { first, cluster: at });
        }
        if used > u64::from(cores) {
            self.fault(Some(number), GridRule::Cores { cluster: at, used, cores });
        }
    }

    fn complete(&mut self, number: u64, at: u32) {
        let job = &self.jobs[&number];
        let Some(Started { due, expected, .. }) = job.started.filter(|started| started.cluster == at) else {
            return self.fault(Some(number), GridRule::NotRunning { cluster: at });
        };
        self.clusters[at as usize].used -= u64::from(job.width);
        self.response += u128::from(self.now - job.arrived);
        self.completed += 1;
        if !job.queues.is_empty() {
            let queues = job.queues.len();
            self.fault(Some(number), GridRule::StillWaiting { queues });
        }
        if self.now != due {
            self.fault(Some(number), GridRule::End { due: SimTime::from_micros(due) });
        }
        if self.promises && self.now > expected {
            self.fault(Some(number), GridRule::Promise { promised: SimTime::from_micros(expected) });
        }
        self.jobs.remove(&number);
    }

    fn summary(&mut self, told: [u128; 4], response: u64) {
        self.settle();
        self.finished = true;
        let left: Vec<(u64, bool)> =
            self.jobs.iter().map(|(&number, job)| (number, job.started.is_some())).collect();
        for (number, started) in left {
            let phase = if started { crate::Phase::Running } else { crate::Phase::Waiting };
            self.fault(Some(number), Rule::Unfinished { phase });
        }
        let moves = if self.copies == 1 { self.moves } else { 0 };
        let counted = [self.completed, self.skipped, moves, self.cancellations].map(u128::from);
        let names = ["completed", "skipped", "moves", "cancellations"];
        let figures =
            names.into_iter().zip(told).zip(counted).map(|((name, told), counted)| (name, told, counted));
        for (figure, found, expected) in
            figures.chain([("response_us", response.into(), self.response.min(u64::MAX.into()))])
        {
            if found != expected {
                self.fault(None, GridRule::Summary { figure, found, expected });
            }
        }
    }
}
