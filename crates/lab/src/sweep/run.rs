//! Running a study: instances x variants -> rows, tables and a manifest.

use super::folder::{self, Folder};
use super::header::{Header, StudyVersion};
use super::manifest::{Counts, Host, InputSection, MANIFEST, Manifest, audit_word};
use super::options::{Part, RunOptions};
use super::progress::{Progress, Step};
use super::work::Sweep;
use crate::column::{Better, Datum, Row as _, datum};
use crate::fields::Scenario;
use crate::key::{Key, KeyBuilder};
use crate::record::{Failure, Record, Unfinished};
use crate::rows::{Journaling, Outcome, RowSet};
use crate::study::{Audit, Grain, Input, InstanceId, Labels, Prepared, Study, Watch};
use crate::table::NamedTable;
use crate::text::csv;
use crate::{RunError, claims};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What a run came to.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// The tables; empty after a shard.
    pub tables: Vec<NamedTable>,
    /// How many rows there are.
    pub counts: Counts,
    /// What a run of a variant is called, in the plural.
    pub runs: &'static str,
    /// What is worth saying about the files that were read.
    pub inputs: Vec<Input>,
    /// What the user should know besides.
    pub notices: Vec<String>,
    /// The runs that failed: the values of their labels, the status and the message; a line each.
    pub failures: Vec<String>,
}

