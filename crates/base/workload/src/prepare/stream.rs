//! The stream of jobs.

use super::annotate::Annotator;
use super::circles::Circles;
use super::numbers::JobNumbers;
use super::rules::{Action, Anomaly, Counts};
use super::{Options, Report};
use crate::log::{Faults, Header, Line, LogError, Problem, Record, Source};
use dfrsim_model::{Job, JobId, Origin, SimSpan, SimTime, UserId};

/// An iterator that converts the records of a log to jobs, one at a time; ids and submit times are
/// those of the log.
///
/// The iteration ends at the end of the log or of the selected part, or early after an error. Only
/// [`finish`](JobStream::finish) returns that error, so do not use results computed from the jobs
/// before it has succeeded.
pub struct JobStream<S> {
    source: S,
    preparation: Preparation,
}

/// State of the conversion. It does not depend on the type of the source, so that its code is
/// compiled once, in this crate.
struct Preparation {
    options: Options,
    annotator: Annotator,
    counts: Counts,
    numbers: JobNumbers,
    circles: Circles,
    faults: Faults,
    ended: bool,
}

impl<S: Source> JobStream<S> {
    /// Creates the stream of the jobs of a log.
    pub fn new(mut source: S, options: &Options) -> JobStream<S> {
        source.stop_after(options.select.end());
        let faults = Faults::new(source.file());
        let preparation = Preparation {
            options: options.clone(),
            annotator: Annotator::new(&options.annotation),
            counts: Counts::default(),
            numbers: JobNumbers::default(),
            circles: Circles::default(),
            faults,
            ended: false,
        };
        JobStream { source, preparation }
    }
    /// Returns the header of the log.
    pub fn header(&self) -> &Header {
        self.source.header()
    }
    /// Returns the counts of the lines so far.
    pub const fn counts(&self) -> &Counts {
        &self.preparation.counts
    }
    /// Returns the next job and its record.
    pub fn next_with_record(&mut self) -> Option<(Job, Record)> {
        self.preparation.next(&mut self.source)
    }
    /// Reads the remaining lines, and reports the counts of the whole log.
    ///
    /// # Errors
    ///
    /// [`LogError::Faults`] with the errors in the file and the violations of the rules;
    /// [`LogError::Unsorted`] if the lines of a streamed file are not in order.
    pub fn finish(mut self) -> Result<Report, LogError> {
        self.by_ref().for_each(drop);
        let Preparation { mut faults, counts, .. } = self.preparation;
        match self.source.finish() {
            Ok(read) if faults.is_empty() => Ok(Report { read, counts }),
            Ok(_) => Err(faults.into()),
            Err(LogError::Faults(others)) => {
                faults.merge(others);
                Err(faults.into())
            }
            Err(error) => Err(error),
        }
    }
}

