//! Instances: the weeks, logs and traces on which policies are compared.

use crate::columns::Columns;
use crate::jitter::JitteredCopy;
use crate::platform;
use crate::saturate;
use crate::scenario::{Cut, Log, LublinTraces, Online, OwnTraces, Resample, Saturate, Source, Workload};
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::{Digest, Digester, Input, InstanceId, RunError};
use dfrsim_model::platform::classes::{Demands, UnequalNodes};
use dfrsim_model::platform::{Outage, Outages};
use dfrsim_model::site::{JobArray, SiteSettings};
use dfrsim_model::{Dependencies, Job, JobId, JobText, JobTexts, Seed, Share, SimSpan, SimTime, UserId};
use dfrsim_workload::cut;
use dfrsim_workload::feedback::{LinkCounts, Submission};
use dfrsim_workload::load::{LoadError, scale_to_load};
use dfrsim_workload::log::{Header, Record};
use dfrsim_workload::lublin::{LublinParameters, generate, trace_seed};
use dfrsim_workload::prepare::{self, Anomaly, JobStream, Report};
use dfrsim_workload::resample::{Drawn, draw};
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::iter;
use std::sync::Arc;

/// An instance before it is prepared.
#[derive(Clone)]
pub(crate) struct RawInstance {
    /// Index in the scenario of the workload to which the instance belongs.
    pub(crate) workload: usize,
    /// Name within the workload.
    pub(crate) name: String,
    /// Offered load to which the jobs are scaled; `None` if they are not scaled.
    pub(crate) load: Option<f64>,
    /// The copy of the instance, if submissions and run times are moved at random.
    copy: Option<JitteredCopy>,
    /// Waits that the log records, if the jobs are those of the log at their own times.
    pub(crate) recorded: Option<Arc<RecordedWaits>>,
    origin: InstanceOrigin,
}

/// Waits that a log records, by job.
pub(crate) type RecordedWaits = FxHashMap<JobId, SimSpan>;

#[derive(Clone)]
enum InstanceOrigin {
    /// Jobs of a log, with their predecessors and, for a resampled log, the jobs they were drawn
    /// from.
    Log(Arc<[Job]>, Option<Predecessors>, Option<SourceJobs>),
    /// Parameters of a trace, which is generated when it is needed.
    Trace { parameters: LublinParameters, seed: Seed },
}

/// The predecessor of each job of an instance, if it has one.
pub(crate) type Predecessors = Arc<[Option<Dependencies>]>;

/// Map from the job numbers of a resampled log to those of the original log.
pub(crate) type SourceJobs = Arc<BTreeMap<JobId, JobId>>;

/// A log that was read.
pub(crate) struct ReadLog {
    pub(crate) workload: usize,
    pub(crate) header: Header,
    pub(crate) digest: Digest,
    pub(crate) report: Report,
    /// Counts of the links between jobs, if users wait for their jobs.
    links: Option<LinkCounts>,
    /// Instances drawn from the users of the log, and how many of them were the same as another one.
    draws: (u32, u32),
}