/// Runs what is left to run of a scenario, and writes rows, tables and manifest.
///
/// The files except for the manifest depend on the scenario alone: not on threads, interruptions, or what was in the folder
/// before. If `interrupt` becomes true, no further run begins.
///
/// # Errors
/// If an input cannot be used, a file cannot be written, another run is using the folder, or on an interruption. Rows that
/// were finished by then are kept in the folder, and earlier results remain. A run of a variant that fails is not an error
/// but a row with a status.
pub(crate) fn run<S: Study>(
    scenario: &Scenario<S::Fields>,
    options: &RunOptions,
    interrupt: &AtomicBool,
    progress: &dyn Progress,
) -> Result<RunReport, RunError> {
    let begin = Instant::now();
    let (folder, part) = (Folder::open(options)?, &options.part);
    let sources = folder::sources(options)?;
    let mut notices = Vec::new();
    let manifest = folder.manifest(&mut notices)?;
    if let Some(found) = manifest.as_ref().filter(|manifest| manifest.study != S::NAME) {
        let found = found.study.clone();
        return Err(RunError::OtherStudy { folder: options.out.clone(), found, expected: S::NAME });
    }
    let study = S::open(scenario)?;
    let inputs = study.inputs();
    let mut earlier = <S::Rows as RowSet<S>>::Earlier::default();
    if options.fresh {
        folder.remove_journal()?;
    } else {
        for each in std::iter::once(&folder).chain(&sources) {
            read_earlier(&study, each, &mut earlier, &mut notices)?;
        }
    }
    let plan = Plan::new(&study, part);
    let unit = match S::Rows::JOURNALING {
        Journaling::Runs => (plan.runs(), S::RUNS),
        Journaling::Instances => (plan.work.len(), "instances"),
    };
    let version = StudyVersion { name: S::NAME, semantics: S::SEMANTICS };
    let text = scenario.to_toml(S::NAME);
    let columns = S::Rows::journal_header(&study);
    let header = Header::new(version, part.shard(), unit, columns, &inputs, text.clone());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build()?;
    let sweep = Sweep::begin(options, (&folder, &sources), &header, (plan.runs(), S::RUNS), interrupt)?;
    let audit = S::AUDIT == Audit::Always || options.audit;
    let run = Run {
        study: &study,
        plan: &plan,
        earlier: &earlier,
        sweep,
        progress,
        audit,
        restored: AtomicUsize::new(0),
        preparing: AtomicU64::new(0),
        running: AtomicU64::new(0),
    };
    let weights: Vec<u64> = plan.work.iter().map(|work| plan.instances[work.at].weight).collect();
    let done = pool.install(|| run.sweep.run(&weights, |place| run.instance(&plan.work[place])));
    let Run { sweep, restored, preparing, running, .. } = run;
    sweep.end()?;

    let mut counts = Counts { restored: restored.into_inner(), ..Counts::default() };
    let mut failures = Vec::new();
    let mut known: BTreeSet<Key> = BTreeSet::new();
    let (mut parts, mut digests) = (Vec::new(), Vec::new());
    for instance in done {
        instance.statuses.iter().for_each(|&status| counts.add(status));
        failures.extend(instance.failures);
        known.extend(instance.keys);
        digests.push(instance.digest);
        parts.push(instance.part);
    }
    counts.computed = counts.total - counts.restored;
    let report = |tables| RunReport { tables, counts, runs: S::RUNS, inputs, notices, failures };
    if !part.completes() {
        return Ok(report(Vec::new()));
    }
    let mut report = report(Vec::new());
    let foreign = S::Rows::foreign(&earlier, &|key| known.contains(&key));
    if foreign > 0 {
        report
            .notices
            .push(format!("{foreign} rows in the folder belong to another scenario; they are replaced"));
    }
    let rows = S::Rows::from_parts(&study, parts);
    report.tables = tables(&study, &rows);

    let mut staged = folder.stage();
    for (file, lines) in S::Rows::files(&study).into_iter().zip(rows.write(&study)) {
        let all: Vec<Vec<String>> = std::iter::once(file.header).chain(lines).collect();
        staged.add(&file.name, &csv::lines(all.iter().map(Vec::as_slice)))?;
    }
    staged.add("instances.csv", &instances_file(&plan.instances, &digests))?;
    for NamedTable { name, table, summary, .. } in &report.tables {
        staged.add(&format!("tables/{name}.csv"), &table.csv())?;
        staged.add(&format!("tables/{name}.md"), &summary.as_ref().unwrap_or(table).markdown())?;
    }
    staged.add("scenario.toml", &text)?;
    let host = Host {
        threads: pool.current_num_threads(),
        wall_s: begin.elapsed().as_secs_f64(),
        preparing_s: Duration::from_nanos(preparing.into_inner()).as_secs_f64(),
        running_s: Duration::from_nanos(running.into_inner()).as_secs_f64(),
    };
    let files = staged.digests().clone();
    let new = Manifest {
        program: "dfrsim".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        study: S::NAME.to_owned(),
        semantics: S::SEMANTICS,
        title: scenario.title.clone(),
        seed: scenario.seed,
        audit: audit_word(S::AUDIT, audit).to_owned(),
        rows: report.counts.clone(),
        host,
        inputs: report.inputs.iter().map(InputSection::new).collect(),
        files: files.clone(),
    };
    staged.add(MANIFEST, &new.to_toml())?;
    staged.publish()?;
    folder.clean(manifest.as_ref(), &files)?;
    Ok(report)
}

/// The tables of the study that have lines, with the notes below the first one, and that of its claims.
fn tables<S: Study>(study: &S, rows: &S::Rows) -> Vec<NamedTable> {
    let mut tables = study.tables(rows);
    tables.retain(|named| !named.table.is_empty());
    let notes = study.notes(rows);
    if let Some(first) = tables.first_mut().filter(|_| !notes.is_empty()) {
        first.table = std::mem::take(&mut first.table).with_notes(notes);
    }
    let claims = study.claims(rows);
    if !claims.is_empty() {
        let title = "Published statements, each checked on these rows";
        tables.push(NamedTable::new("claims", title, claims::table(&claims)));
    }
    tables
}