impl Preparation {
    /// Returns the next job from the lines, with its record.
    fn next(&mut self, lines: &mut dyn Iterator<Item = Line>) -> Option<(Job, Record)> {
        while !self.ended {
            let Some(line) = lines.next() else {
                self.ended = true;
                break;
            };
            // After an error no more jobs are returned; the lines are only checked for further
            // errors.
            if let Some(job) = self.prepare(&line).filter(|_| self.faults.is_empty()) {
                return Some((job, line.record));
            }
        }
        None
    }
    /// Converts a line to a job, unless a rule drops it.
    fn prepare(&mut self, line: &Line) -> Option<Job> {
        self.counts.records += 1;
        let record = &line.record;
        let processors = self.options.size.of(record);
        // Drawn before any rule is applied, so that dropped lines do not shift the random numbers of
        // the others.
        let demand = self.annotator.demand(record, processors.unwrap_or(1));
        // A part of a checkpointed job may be selected without the line of the whole job.
        let is_new = self.numbers.insert(record.job);
        if self.options.dependencies
            && let Some(circle) = self.circles.add(line)
        {
            self.faults.push(line.number, circle);
            return None;
        }

        let mut begun = None;
        if !self.options.select.contains(line.place, record.submit) {
            self.ended = self.options.select.is_past(record.submit);
            begun = self.begun_before(line);
            if begun.is_none() {
                self.counts.outside += 1;
                return None;
            }
        }
        let of_status = Anomaly::from_status(record.status, is_new);
        let of_number = (!is_new && of_status != Some(Anomaly::Partial)).then_some(Anomaly::RepeatedNumber);
        let of_submit = (!line.has_submit).then_some(Anomaly::NoSubmit);
        let of_size = processors.is_none().then_some(Anomaly::ZeroSize);
        for anomaly in [of_status, of_number, of_submit, of_size].into_iter().flatten() {
            self.apply_rule(anomaly, line, || anomaly.reason().to_owned())?;
        }
        let mut tasks = demand.tasks;
        if let Some(units) = self.options.units.filter(|&units| tasks > units) {
            self.apply_rule(Anomaly::TooWide, line, || {
                format!("it has {tasks} tasks, but the machine has only {units} units")
            })?;
            tasks = units.max(1);
        }
        if let Some(resource) = demand.lacking {
            self.apply_rule(Anomaly::TooWide, line, || {
                format!("each of its nodes needs more {resource} than the largest node has")
            })?;
        }
        let run_time = match record.run_time.filter(|run_time| !run_time.is_zero()) {
            Some(run_time) => run_time,
            None => {
                let anomaly = if record.has_short_run { Anomaly::ShortRun } else { Anomaly::ZeroRun };
                self.apply_rule(anomaly, line, || anomaly.reason().to_owned())?;
                SimSpan::from_secs(1)
            }
        };
        let (submit, had_run) = begun.unwrap_or((record.submit, SimSpan::ZERO));
        self.counts.begun += u64::from(begun.is_some());
        self.counts.jobs += 1;
        self.counts.without_memory +=
            u64::from(record.used_memory.is_none() && record.requested_memory.is_none());
        let requested_time = record.requested_time.filter(|time| !time.is_zero());
        let requested_time = requested_time.map(|time| {
            let rest = time - had_run.min(time);
            if rest.is_zero() { SimSpan::from_secs(1) } else { rest }
        });
        self.counts.without_estimate += u64::from(requested_time.is_none());
        Some(Job {
            id: JobId(record.job),
            submit,
            tasks,
            cpu_need: demand.need,
            memory: demand.memory,
            run_time: run_time - had_run,
            requested_time,
            user: record.user.and_then(UserId::new),
            origin: match self.options.origins {
                true => Origin::new(record.group, record.queue, record.partition),
                false => Origin::UNKNOWN,
            },
        })
    }
    /// Returns the start of the selected part, and the time that a job had run until then, if the job
    /// was submitted before and ran then. Only accounting of Slurm has all that such jobs occupy.
    fn begun_before(&self, line: &Line) -> Option<(SimTime, SimSpan)> {
        let (select, record) = (&self.options.select, &line.record);
        let from = SimTime::from_secs(select.from?);
        if !record.is_sized_by_allocation || !select.is_before(line.place, record.submit) {
            return None;
        }
        let start = record.submit + record.wait?;
        (start < from && start + record.run_time? > from).then(|| (from, from.saturating_since(start)))
    }
    /// Applies the rule for an anomaly; `None` if the job is dropped.
    fn apply_rule(&mut self, anomaly: Anomaly, line: &Line, reason: impl FnOnce() -> String) -> Option<()> {
        let counts = self.counts.of_mut(anomaly);
        match self.options.rules.action(anomaly) {
            Action::Keep => counts.kept += 1,
            Action::Clamp => counts.clamped += 1,
            Action::Drop => {
                counts.dropped += 1;
                return None;
            }
            Action::Error => {
                let (job, rule) = (line.record.job, anomaly.name());
                self.faults.push(line.number, Problem::Forbidden { job, rule, reason: reason() });
                return None;
            }
        }
        Some(())
    }
}

impl<S: Source> Iterator for JobStream<S> {
    type Item = Job;

    fn next(&mut self) -> Option<Job> {
        self.next_with_record().map(|(job, _)| job)
    }
}