impl ReadLog {
    /// Returns true if lines within the selected part were dropped or changed, or if jobs follow
    /// others.
    pub(crate) fn is_altered(&self) -> bool {
        let counts = &self.report.counts;
        let clamped = Anomaly::ALL.iter().any(|&anomaly| counts.of(anomaly).clamped > 0);
        let is_linked = self.links.is_some();
        is_linked
            || clamped
            || self.draws.1 > 0
            || counts.records != counts.outside + counts.jobs
            || self.report.read.broken > 0
    }
    /// Describes the lines that were read, and the links between jobs.
    pub(crate) fn notes(&self, workload: &Workload) -> Vec<String> {
        iter::once(format!("{}: {}", workload.name, self.report)).chain(self.remarks(workload)).collect()
    }
    /// Describes the selected part of the log, the rules that are not the usual ones, the links
    /// between jobs and the drawn instances.
    fn remarks(&self, workload: &Workload) -> Vec<String> {
        let options = workload.source.log(workload.nodes).map(|(_, options)| options);
        let settings = options.iter().flat_map(|options| {
            let usual = prepare::Options::default();
            let select = (options.select != usual.select)
                .then(|| format!("{}: selected: {}", workload.name, as_text(&options.select)));
            let rules = (options.rules != usual.rules)
                .then(|| format!("{}: rules: {}", workload.name, as_text(&options.rules)));
            select.into_iter().chain(rules)
        });
        let links = self.links.map(|links| format!("{}: {links}", workload.name));
        let (drawn, equal) = self.draws;
        let draws = (equal > 0).then(|| {
            format!(
                "{}: {equal} of {drawn} drawn instances have the same jobs as another one and count once: the log has too few users for more",
                workload.name
            )
        });
        let series = platform::series_of(workload).ok().flatten();
        let series = series.into_iter().flat_map(|(_, notes)| notes);
        let series = series.map(|note| format!("{}: intensity: {note}", workload.name));
        settings.chain(links).chain(draws).chain(series).collect()
    }
    /// Returns the log's record for the list of inputs.
    pub(crate) fn input(&self, workload: &Workload) -> Input {
        let (counts, read) = (&self.report.counts, &self.report.read);
        let mut all: Vec<(String, u64)> = [
            ("records", counts.records),
            ("jobs", counts.jobs),
            ("outside", counts.outside),
            ("without_memory", counts.without_memory),
            ("broken_lines", read.broken),
            ("lines_out_of_order", read.out_of_order),
        ]
        .map(|(name, count)| (name.to_owned(), count))
        .into();
        for &anomaly in Anomaly::ALL {
            let hits = counts.of(anomaly);
            let cases = [("kept", hits.kept), ("clamped", hits.clamped), ("dropped", hits.dropped)];
            let met = cases.into_iter().filter(|(_, count)| *count > 0);
            all.extend(met.map(|(what, count)| (format!("{}_{what}", anomaly.name()), count)));
        }
        if let Some(links) = &self.links {
            all.extend(
                [("following_jobs", links.links), ("sessions", links.sessions)]
                    .map(|(name, it)| (name.to_owned(), it)),
            );
        }
        let file = workload.source.log(workload.nodes).map(|(log, _)| log.file.given.clone());
        let file = file.unwrap_or_default();
        Input {
            report: self.remarks(workload),
            counts: all,
            account: Some(self.report.account().summary()),
            ..Input::new(&file, self.digest)
        }
    }
}

/// Formats settings as JSON, whose fields have the names of scenarios.
fn as_text(settings: &impl Serialize) -> String {
    serde_json::to_string(settings).unwrap_or_default()
}

/// Returns all instances in the order of the scenario, and the logs that they come from.
pub(crate) fn raw_instances(
    scenario: &Scenario<Online>,
) -> Result<(Vec<RawInstance>, Vec<ReadLog>), RunError> {
    let (mut parts, mut logs) = (Vec::new(), Vec::new());
    for (place, workload) in scenario.workloads.iter().enumerate() {
        match &workload.source {
            Source::Lublin(traces) => {
                parts.extend(instances_of_model(place, traces, workload, scenario.seed));
            }
            Source::Own(traces) => {
                parts.extend(instances_of_program(place, traces, workload, scenario.seed)?);
            }
            Source::Swf(_) | Source::Batsim(_) => {
                let (of_log, log) = instances_of_log(place, workload, scenario)?;
                parts.extend(of_log);
                logs.push(log);
            }
        }
    }
    let with_copies = |part| with_copies(part, scenario);
    Ok((parts.into_iter().flat_map(with_copies).collect(), logs))
}

/// Returns an instance and its copies, if the workload has any.
fn with_copies(part: RawInstance, scenario: &Scenario<Online>) -> Vec<RawInstance> {
    let jitter = scenario.workloads[part.workload].jitter.filter(|_| !part.is_drawn());
    let copies = jitter.into_iter().flat_map(|jitter| jitter.copies_of(&part.name, scenario.seed));
    let copy = |copy| RawInstance { copy: Some(copy), recorded: None, ..part.clone() };
    let copies: Vec<RawInstance> = copies.map(copy).collect();
    iter::once(part).chain(copies).collect()
}

