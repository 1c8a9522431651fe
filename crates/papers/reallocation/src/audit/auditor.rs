//! Auditor that follows a grid record by record.

use super::GridReport;
use super::cluster::Cluster;
use super::job::Job;
use super::local::{checkable_scheme, guarantees_end};
use super::rule::{publication, still_waiting};
use dfrsim_audit::{Fault, Faults, Rule, records};
use dfrsim_model::SimTime;
use dfrsim_model::grid_event::{FORMAT_VERSION, Record};
use std::collections::BTreeMap;

/// Auditor of the records of a grid.
#[derive(Debug, Default)]
pub struct Auditor {
    /// Figures so far.
    pub(super) report: GridReport,
    pub(super) copies: u32,
    pub(super) threshold: Option<u64>,
    /// Time for the transfer of a job's data to another cluster: per job, and per core.
    pub(super) transfer: (u64, u64),
    /// Period of the publication of states, if they are published.
    pub(super) period: Option<u64>,
    /// Time of the next publication, after the first arrival.
    pub(super) publication: Option<u64>,
    /// Jobs in no queue because all clusters on which they fit have failed.
    pub(super) unplaced: Vec<u64>,
    pub(super) clusters: Vec<Cluster>,
    faults: Faults,
    /// Number of the current line.
    pub(super) line: u64,
    pub(super) now: u64,
    /// Jobs in the system by number.
    pub(super) jobs: BTreeMap<u64, Job>,
    /// Number of arrivals, which is the number of the next job.
    pub(super) arrived: u64,
    /// Jobs that may be in no queue, or still in queues after their start, to be checked at the end
    /// of the current time; possibly with duplicates.
    pub(super) unsettled: Vec<u64>,
    pub(super) turnaround: u128,
    finished: bool,
    /// Number of records other than cancellations: it identifies series of consecutive
    /// cancellations.
    pub(super) series: u64,
}

impl Auditor {
    /// Creates an auditor from the first record, which is needed to interpret the others.
    ///
    /// # Errors
    ///
    /// Returns an error if the record is not a `run` record, or has another format version.
    pub fn begin(first: &Record<'_>) -> Result<Auditor, Faults> {
        let rule = match first {
            Record::Run { format, .. } if *format != FORMAT_VERSION => Rule::format(*format, FORMAT_VERSION),
            Record::Run {
                local,
                promises,
                copies,
                threshold_us,
                transfer_us,
                transfer_per_core_us,
                publication_us,
                clusters,
                ..
            } => {
                let mut auditor = Auditor {
                    report: GridReport {
                        local: local.clone().into_owned(),
                        clusters: clusters.len(),
                        ..GridReport::default()
                    },
                    copies: *copies,
                    threshold: *threshold_us,
                    transfer: (*transfer_us, *transfer_per_core_us),
                    period: *publication_us,
                    clusters: clusters
                        .iter()
                        .map(|cluster| Cluster::new(cluster, local, *promises, *copies))
                        .collect::<Result<_, _>>()?,
                    line: 1,
                    ..Auditor::default()
                };
                if publication_us.is_some() {
                    auditor.clusters.iter_mut().for_each(|cluster| cluster.publish(0));
                }
                for (cluster, spec) in clusters.iter().enumerate() {
                    if spec.cores == 0 || spec.speed == 0 {
                        auditor.fault(
                            None,
                            format!("cluster {cluster} must have at least one core and a speed above 0"),
                        );
                        // Jobs on such a cluster cannot be checked.
                        return Err(auditor.faults);
                    }
                }
                if checkable_scheme(local).is_some_and(|policy| guarantees_end(policy) != *promises) {
                    let does = if *promises { "does not guarantee" } else { "guarantees" };
                    let rule = format!("`promises` is wrong: the policy {does} expected completion times");
                    auditor.fault(None, rule);
                }
                return Ok(auditor);
            }
            _ => Rule::no_run(),
        };
        Err(Faults::from(Fault { line: 1, at: None, job: None, rule }))
    }

    /// Checks the next record.
    pub fn record(&mut self, record: &Record<'_>) {
        self.line += 1;
        if self.finished {
            return self.fault(None, records::AFTER_SUMMARY);
        }
        self.series += u64::from(!matches!(record, Record::Cancel { .. }));
        match *record {
            Record::Run { .. } => self.fault(None, records::SECOND_RUN),
            Record::Arrive { at_us, job, width, run_us, walltime_us, home, traits, .. } => {
                self.advance(at_us);
                self.arrive(job, width, (run_us.min(walltime_us), walltime_us), home);
                if let Some(job) = self.jobs.get_mut(&job) {
                    job.traits = traits;
                }
            }
            Record::Skip { at_us, job } => {
                self.advance(at_us);
                self.skip(job);
            }
            Record::Submit { at_us, job, cluster, expected_us, known_us, decided } => {
                self.advance(at_us);
                self.begin_pass(cluster, decided);
                self.with_job(job, cluster, "submit", |auditor| {
                    auditor.submit(job, cluster, (expected_us, known_us));
                });
            }
            Record::Cancel { at_us, job, cluster, expected_us, decided } => {
                self.advance(at_us);
                self.begin_pass(cluster, decided);
                self.with_job(job, cluster, "cancel", |auditor| auditor.cancel(job, cluster, expected_us));
            }
            Record::Start { at_us, job, cluster, ref on, level } => {
                self.advance(at_us);
                self.with_job(job, cluster, "start", |auditor| auditor.start(job, cluster, (on, level)));
            }
            Record::Complete { at_us, job, cluster } => {
                self.advance(at_us);
                self.with_job(job, cluster, "complete", |auditor| auditor.complete(job, cluster));
            }
            Record::Fail { at_us, cluster } => {
                self.advance(at_us);
                self.fail(cluster);
            }
            Record::Repair { at_us, cluster } => {
                self.advance(at_us);
                self.repair(cluster);
            }
            Record::Lose { at_us, job, cluster } => {
                self.advance(at_us);
                self.begin_pass(cluster, false);
                self.with_job(job, cluster, "lose", |auditor| auditor.lose(job, cluster));
            }
            Record::Local { cluster, ref record } => self.local_record(cluster, record),
            Record::Publish { at_us } => {
                self.advance(at_us);
                self.publish();
            }
            Record::Summary { completed, skipped, moves, cancellations, turnaround_us } => {
                self.summary([completed, skipped, moves, cancellations].map(u128::from), turnaround_us);
            }
        }
    }

