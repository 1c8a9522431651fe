//! Execution of a study: instances x variants -> rows, tables and a manifest.

use super::folder::{self, ResultsFolder};
use super::header::JournalHeader;
use super::inputs::{copies, inputs, sections};
use super::manifest::{Counts, Host, InputSection, MANIFEST, Manifest, audit_word};
use super::options::RunOptions;
use super::plan::Plan;
use super::progress::Progress;
use super::runs::Runs;
use super::seal;
use super::times::TIMES;
use super::work::Sweep;
use crate::fields::UsedFile;
use crate::study::{AnyScenario, Audit, Input, InstanceId, Journaling, Origin, RowStore, StudyOutputs};
use crate::table::NamedTable;
use crate::text::csv;
use crate::{RunError, claims};
use std::sync::PoisonError;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Approximate memory of a row in bytes: its values, and its lines in files before they are written.
const ROW_BYTES: u64 = 400;
/// Memory estimates of at least this many bytes are reported.
const NOTICE_BYTES: u64 = 1_000_000_000;

/// Summary of a run.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// Tables of the results; empty after a shard.
    pub tables: Vec<NamedTable>,
    /// Counts of rows.
    pub counts: Counts,
    /// Plural name of the runs.
    pub runs: &'static str,
    /// Input files, with remarks about them.
    pub inputs: Vec<Input>,
    /// Other notices for the user.
    pub notices: Vec<String>,
    /// Failed runs, one line each: the values of their labels, the status and the message.
    pub failures: Vec<String>,
}