fn instances_of_log(
    place: usize,
    workload: &Workload,
    scenario: &Scenario<Online>,
) -> Result<(Vec<RawInstance>, ReadLog), RunError> {
    let (log, preparation) = workload.source.log(workload.nodes).expect("the source is a log");
    let origins = !scenario.priorities.is_empty() || !scenario.waits_by.is_empty();
    let columns = workload.source.columns().map(Columns::map).transpose()?;
    let preparation = prepare::Options { origins, columns, ..preparation };
    let has_waits = !scenario.waits_by.is_empty();
    let is_plain = log.submission == Submission::Open && log.resample.is_none() && !has_waits;
    if is_plain || log.saturate.is_some() {
        let jobs = |stream: &mut JobStream<_>| (stream.header().clone(), stream.collect::<Vec<_>>());
        let read = prepare::with_jobs(&log.file.path, &preparation, jobs).map_err(RunError::input)?;
        let ((header, jobs), report) = read;
        let mut read =
            ReadLog { workload: place, header, digest: digest_of(log)?, report, links: None, draws: (0, 0) };
        if let Some(Saturate { replications, to }) = log.saturate {
            // The drawn jobs have numbers of their own.
            read.header.texts = None;
            let parts = saturated(place, workload, &jobs, (scenario.seed, replications, to))?;
            return Ok((parts, read));
        }
        let parts = cut_log(log, place, workload, jobs, ("whole", None, None))?;
        return Ok((at_loads(parts, &log.loads), read));
    }
    let pairs = |stream: &mut JobStream<_>| {
        (stream.header().clone(), iter::from_fn(|| stream.next_with_record()).collect::<Vec<_>>())
    };
    let read = prepare::with_jobs(&log.file.path, &preparation, pairs).map_err(RunError::input)?;
    let ((mut header, pairs), report) = read;
    let samples = match log.resample {
        None => vec![("whole".to_owned(), pairs, None)],
        Some(Resample { replications, weeks, whole }) => {
            let sample = |number: u32| {
                let seed = Seed::new(scenario.seed).fork("resample").numbered(number.into());
                let (drawn, from) = resample_log(&pairs, weeks, seed);
                (format!("sample-{number:03}"), drawn, Some(Arc::new(from)))
            };
            let whole = whole.then(|| ("whole".to_owned(), pairs.clone(), None));
            whole.into_iter().chain((0..replications).map(sample)).collect()
        }
    };
    let recorded = has_waits.then(|| recorded_waits(&samples[0].1)).filter(|waits| !waits.is_empty());
    let recorded = recorded.map(Arc::new);
    let (mut parts, mut counts, mut draws) = (Vec::<RawInstance>::new(), None, (0, 0));
    for (name, pairs, from) in samples {
        let is_drawn = from.is_some();
        let links = log.submission.links(&pairs);
        counts = links.as_ref().map(|links| links.counts);
        let preceded = links.map(|links| links.preceding.into());
        let jobs = pairs.into_iter().map(|(job, _)| job).collect();
        for part in cut_log(log, place, workload, jobs, (&name, preceded, from))? {
            draws.0 += u32::from(is_drawn);
            if is_drawn && parts.iter().any(|known| known.has_jobs_of(&part)) {
                draws.1 += 1;
                continue;
            }
            let recorded = recorded.clone().filter(|_| !is_drawn);
            parts.push(RawInstance { recorded, ..part });
        }
    }
    if log.resample.is_some() {
        // Resampled jobs have numbers of their own.
        header.texts = None;
    }
    // The counts of several samples would be those of the last one.
    let links = counts.filter(|_| log.resample.is_none());
    let read = ReadLog { workload: place, header, digest: digest_of(log)?, report, links, draws };
    Ok((at_loads(parts, &log.loads), read))
}

/// Makes the instances that are drawn from a log to fill the devices of a platform.
fn saturated(
    place: usize,
    workload: &Workload,
    jobs: &[Job],
    (seed, count, to): (u64, u32, f64),
) -> Result<Vec<RawInstance>, RunError> {
    let part = |(number, (mut jobs, from)): (usize, (Vec<Job>, BTreeMap<JobId, JobId>))| {
        round_to_steps(&mut jobs, workload);
        let origin = InstanceOrigin::Log(jobs.into(), None, Some(Arc::new(from)));
        let name = format!("saturated-{number:03}");
        RawInstance { workload: place, name, load: None, copy: None, recorded: None, origin }
    };
    Ok(saturate::draw(jobs, workload, seed, (count, to))?.into_iter().enumerate().map(part).collect())
}