/// The instances: their labels, and the digest of what was prepared for each.
fn instances_file(instances: &[InstanceId], digests: &[String]) -> String {
    let mut columns: Vec<&str> = Vec::new();
    for (name, _) in instances.iter().flat_map(|instance| &instance.labels) {
        if !columns.contains(name) {
            columns.push(name);
        }
    }
    let line = |(instance, digest): (&InstanceId, &String)| -> Vec<String> {
        let value = |column: &&str| {
            let found = instance.labels.iter().find(|(name, _)| name == column);
            found.map(|(_, value)| value.clone()).unwrap_or_default()
        };
        columns.iter().map(value).chain([digest.clone()]).collect()
    };
    let header = columns.iter().copied().chain(["sha256"]).map(str::to_owned).collect();
    let all: Vec<Vec<String>> =
        std::iter::once(header).chain(instances.iter().zip(digests).map(line)).collect();
    csv::lines(all.iter().map(Vec::as_slice))
}

/// What earlier runs left in a folder: a finished one, then those that were interrupted.
fn read_earlier<S: Study>(
    study: &S,
    folder: &Folder,
    earlier: &mut <S::Rows as RowSet<S>>::Earlier,
    notices: &mut Vec<String>,
) -> Result<(), RunError> {
    if let Some(manifest) = folder.manifest(&mut Vec::new())?.filter(|found| found.study == S::NAME) {
        let mut finished = <S::Rows as RowSet<S>>::Earlier::default();
        for (place, file) in S::Rows::files(study).iter().enumerate() {
            let Some(text) = folder.read(&manifest, &file.name, notices)? else { continue };
            let mut records = csv::records(&text);
            let Some(header) = records.next() else { continue };
            let header: Vec<&str> = header.iter().collect();
            let mut unusable = 0;
            for record in records {
                let fields: Vec<&str> = record.iter().collect();
                unusable += usize::from(!S::Rows::take_row(study, &mut finished, place, &header, &fields));
            }
            if unusable > 0 {
                notices.push(format!(
                    "{}: {unusable} rows are of another version; they are computed again",
                    file.name
                ));
            }
        }
        S::Rows::absorb(earlier, finished);
    }
    let columns = S::Rows::journal_header(study);
    let found = folder.read_journals(&columns)?;
    let (mut unfinished, mut damaged) = (<S::Rows as RowSet<S>>::Earlier::default(), found.damaged);
    for record in &found.records {
        let fields: Vec<&str> = record.iter().collect();
        if !S::Rows::take_journal(study, &mut unfinished, &fields) {
            damaged += 1;
        }
    }
    notices.extend(folder.damage(damaged));
    S::Rows::absorb(earlier, unfinished);
    Ok(())
}

/// What is run here.
struct Plan<S: Study> {
    instances: Vec<InstanceId>,
    /// The instances of which something is run here.
    work: Vec<Work<S>>,
}

/// Runs on one instance.
struct Work<S: Study> {
    /// The place of the instance.
    at: usize,
    variants: Vec<Planned<S>>,
}

/// A variant that is run.
struct Planned<S: Study> {
    /// Its place among the variants of the instance.
    place: usize,
    variant: S::Variant,
    labels: Labels,
    /// What progress calls it.
    name: String,
}

impl<S: Study> Plan<S> {
    fn new(study: &S, part: &Part) -> Plan<S> {
        let instances = study.instances();
        let all: Vec<Vec<S::Variant>> = (0..instances.len()).map(|at| study.variants(at)).collect();
        let own = own(study, part, &instances, &all);
        let varying = varying(study, all.first().map(Vec::as_slice).unwrap_or_default());
        let mut work = Vec::new();
        for (at, (variants, own)) in all.into_iter().zip(own).enumerate() {
            let planned = |(place, variant): (usize, S::Variant)| {
                let labels = study.labels(&variant);
                let name = name(&labels, &varying);
                Planned { place, variant, labels, name }
            };
            let is_own = |(place, _): &(usize, S::Variant)| own[*place];
            let variants: Vec<Planned<S>> =
                variants.into_iter().enumerate().filter(is_own).map(planned).collect();
            // A whole run keeps instances without variants, for the list of instances.
            if !variants.is_empty() || part.completes() {
                work.push(Work { at, variants });
            }
        }
        Plan { instances, work }
    }
    fn runs(&self) -> usize {
        self.work.iter().map(|work| work.variants.len()).sum()
    }
}