    /// Returns the report if no rule was violated.
    ///
    /// # Errors
    ///
    /// Returns all violations; a missing summary is one.
    pub fn finish(mut self) -> Result<GridReport, Faults> {
        if !self.finished {
            self.line += 1;
            self.fault(None, records::NO_SUMMARY);
        }
        self.report.unchecked = self.clusters.iter().filter(|cluster| cluster.policy.is_none()).count();
        let local = self.clusters.into_iter().enumerate().map(|(at, cluster)| cluster.end(at, self.now));
        let faults = Faults::merge([self.faults].into_iter().chain(local));
        if faults.count() > 0 { Err(faults) } else { Ok(self.report) }
    }

    /// Handles the next line of the file.
    pub(super) fn read(&mut self, line: &Result<Record<'_>, Rule>) {
        match line {
            Ok(record) => self.record(record),
            Err(rule) => {
                self.line += 1;
                self.fault(None, rule.clone());
            }
        }
    }
    pub(super) fn fault(&mut self, job: Option<u64>, rule: impl Into<Rule>) {
        let at = Some(SimTime::from_micros(self.now)).filter(|_| self.line > 1);
        self.faults.push(Fault { line: self.line, at, job, rule: rule.into() });
    }

    pub(super) fn advance(&mut self, at: u64) {
        if at < self.now {
            return self.fault(None, Rule::backwards(self.now));
        }
        if at > self.now {
            self.settle();
            self.now = at;
            if let Some(due) = self.publication.filter(|&due| due < at) {
                self.fault(None, publication(Some(due)));
                self.publication = None;
            }
        }
    }

    /// Checks the state after all records of a time.
    fn settle(&mut self) {
        let mut unsettled = std::mem::take(&mut self.unsettled);
        unsettled.sort_unstable();
        unsettled.dedup();
        for &number in &unsettled {
            let Some(job) = self.jobs.get(&number) else { continue };
            match (job.started, job.queues.len()) {
                (None, 0) if !self.fits_on_one(job, |cluster| !cluster.failed) => self.unplaced.push(number),
                (None, 0) => {
                    let since = SimTime::from_micros(self.now);
                    self.fault(Some(number), format!("it has not been in any queue since {since} s"));
                }
                (Some(_), queues @ 1..) => self.fault(Some(number), still_waiting(queues)),
                _ => {}
            }
        }
        unsettled.clear();
        self.unsettled = unsettled;
        for at in 0..self.clusters.len() {
            let cluster = &mut self.clusters[at];
            if cluster.failed {
                let mut left = cluster.running.jobs().to_vec();
                left.extend(cluster.queue.values().iter().map(|waiting| waiting.job));
                let rule = format!("it is still on cluster {at}, which has failed");
                left.into_iter().for_each(|job| self.fault(Some(job), rule.clone()));
                continue;
            }
            cluster.lost = None;
            if !std::mem::take(&mut cluster.touched) {
                continue;
            }
            // Under CONS the next plan depends on this one.
            cluster.reserve(self.now);
        }
    }

    /// Checks that a cluster exists.
    pub(super) fn check_cluster(&mut self, job: Option<u64>, cluster: u32) -> bool {
        let clusters = self.clusters.len();
        let known = (cluster as usize) < clusters;
        if !known {
            self.fault(job, format!("cluster {cluster} does not exist; there are {clusters} clusters"));
        }
        known
    }

    /// Handles a record about a job and a cluster, after checking that both exist.
    fn with_job(&mut self, job: u64, cluster: u32, record: &'static str, follow: impl FnOnce(&mut Auditor)) {
        if !self.check_cluster(Some(job), cluster) {
        } else if self.jobs.contains_key(&job) {
            follow(self);
        } else {
            self.fault(Some(job), Rule::absent(record, job < self.arrived));
        }
    }

    fn summary(&mut self, claimed: [u128; 4], turnaround: u64) {
        self.settle();
        self.finished = true;
        let left: Vec<(u64, bool)> =
            self.jobs.iter().map(|(&number, job)| (number, job.started.is_some())).collect();
        for (number, started) in left {
            let phase = if started { dfrsim_audit::Phase::Running } else { dfrsim_audit::Phase::Waiting };
            self.fault(Some(number), Rule::unfinished(phase));
        }
        let GridReport { completed, skipped, moves, cancellations, .. } = self.report;
        let moves = if self.copies == 1 { moves } else { 0 };
        let counted = [completed, skipped, moves, cancellations].map(u128::from);
        let names = ["completed", "skipped", "moves", "cancellations"];
        let figures = names
            .into_iter()
            .zip(claimed)
            .zip(counted)
            .map(|((name, claimed), counted)| (name, claimed, counted));
        for (figure, found, expected) in
            figures.chain([("turnaround_us", turnaround.into(), self.turnaround.min(u64::MAX.into()))])
        {
            if found != expected {
                let rule = format!("summary: `{figure}` is {found}, but the records give {expected}");
                self.fault(None, rule);
            }
        }
    }
}