/// Returns the waits in field 3 of the records.
fn recorded_waits(pairs: &[(Job, Record)]) -> RecordedWaits {
    pairs.iter().filter_map(|(job, record)| Some((job.id, record.wait?))).collect()
}

/// Makes an instance of each load of each of these instances, or returns them as they are if there
/// are no loads.
fn at_loads(parts: Vec<RawInstance>, given: &[f64]) -> Vec<RawInstance> {
    if given.is_empty() {
        return parts;
    }
    let scaled = |load: f64, part: &RawInstance| RawInstance {
        workload: part.workload,
        name: format!("{}{}", part.name, suffix(Some(load))),
        load: Some(load),
        copy: None,
        recorded: None,
        origin: part.origin.clone(),
    };
    given.iter().flat_map(|&load| parts.iter().map(move |part| scaled(load, part))).collect()
}

fn digest_of(log: &Log) -> Result<Digest, RunError> {
    let digest = File::open(&log.file.path).and_then(Digest::from_reader);
    digest.map_err(|error| RunError::io(&log.file.path, error))
}

/// Draws a log from the users of another one. Also returns the job of the original log that each job
/// was drawn from.
fn resample_log(
    pairs: &[(Job, Record)],
    weeks: u64,
    seed: Seed,
) -> (Vec<(Job, Record)>, BTreeMap<JobId, JobId>) {
    // Records must match the prepared jobs, whose times and users the rules and the selection may
    // have changed.
    let records: Vec<Record> = pairs
        .iter()
        .map(|(job, record)| Record {
            submit: job.submit,
            user: job.user.map(UserId::number),
            ..record.clone()
        })
        .collect();
    let mut from = BTreeMap::new();
    let job = |one: Drawn| {
        let record = one.record(&records[one.place]);
        from.insert(JobId(record.job), pairs[one.place].0.id);
        let (id, submit, user) = (JobId(record.job), record.submit, record.user.and_then(UserId::new));
        (Job { id, submit, user, ..pairs[one.place].0.clone() }, record)
    };
    let drawn = draw(&records, weeks, seed).into_iter().map(job).collect();
    (drawn, from)
}

/// Makes one instance of the jobs of a log, or one of each week.
fn cut_log(
    log: &Log,
    place: usize,
    workload: &Workload,
    mut jobs: Vec<Job>,
    (whole, preceded, from): (&str, Option<Predecessors>, Option<SourceJobs>),
) -> Result<Vec<RawInstance>, RunError> {
    round_to_steps(&mut jobs, workload);
    if jobs.is_empty() {
        return Err(RunError::input(format_args!("workload `{}` has no jobs", workload.name)));
    }
    let part = |name, jobs: Vec<Job>| {
        let origin = InstanceOrigin::Log(jobs.into(), preceded.clone(), from.clone());
        RawInstance { workload: place, name, load: None, copy: None, recorded: None, origin }
    };
    Ok(match log.cut {
        Cut::None => vec![part(whole.to_owned(), jobs)],
        Cut::Week => {
            let name = |week| match whole {
                "whole" => format!("week-{week:03}"),
                sample => format!("{sample}-week-{week:03}"),
            };
            cut::weeks(jobs).into_iter().map(|(week, jobs)| part(name(week), jobs)).collect()
        }
        Cut::ThreeWeeks => {
            let name = |number| match whole {
                "whole" => format!("part-{number:03}"),
                sample => format!("{sample}-part-{number:03}"),
            };
            let mut parts: Vec<(u64, Vec<Job>)> = Vec::new();
            for (week, mut jobs) in cut::weeks(jobs) {
                match parts.last_mut().filter(|(number, _)| *number == week / 3) {
                    Some((_, own)) => own.append(&mut jobs),
                    None => parts.push((week / 3, jobs)),
                }
            }
            parts.into_iter().map(|(number, jobs)| part(name(number), jobs)).collect()
        }
    })
}