/// Which runs are done here: for each instance, which of its variants. How long a variant takes is not known, so the runs of
/// an instance are dealt out in an order that has nothing to do with their names.
fn own<S: Study>(
    study: &S,
    part: &Part,
    instances: &[InstanceId],
    variants: &[Vec<S::Variant>],
) -> Vec<Vec<bool>> {
    if part.completes() {
        return variants.iter().map(|of_instance| vec![true; of_instance.len()]).collect();
    }
    let key = |at: usize, variant: Option<&S::Variant>| {
        let mut key = KeyBuilder::new(S::NAME, 0);
        instances[at].labels.iter().for_each(|(name, value)| _ = key.field(name, value));
        if let Some(variant) = variant {
            study.labels(variant).iter().for_each(|(name, value)| _ = key.field(name, value));
        }
        key.key()
    };
    let mut pieces: Vec<(Key, usize, Option<usize>)> = Vec::new();
    for (at, of_instance) in variants.iter().enumerate() {
        match S::GRAIN {
            Grain::Variants => pieces.extend(
                of_instance
                    .iter()
                    .enumerate()
                    .map(|(place, variant)| (key(at, Some(variant)), at, Some(place))),
            ),
            Grain::Instances => pieces.push((key(at, None), at, None)),
        }
    }
    pieces.sort_unstable();
    let weights: Vec<u64> = pieces.iter().map(|&(_, at, _)| instances[at].weight).collect();
    let mut own: Vec<Vec<bool>> = variants.iter().map(|of_instance| vec![false; of_instance.len()]).collect();
    for ((_, at, place), is_own) in pieces.into_iter().zip(part.own(&weights)) {
        match place {
            Some(place) => own[at][place] = is_own,
            None => own[at].fill(is_own),
        }
    }
    own
}

/// The labels in which variants differ.
fn varying<S: Study>(study: &S, variants: &[S::Variant]) -> Vec<&'static str> {
    let labels: Vec<Labels> = variants.iter().map(|variant| study.labels(variant)).collect();
    let first = labels.first().cloned().unwrap_or_default();
    let differs = |(name, value): &(&'static str, String)| {
        labels.iter().any(|other| {
            other.iter().find(|(other, _)| other == name).is_none_or(|(_, other)| other != value)
        })
    };
    first.into_iter().filter(differs).map(|(name, _)| name).collect()
}

/// What progress calls a variant: the values in which it may differ from others; its first one if there is none.
fn name(labels: &Labels, varying: &[&str]) -> String {
    let chosen: Vec<&str> = (labels.iter())
        .filter(|(name, value)| varying.contains(name) && !value.is_empty())
        .map(|(_, value)| value.as_str())
        .collect();
    if chosen.is_empty() {
        labels.first().map(|(_, value)| value.clone()).unwrap_or_default()
    } else {
        chosen.join(" ")
    }
}

/// All runs of a scenario while they are under way.
struct Run<'a, S: Study> {
    study: &'a S,
    plan: &'a Plan<S>,
    earlier: &'a <S::Rows as RowSet<S>>::Earlier,
    sweep: Sweep<'a>,
    progress: &'a dyn Progress,
    audit: bool,
    restored: AtomicUsize,
    /// Time spent, in nanoseconds, added up over the threads.
    preparing: AtomicU64,
    running: AtomicU64,
}

/// An instance when all of its rows are there.
struct Done<P> {
    part: P,
    digest: String,
    keys: Vec<Key>,
    statuses: Vec<crate::Status>,
    failures: Vec<String>,
}

/// A run that is to be done, with its rows if they are known already.
struct Pending<'a, S: Study> {
    planned: &'a Planned<S>,
    key: Key,
    restored: Option<Vec<Record<S::Row>>>,
}

/// A variant whose rows are there.
struct Finished<R> {
    key: Key,
    outcome: Outcome<R>,
    /// Whether they were computed, not taken over.
    is_computed: bool,
}