impl AnyScenario {
    /// Runs the missing parts of a scenario, and writes rows, tables and manifest.
    ///
    /// All files except the manifest and the [times](crate::RunContext::report_time) depend on the
    /// scenario alone: not on threads, interruptions, or earlier contents of the folder. If
    /// `interrupt` becomes true, no further run starts.
    ///
    /// # Errors
    /// Returns an error if an input cannot be used, a file cannot be written, another run is using
    /// the folder, or the run is interrupted. Finished rows are kept in the folder, and earlier
    /// results remain. A failed run of a variant is not an error but a row with a status.
    pub fn run(
        &self,
        options: &RunOptions,
        interrupt: &AtomicBool,
        progress: &dyn Progress,
    ) -> Result<RunReport, RunError> {
        let begin = Instant::now();
        let (about, text) = (&self.study, &self.text);
        let commands = &self.uses.commands;
        if options.part.computes() && !options.allow_commands && !commands.is_empty() {
            return Err(RunError::Commands { commands: commands.clone() });
        }
        let (folder, part) = (ResultsFolder::open(options)?, &options.part);
        let sources = folder::sources(options)?;
        let mut notices = Vec::new();
        let manifest = folder.manifest(&mut notices)?;
        if let Some(found) = manifest.as_ref().filter(|manifest| manifest.study != about.name) {
            let message = format_args!(
                "contains results of the study `{}`, not `{}`; choose another folder, or remove this one",
                found.study, about.name
            );
            return Err(RunError::unusable(&options.out, message));
        }
        let threads = match options.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let (memory, rows) = (self.memory_and_rows)();
        // The bound holds for all runs, of which conditions may select a few.
        let rows = if self.only.is_empty() { rows } else { 0 };
        check_memory(options, memory.saturating_mul(threads as u64), &mut notices)?;
        check_memory(options, rows.saturating_mul(ROW_BYTES), &mut Vec::new())?;
        check_received(options, rows)?;
        let mut known = Vec::new();
        let study = (self.open)(&mut known)?;
        let inputs = inputs(&self.uses, known)?;
        for UsedFile { given, path, others, .. } in &self.uses.files {
            for other in others {
                notices.push(format!(
                    "`{given}` is {}; {} is another file and is not read",
                    path.display(),
                    other.display()
                ));
            }
        }
        let copies = copies(&self.uses, &inputs);
        let mut keeper = study.row_store();
        if options.fresh {
            folder.remove_journal()?;
        } else {
            for each in std::iter::once(&folder).chain(&sources) {
                read_earlier(about.name, keeper.as_mut(), each, &mut notices)?;
            }
        }
        let plan = Plan::new(study.as_ref(), part, &self.only)?;
        check_memory(options, (plan.runs as u64).saturating_mul(ROW_BYTES), &mut notices)?;
        check_received(options, plan.runs as u64)?;
        let (keys, unit) = match keeper.journaling() {
            Journaling::Runs => (plan.runs, about.runs),
            Journaling::Instances => (plan.work.len(), "instances"),
        };
        let is_audited = if part.computes() {
            options.audit
        } else {
            let folders = std::iter::once(&folder).chain(&sources).map(ResultsFolder::is_audited);
            folders.collect::<Result<Vec<bool>, RunError>>()?.into_iter().all(|is_audited| is_audited)
        };
        let audit = about.audit == Audit::Always || is_audited;
        let header = JournalHeader {
            program: "dfrsim".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            study: about.name.to_owned(),
            semantics: about.semantics,
            shard: part.shard().map(|shard| shard.to_string()),
            keys,
            unit: unit.to_owned(),
            audit,
            columns: keeper.journal_header(),
            inputs: inputs.iter().map(InputSection::new).collect(),
            scenario: text.clone(),
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build()?;
        let sweep = Sweep::begin(options, (&folder, &sources), &header, (plan.runs, about.runs), interrupt)?;
        let mut runs = Runs::new(study.as_ref(), &plan, keeper.as_ref(), sweep, progress, audit);
        runs.ends_at_missing = options.received_rows.is_some();
        let weights: Vec<u64> = plan.work.iter().map(|work| plan.instances[work.at].weight).collect();
        let done = pool.install(|| runs.sweep.run(&weights, |place| runs.instance(&plan.work[place])));
        let Runs { sweep, keys, restored, preparing, running, times, .. } = runs;
        sweep.end()?;

        let mut counts = Counts { restored: restored.into_inner(), ..Counts::default() };
        let mut failures = Vec::new();
        let known = keys.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (mut parts, mut digests) = (Vec::new(), Vec::new());
        for instance in done {
            instance.statuses.into_iter().for_each(|(status, rows)| counts.add(status, rows));
            failures.extend(instance.failures);
            digests.push(instance.digest);
            parts.push(instance.part);
        }
        counts.computed = counts.total - counts.restored;
        let report = |tables| RunReport { tables, counts, runs: about.runs, inputs, notices, failures };
        if !part.completes() {
            return Ok(report(Vec::new()));
        }
        let mut report = report(Vec::new());
        let foreign = keeper.drop_earlier(&|key| known.contains_key(&key));
        if foreign > 0 {
            report
                .notices
                .push(format!("{foreign} rows in the folder belong to another scenario and are replaced"));
        }
        drop(known);
        let mut staged = folder.stage();
        for (file, text) in keeper.files().iter().zip(keeper.write(&parts)) {
            staged.add(&file.name, &text)?;
        }
        report.tables = all_tables(study.outputs(keeper, parts));

        let instances: Vec<&InstanceId> = plan.work.iter().map(|work| &plan.instances[work.at]).collect();
        staged.add("instances.csv", &instances_file(&instances, &digests))?;
        for NamedTable { name, table, summary, .. } in &report.tables {
            staged.add(&format!("tables/{name}.csv"), &table.csv())?;
            let shown = summary.as_ref().unwrap_or(table);
            staged.add(&format!("tables/{name}.md"), &shown.markdown())?;
            staged.add(&format!("tables/{name}.tex"), &shown.latex())?;
        }
        for copy in &copies {
            staged.add(&copy.name, &copy.text)?;
        }
        staged.add("scenario.toml", text)?;
        // If all rows were restored, the times of the run that computed them remain valid.
        let times = match (times.table(study.as_ref(), &plan.instances), &manifest) {
            (None, Some(earlier)) => folder.read(earlier, TIMES, &mut report.notices)?,
            (times, _) => times.map(|table| table.csv()),
        };
        if let Some(times) = times {
            staged.add(TIMES, &times)?;
        }
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
            study: about.name.to_owned(),
            semantics: about.semantics,
            title: self.title.clone(),
            seed: self.seed,
            audit: audit_word(about.audit, audit).to_owned(),
            rows: report.counts.clone(),
            host,
            inputs: sections(&report.inputs, &copies),
            files: files.clone(),
        };
        staged.add(MANIFEST, &seal::write(&new))?;
        staged.publish()?;
        folder.clean(manifest.as_ref(), &files)?;
        Ok(report)
    }
}