fn instances_of_model(
    place: usize,
    traces: &LublinTraces,
    workload: &Workload,
    seed: u64,
) -> Vec<RawInstance> {
    let numbers = traces.skip..traces.skip + traces.replications;
    let digits = (numbers.end - 1).to_string().len().max(3);
    let parameters = traces.parameters(workload.nodes);
    let mut parts = Vec::new();
    for load in loads(&traces.loads) {
        for trace in numbers.clone() {
            let suffix = suffix(load);
            parts.push(RawInstance {
                workload: place,
                name: format!("trace-{trace:0digits$}{suffix}"),
                load,
                copy: None,
                recorded: None,
                origin: InstanceOrigin::Trace { parameters, seed: trace_seed(seed, trace) },
            });
        }
    }
    parts
}

/// Makes the instances of a job source that is registered by the program.
fn instances_of_program(
    place: usize,
    traces: &OwnTraces,
    workload: &Workload,
    seed: u64,
) -> Result<Vec<RawInstance>, RunError> {
    let made = (0..traces.replications).map(|trace| {
        let jobs = traces.source.jobs(workload.nodes.get(), trace_seed(seed, trace));
        let mut jobs =
            jobs.map_err(|fault| RunError::input(format_args!("workload `{}`: {fault}", workload.name)))?;
        round_to_steps(&mut jobs, workload);
        Ok(jobs)
    });
    let made = made.collect::<Result<Vec<_>, RunError>>()?;
    let part = |load, (trace, jobs): (usize, &Vec<Job>)| {
        let origin = InstanceOrigin::Log(jobs.clone().into(), None, None);
        let name = format!("trace-{trace:03}{}", suffix(load));
        RawInstance { workload: place, name, load, copy: None, recorded: None, origin }
    };
    Ok(loads(&traces.loads)
        .into_iter()
        .flat_map(|load| made.iter().enumerate().map(move |it| part(load, it)))
        .collect())
}

fn loads(given: &[f64]) -> Vec<Option<f64>> {
    if given.is_empty() { vec![None] } else { given.iter().copied().map(Some).collect() }
}

fn suffix(load: Option<f64>) -> String {
    load.map(|load| format!("-load-{load}")).unwrap_or_default()
}

/// Rounds arrival times and memory to the steps of the workload, if it has any.
fn round_to_steps(jobs: &mut [Job], workload: &Workload) {
    for job in jobs {
        if let Some(step) = workload.submit_step {
            let micros = job.submit.micros();
            job.submit = SimTime::from_micros(micros - micros % step.micros());
        }
        if let Some(step) = workload.memory_step {
            let (memory, step) = (job.memory.units(), step.units());
            let steps = (u64::from(memory) + u64::from(step) / 2) / u64::from(step);
            let rounded = u32::try_from(steps.max(1) * u64::from(step)).ok().and_then(Share::try_from_units);
            job.memory = rounded.unwrap_or(Share::ONE);
        }
    }
}