impl<S: Study> Run<'_, S> {
    /// All rows of an instance; `None` if the sweep was stopped before they were there.
    fn instance(&self, work: &Work<S>) -> Option<Done<<S::Rows as RowSet<S>>::Part>> {
        let begin = Instant::now();
        let prepared = self.study.prepare(work.at);
        add_time(&self.preparing, begin);
        let digest = prepared.as_ref().map_or_else(
            |failure| format!("none: {}", failure.message),
            |Prepared { digest, .. }| digest.to_string(),
        );
        let mut instance_key = KeyBuilder::new(S::NAME, S::SEMANTICS);
        instance_key.field("instance", &digest);
        let pending: Vec<Pending<'_, S>> =
            work.variants.iter().map(|planned| self.pending(work.at, planned, &instance_key)).collect();
        let is_missing = |pending: &Pending<'_, S>| pending.restored.is_none();
        let is_any_missing = pending.iter().any(is_missing);
        if is_any_missing && !self.sweep.computes() {
            // Those that are there count, so that the message says how many are not.
            pending.iter().filter(|each| !is_missing(each)).for_each(|_| _ = self.sweep.finish_one());
            return None;
        }
        // On another thread than the runs, so that one large instance keeps several threads busy.
        let (_, outcomes) = rayon::join(
            || {
                if let Ok(Prepared { instance, .. }) = prepared.as_ref()
                    && is_any_missing
                {
                    self.study.beside(instance);
                }
            },
            || {
                pending
                    .into_par_iter()
                    .map(|pending| self.outcome(work.at, prepared.as_ref(), pending))
                    .collect::<Option<Vec<_>>>()
            },
        );
        let outcomes = outcomes?;
        let is_computed = outcomes.iter().any(|finished| finished.is_computed);
        let keys = outcomes.iter().map(|finished| finished.key).collect();
        let outcomes: Vec<Outcome<S::Row>> = outcomes.into_iter().map(|finished| finished.outcome).collect();
        let instance_key = instance_key.key();
        let is_journaled = S::Rows::JOURNALING == Journaling::Instances;
        if is_journaled && (is_computed || !self.sweep.is_kept(instance_key)) {
            self.sweep.keep(S::Rows::journal(self.study, work.at, instance_key, &outcomes))?;
        }
        let records = || outcomes.iter().flat_map(|outcome| &outcome.records);
        let statuses = records().map(Record::status).collect();
        let failures = records().filter_map(failure).collect();
        let part = S::Rows::part(self.study, work.at, instance_key, outcomes);
        let keys = if is_journaled { vec![instance_key] } else { keys };
        Some(Done { part, digest, keys, statuses, failures })
    }

    fn pending<'b>(&self, at: usize, planned: &'b Planned<S>, instance: &KeyBuilder) -> Pending<'b, S> {
        let mut key = instance.clone();
        self.study.key(&planned.variant, &mut key);
        let key = key.key();
        let restored =
            S::Rows::earlier(self.study, self.earlier, at, instance.key(), (&planned.variant, key));
        Pending { planned, key, restored }
    }

    /// The rows of a variant; `None` if the sweep was stopped.
    fn outcome(
        &self,
        at: usize,
        prepared: Result<&Prepared<S::Instance>, &Failure>,
        pending: Pending<'_, S>,
    ) -> Option<Finished<S::Row>> {
        let Pending { planned, key, restored } = pending;
        let is_computed = restored.is_none();
        let records = match restored {
            Some(records) => {
                self.restored.fetch_add(records.len(), Ordering::Relaxed);
                records
            }
            None if self.sweep.is_over() => return None,
            None => {
                let records = self.compute(at, prepared, planned, key);
                // A run that was interrupted may have ended early.
                if self.sweep.is_over() && records.iter().any(|record| record.outcome.is_err()) {
                    return None;
                }
                records
            }
        };
        let outcome = Outcome { variant: planned.place, records };
        if S::Rows::JOURNALING == Journaling::Runs && !self.sweep.is_kept(key) {
            let outcome = std::slice::from_ref(&outcome);
            self.sweep.keep(S::Rows::journal(self.study, at, key, outcome))?;
        }
        self.report(planned, &outcome);
        Some(Finished { key, outcome, is_computed })
    }

    fn compute(
        &self,
        at: usize,
        prepared: Result<&Prepared<S::Instance>, &Failure>,
        planned: &Planned<S>,
        key: Key,
    ) -> Vec<Record<S::Row>> {
        let begin = Instant::now();
        let watch = Watch::new(self.audit, self.sweep.interrupt());
        let rows = prepared
            .map_err(Clone::clone)
            .and_then(|prepared| self.study.run(&prepared.instance, at, &planned.variant, watch));
        add_time(&self.running, begin);
        match rows {
            Ok(rows) if !rows.is_empty() => {
                rows.into_iter().map(|row| Record { key, outcome: Ok(row) }).collect()
            }
            Ok(_) => vec![self.unfinished(at, planned, key, Failure::failed("there is nothing to measure"))],
            Err(failure) => vec![self.unfinished(at, planned, key, failure)],
        }
    }

    /// The record of a failure: what is known of its row are the labels.
    fn unfinished(&self, at: usize, planned: &Planned<S>, key: Key, failure: Failure) -> Record<S::Row> {
        let row_type = self.study.row_type(&planned.variant);
        let labels = || self.plan.instances[at].labels.iter().chain(&planned.labels);
        let value = |name: &str| {
            labels().find(|(label, _)| *label == name).map(|(_, value)| value.clone()).unwrap_or_default()
        };
        let columns = S::Row::TYPES[row_type].columns;
        let fields = columns.iter().map(|column| value(column.name)).collect();
        Record { key, outcome: Err(Unfinished { row_type, fields, failure }) }
    }

    fn report(&self, planned: &Planned<S>, outcome: &Outcome<S::Row>) {
        let values: Vec<(String, Option<f64>)> =
            outcome.records.iter().map(|record| (planned.name.clone(), primary_value(record))).collect();
        self.progress.step(&Step {
            finished: self.sweep.finish_one(),
            total: self.sweep.total(),
            values: &values,
            primary: primary::<S>(self.study.row_type(&planned.variant))
                .map(|(_, name, better)| (name, better)),
        });
    }
}