/// Returns the non-empty tables of the study, with the notes below the first one, followed by the
/// table of claims.
fn all_tables(made: StudyOutputs) -> Vec<NamedTable> {
    let StudyOutputs { mut tables, notes, claims } = made;
    tables.retain(|named| !named.table.is_empty());
    if let Some(first) = tables.first_mut().filter(|_| !notes.is_empty()) {
        let shown = first.summary.as_mut().unwrap_or(&mut first.table);
        *shown = std::mem::take(shown).with_notes(notes);
    }
    if !claims.is_empty() {
        let title = "Published statements, each checked on these rows";
        tables.push(NamedTable::new("claims", title, claims::table(&claims)));
    }
    tables
}

/// Formats the list of instances: their labels, and the digest of each prepared instance.
fn instances_file(instances: &[&InstanceId], digests: &[String]) -> String {
    let mut columns: Vec<&str> = Vec::new();
    for (name, _) in instances.iter().flat_map(|instance| &instance.labels) {
        if !columns.contains(name) {
            columns.push(name);
        }
    }
    let line = |(instance, digest): (&&InstanceId, &String)| -> Vec<String> {
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

/// Refuses a run that needs more memory than the limit; adds a notice if it needs much.
fn check_memory(options: &RunOptions, needed: u64, notices: &mut Vec<String>) -> Result<(), RunError> {
    if needed > options.max_memory {
        return Err(RunError::Memory { needed, limit: options.max_memory });
    }
    if needed >= NOTICE_BYTES {
        notices.push(format!("estimated memory: at least {:.1} GB", needed as f64 / 1e9));
    }
    Ok(())
}

/// Refuses a scenario that has more rows than were received.
fn check_received(options: &RunOptions, rows: u64) -> Result<(), RunError> {
    match options.received_rows {
        Some(received) if rows > received as u64 => {
            Err(RunError::input(format_args!("it has at least {rows} rows, but there are {received}")))
        }
        _ => Ok(()),
    }
}

/// Loads the rows that earlier runs of the study left in a folder: first those of a finished run,
/// then those of interrupted ones.
fn read_earlier(
    study: &str,
    keeper: &mut dyn RowStore,
    folder: &ResultsFolder,
    notices: &mut Vec<String>,
) -> Result<(), RunError> {
    if let Some(manifest) = folder.manifest(&mut Vec::new())?.filter(|found| found.study == study) {
        let files = keeper.files();
        let mut is_complete = true;
        for (place, file) in files.iter().enumerate() {
            let Some(text) = folder.read(&manifest, &file.name, notices)? else {
                is_complete = false;
                continue;
            };
            let mut records = csv::records(&text);
            let Some(header) = records.next() else { continue };
            let header: Vec<String> = header.iter().map(str::to_owned).collect();
            let unusable = keeper.load(Origin::File(place), &header, &mut records);
            if unusable > 0 {
                is_complete = false;
                notices.push(format!(
                    "{}: {unusable} rows are from another version and are computed again",
                    file.name
                ));
            }
        }
        // The rows of one run may be spread over several files; rows from some of the files must not
        // pass for all of them.
        keeper.commit(is_complete || files.len() == 1);
    }
    let mut damaged = 0;
    for (header, found) in folder.read_journals(&keeper.journal_header())? {
        damaged += found.damaged;
        damaged += keeper.load(Origin::Journal, &header, &mut found.records.into_iter());
    }
    notices.extend(folder.damage_notice(damaged));
    keeper.commit(true);
    Ok(())
}