impl RawInstance {
    /// Returns the number of jobs.
    fn size(&self) -> usize {
        match &self.origin {
            InstanceOrigin::Log(jobs, ..) => jobs.len(),
            InstanceOrigin::Trace { parameters, .. } => parameters.jobs,
        }
    }
    /// Returns the values of the instance's columns. Its weight is the number of jobs, to which the
    /// run time is roughly proportional.
    pub(crate) fn id(&self, workload: &Workload) -> InstanceId {
        let labels = vec![
            ("workload", workload.name.clone()),
            ("instance", self.copy.map_or_else(|| self.name.clone(), |copy| copy.name(&self.name))),
            ("load", self.load.map(|load| load.to_string()).unwrap_or_default()),
            ("nodes", workload.nodes.to_string()),
            ("jobs", self.size().to_string()),
        ];
        InstanceId { labels, weight: self.size() as u64 }
    }
    /// Returns whether the instance is a log or a week of one, and not drawn from it, scaled or
    /// copied.
    pub(crate) fn is_of_log(&self) -> bool {
        let is_as_read = self.load.is_none() && self.copy.is_none();
        is_as_read && matches!(self.origin, InstanceOrigin::Log(_, _, None))
    }
    /// Returns whether the instance is drawn from the users of a log.
    fn is_drawn(&self) -> bool {
        matches!(self.origin, InstanceOrigin::Log(_, _, Some(_)))
    }
    /// Returns the jobs of a log, in order of submission; none for a trace that is to be generated.
    pub(crate) fn log_jobs(&self) -> &[Job] {
        match &self.origin {
            InstanceOrigin::Log(jobs, ..) => jobs,
            InstanceOrigin::Trace { .. } => &[],
        }
    }
    /// Returns whether both instances have the same jobs with the same predecessors, so that all
    /// simulations of them are equal.
    fn has_jobs_of(&self, other: &RawInstance) -> bool {
        match (&self.origin, &other.origin) {
            (InstanceOrigin::Log(jobs, preceded, _), InstanceOrigin::Log(others, other_preceded, _)) => {
                jobs == others && preceded == other_preceded
            }
            _ => false,
        }
    }
    /// Returns the predecessor of each job, if users wait for their jobs.
    pub(crate) fn predecessors(&self) -> Option<Predecessors> {
        match &self.origin {
            InstanceOrigin::Log(_, preceded, _) => preceded.clone(),
            InstanceOrigin::Trace { .. } => None,
        }
    }
    /// Returns the time by which all times of the instance are moved: a random part of the longest period
    /// at which one of the sites computes priorities, if this is a copy.
    pub(crate) fn shift<'a>(&self, sites: impl Iterator<Item = &'a Arc<SiteSettings>>) -> SimSpan {
        let periodic = sites.filter(|it| it.weights.age > 0 || it.weights.fair_share > 0);
        let period = periodic.map(|it| it.calc_period_s).max();
        self.copy.zip(period).map_or(SimSpan::ZERO, |(copy, period)| copy.shift(period))
    }
    /// Returns the site settings for this instance. Jobs of a resampled log belong to the arrays and
    /// heterogeneous jobs of their originals.
    pub(crate) fn settings(&self, settings: &Arc<SiteSettings>) -> Arc<SiteSettings> {
        let InstanceOrigin::Log(_, _, Some(from)) = &self.origin else { return Arc::clone(settings) };
        if settings.arrays.is_empty() && settings.together.is_empty() {
            return Arc::clone(settings);
        }
        let arrays = settings.arrays.iter().map(|JobArray { jobs, running }| {
            let has = |id: JobId| jobs.iter().any(|&(first, last)| (first..=last).contains(&id.0));
            let jobs = from.iter().filter(|(_, from)| has(**from)).map(|(job, _)| (job.0, job.0));
            JobArray { jobs: jobs.collect(), running: *running }
        });
        let together = settings.together.iter().flat_map(|jobs| {
            // A job may have been drawn several times; the components of each draw are consecutive.
            let mut drawn: Vec<Vec<(u64, u64)>> = Vec::new();
            for (job, from) in from.iter().filter(|(_, from)| jobs.contains(&from.0)) {
                match drawn.last_mut().filter(|last| last.iter().all(|(_, other)| *other != from.0)) {
                    Some(last) => last.push((job.0, from.0)),
                    None => drawn.push(vec![(job.0, from.0)]),
                }
            }
            drawn.into_iter().map(|jobs| jobs.into_iter().map(|(job, _)| job).collect())
        });
        let (arrays, together) = (arrays.collect(), together.collect());
        Arc::new(SiteSettings { arrays, together, ..SiteSettings::clone(settings) })
    }
    /// Returns the nodes, with a random stream of demands for this trace. Traces that differ only in
    /// load have the same demands. Jobs of a resampled log have the demands of their originals.
    pub(crate) fn unequal(&self, nodes: &UnequalNodes) -> UnequalNodes {
        let UnequalNodes { classes, demands } = nodes.clone();
        let demands = match &self.origin {
            InstanceOrigin::Log(_, _, None) => demands,
            InstanceOrigin::Log(_, _, Some(from)) => {
                let given = demands.given.of_copies(from.iter());
                Demands { given, ..demands }
            }
            InstanceOrigin::Trace { seed, .. } => Demands { seed: *seed, ..demands },
        };
        UnequalNodes { classes, demands }
    }
    /// Returns the jobs, in order of submission.
    pub(crate) fn jobs(
        &self,
        workload: &Workload,
        unequal: Option<&UnequalNodes>,
    ) -> Result<Arc<[Job]>, LoadError> {
        let mut jobs = match &self.origin {
            InstanceOrigin::Log(jobs, ..) if self.load.is_none() && self.copy.is_none() => {
                return Ok(Arc::clone(jobs));
            }
            InstanceOrigin::Log(jobs, ..) => jobs.to_vec(),
            InstanceOrigin::Trace { parameters, seed } => generate(parameters, *seed),
        };
        if let Some(load) = self.load {
            // Load is relative to the total capacity of the nodes, which are unequal.
            let nodes = f64::from(workload.nodes.get());
            let load = load * unequal.map_or(1.0, |unequal| unequal.classes.capacity() / nodes);
            scale_to_load(&mut jobs, workload.nodes.get(), load)?;
        }
        round_to_steps(&mut jobs, workload);
        if let Some(copy) = self.copy {
            copy.move_submissions(&mut jobs);
            copy.move_run_times(&mut jobs);
        }
        Ok(jobs.into())
    }
}