/// The primary metric of a type of rows: its place, name and direction.
fn primary<S: Study>(row_type: usize) -> Option<(usize, &'static str, Better)> {
    let columns = S::Row::TYPES[row_type].columns;
    let place = columns.iter().position(crate::Column::is_primary)?;
    Some((place, columns[place].name, columns[place].better()?))
}

/// The primary metric of a record, if it has one.
fn primary_value<R: crate::Row>(record: &Record<R>) -> Option<f64> {
    let row = record.outcome.as_ref().ok()?;
    let columns = R::TYPES[row.row_type()].columns;
    let place = columns.iter().position(crate::Column::is_primary)?;
    match datum(columns[place].kind, &row.write()[place])? {
        Datum::Number(number) => Some(number),
        Datum::Integer(number) => Some(number as f64),
        Datum::Text(_) | Datum::Boolean(_) | Datum::Missing => None,
    }
}

/// The line about a record that is a failure.
fn failure<R: crate::Row>(record: &Record<R>) -> Option<String> {
    let unfinished = record.outcome.as_ref().err()?;
    let Failure { status, message } = &unfinished.failure;
    let labels: Vec<&str> =
        unfinished.fields.iter().map(String::as_str).filter(|field| !field.is_empty()).collect();
    status.is_failure().then(|| format!("{}: {status}: {message}", labels.join(", ")))
}

fn add_time(total: &AtomicU64, begin: Instant) {
    total.fetch_add(begin.elapsed().as_nanos() as u64, Ordering::Relaxed);
}