/// Combines the digests of several clusters that have the same jobs.
pub(crate) fn combined_digest(digests: &[Digest]) -> Digest {
    let [only] = digests else {
        let mut digester = Digester::new();
        digests.iter().for_each(|digest| _ = digester.text(&digest.to_string()));
        return digester.digest();
    };
    *only
}

/// Computes the digest of everything that simulations see of a cluster and its jobs, as exact
/// integers.
pub(crate) fn digest(
    nodes: u32,
    jobs: &[Job],
    preceded: Option<&[Option<Dependencies>]>,
    outages: Option<&Outages>,
    unequal: Option<&UnequalNodes>,
    texts: Option<&JobTexts>,
) -> Digest {
    let mut digester = Digester::new();
    digester.integer(nodes).integer(jobs.len() as u64);
    for job in jobs {
        let Job { id, submit, tasks, cpu_need, memory, run_time, requested_time, user, origin } = job;
        let requested = requested_time.map_or(u64::MAX, SimSpan::micros);
        digester.integer(id.0).integer(submit.micros()).integer(*tasks).integer(cpu_need.units());
        digester.integer(memory.units()).integer(run_time.micros()).integer(requested);
        // Jobs of generated traces have no user; their digests must not change.
        if let Some(user) = user {
            digester.integer(user.number());
        }
        // Jobs of scenarios without priorities have no origin.
        if *origin != dfrsim_model::Origin::UNKNOWN {
            for number in [origin.group(), origin.queue(), origin.partition()] {
                digester.integer(number.map_or(u64::MAX, u64::from));
            }
        }
    }
    // Logs whose submit times are kept have no predecessors.
    for (place, preceding) in (0_u64..).zip(preceded.unwrap_or_default()) {
        for job in preceding.iter().flat_map(|it| &it.jobs) {
            let think =
                preceding.as_ref().map_or(0, |it| if it.is_hold { u64::MAX } else { it.think.micros() });
            digester.integer(place).integer(job.0).integer(think);
        }
    }
    if let Some(Outages { failures, windows, drains, interruption: _ }) = outages {
        digester.integer(failures.len() as u64).integer(windows.len() as u64);
        let announced = windows.iter().map(|window| (window.outage, window.announced));
        for (outage, announced) in failures.iter().map(|outage| (*outage, SimTime::MAX)).chain(announced) {
            let Outage { from, until, nodes } = outage;
            digester.integer(from.micros()).integer(until.micros()).integer(announced.micros());
            digester.integer(nodes.first).integer(nodes.nodes);
        }
        for Outage { from, until, nodes } in drains {
            digester.integer(from.micros()).integer(until.micros());
            digester.integer(nodes.first).integer(nodes.nodes);
        }
    }
    if let Some(unequal) = unequal {
        platform::digest(unequal, jobs, &mut digester);
    }
    if let Some(JobTexts { profiles, jobs }) = texts {
        profiles.iter().for_each(|(name, profile)| _ = digester.text(name).text(profile));
        for (id, JobText { name, profile, fields }) in jobs {
            digester.integer(id.0).text(name).text(profile).text(fields);
        }
    }
    digester.digest()
}
