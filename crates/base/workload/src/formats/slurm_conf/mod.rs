//! A site as Slurm's own files have it: `slurm.conf` with what it includes (<https://slurm.schedmd.com/slurm.conf.html>), `gres.conf`, and the
//! associations and qualities of service that `sacctmgr` lists.
//!
//! [`Site::read`] reads the files, [`Site::change`] changes one of their parameters, and [`Site::for_log`] gives the nodes and the settings
//! for the jobs of a log, with all that is not used ([`Ignored`], sorted by what it may change). [`read`] reads the priorities of a
//! `slurm.conf` alone. What is missing has Slurm's default: so the fair share is Fair Tree without `PriorityFlags=NO_FAIR_TREE`, and
//! `PartitionName=DEFAULT` has what those behind it do not say.
//!
//! ```
//! use dfrsim_workload::formats::slurm_conf;
//! let text = "\
//! ClusterName=example
//! PriorityWeightFairshare=10000   # the rest is 0
//! PriorityDecayHalfLife=14-0
//! SchedulerParameters=bf_max_job_test=100,bf_continue
//! PartitionName=short Nodes=n[1-8] MaxTime=2:00:00 PriorityJobFactor=10
//! ";
//! let read = slurm_conf::read(text)?;
//! assert_eq!((read.settings.weights.fair_share, read.settings.half_life_s), (10_000, 1_209_600));
//! assert_eq!(read.settings.backfill.max_job_test, Some(100));
//! assert_eq!(read.settings.partitions[0].max_time_s, Some(7_200));
//! assert_eq!(read.notices(), ["not used: ClusterName"]);
//! # Ok::<(), slurm_conf::ConfError>(())
//! ```

mod change;
mod consequence;
mod database;
mod lines;
mod names;
mod nodes;
mod parameters;
mod reservations;
mod tables;

pub use consequence::{Consequence, Ignored};
pub(super) use names::{feature_of_partition, feature_of_reservation, word};
pub use nodes::NodeKind;

use crate::by_name::NO_JOBS;
use crate::log::{Header, Naming};
use database::Listed;
use dfrsim_model::JobId;
use dfrsim_model::named::UnknownName;
use dfrsim_model::priority::{Account, JobArray, JobClass, Priorities};
use lines::{At, ConfLine};
use nodes::Nodes;
use parameters::{Parameters, QOS_PREEMPTION};
use reservations::Reserved;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tables::Row;

/// Something in a file of Slurm's that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{reason}", place(file, *line, parameter))]
pub struct ConfError {
    /// The file; empty if the text is in none.
    pub file: String,
    /// The line, from 1; 0 if it is about the whole file.
    pub line: usize,
    /// The parameter or column.
    pub parameter: String,
    /// What was expected, and what was found.
    pub reason: String,
}

fn place(file: &str, line: usize, parameter: &str) -> String {
    let line = if line > 0 { format!("line {line}") } else { String::new() };
    let parts = [file, &line, parameter].into_iter().filter(|part| !part.is_empty());
    parts.map(|part| format!("{part}: ")).collect()
}

/// That there is no such name, with the nearest one.
fn unknown(what: &'static str, found: &str, choices: &mut dyn Iterator<Item = &str>) -> String {
    UnknownName::new(what, found, choices).to_string()
}

/// Priorities, limits, preemption and backfilling of a `slurm.conf`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlurmConf {
    /// What is used of them. Partitions have their names, and no jobs of their own yet: see [`SlurmConf::of_log`].
    pub settings: Priorities,
    /// The parameters that are not used, each once, in the order of the file.
    pub ignored: Vec<String>,
    /// The partitions of which a log has no jobs.
    pub absent: Vec<String>,
}

impl SlurmConf {
    /// What users should know.
    pub fn notices(&self) -> Vec<String> {
        let notice = |what: &str, names: &[String]| {
            (!names.is_empty()).then(|| format!("{what}: {}", names.join(", ")))
        };
        let absent = notice("partitions of which the log has no jobs", &self.absent);
        notice("not used", &self.ignored).into_iter().chain(absent).collect()
    }

    /// For a log with this header: each partition has the jobs of the number that the header gives to its name, and others have none, but
    /// their factors and tiers count. The only partition of a file has all jobs where the header names none.
    #[must_use]
    pub fn of_log(mut self, header: &Header) -> SlurmConf {
        self.absent = number_partitions(&mut self.settings.partitions, header);
        self
    }
}

/// Reads the priorities of a `slurm.conf`.
///
/// # Errors
/// The first parameter that is used and cannot be read.
pub fn read(text: &str) -> Result<SlurmConf, ConfError> {
    of_lines(&lines::of_text(text, ""))
}

/// Reads the priorities of a file, and of those that it includes.
///
/// # Errors
/// A file that cannot be read, or the first parameter that is used and cannot be.
pub fn read_file(path: &Path) -> Result<SlurmConf, ConfError> {
    of_lines(&lines::read(path)?)
}

fn of_lines(lines: &[ConfLine]) -> Result<SlurmConf, ConfError> {
    let Parameters { settings, ignored, .. } = parameters::read(lines)?;
    Ok(SlurmConf { settings, ignored, absent: Vec::new() })
}

/// Gives partitions the numbers that a header gives to their names: also to lists of partitions (`cpu,debug`) of which they are the first.
/// Returns the names of those without any, which have no jobs.
fn number_partitions(partitions: &mut [JobClass], header: &Header) -> Vec<String> {
    let named: Vec<(u32, &str)> = header.names(Naming::Partition).collect();
    if named.is_empty() && partitions.len() == 1 {
        return Vec::new();
    }
    let mut absent = Vec::new();
    for class in partitions {
        let own = named.iter().filter(|(_, name)| first_of(name) == class.name);
        class.partitions = own.map(|(number, _)| *number).collect();
        if class.partitions.is_empty() {
            absent.push(class.name.clone());
            class.partitions.push(NO_JOBS);
        }
    }
    absent
}

/// The first partition of a list; jobs that have not started have all that they may start in.
pub(super) fn first_of(list: &str) -> &str {
    list.split(',').next().unwrap_or_default()
}

/// The names of those that are no users.
fn names_of(accounts: &[Account]) -> Vec<&str> {
    accounts.iter().filter(|account| !account.is_user).map(|account| account.name.as_str()).collect()
}

fn names_of_classes(classes: &[JobClass]) -> Vec<&str> {
    classes.iter().map(|class| class.name.as_str()).collect()
}

/// The files of a site.
#[derive(Clone, Debug, Default)]
pub struct SiteFiles {
    /// `slurm.conf`.
    pub conf: PathBuf,
    /// `gres.conf`.
    pub gres: Option<PathBuf>,
    /// What `sacctmgr show assoc --parsable2` or `sacctmgr dump` prints.
    pub associations: Option<PathBuf>,
    /// What `sacctmgr show qos --parsable2` prints.
    pub qos: Option<PathBuf>,
    /// What `scontrol show reservation` prints.
    pub reservations: Option<PathBuf>,
}

/// A site as its files have it.
#[derive(Clone, Debug)]
pub struct Site {
    conf: String,
    lines: Vec<ConfLine>,
    gres: Vec<ConfLine>,
    associations: Option<Vec<Row>>,
    qos: Option<Vec<Row>>,
    reservations: Option<Vec<Reserved>>,
    /// Nodes more, or less, of a partition or like a node.
    more_nodes: Vec<(String, i64)>,
}

/// What a site is for the jobs of a log.
#[derive(Clone, Debug)]
pub struct SiteOfLog {
    /// The nodes.
    pub kinds: Vec<NodeKind>,
    /// Priorities, limits, preemption and backfilling.
    pub settings: Priorities,
    /// What is not used.
    pub ignored: Ignored,
    /// Partitions and qualities of service of which the log has no jobs.
    pub absent: Vec<String>,
}

impl Site {
    /// Reads the files.
    ///
    /// # Errors
    /// The first file that cannot be read, and the first line, parameter or column that is used and cannot be.
    pub fn read(files: &SiteFiles) -> Result<Site, ConfError> {
        let read = |path: &Option<PathBuf>| path.as_deref().map_or(Ok(Vec::new()), lines::read);
        let rows = |path: &Option<PathBuf>, needed: &str| {
            path.as_deref().map(|path: &Path| tables::read(path, needed)).transpose()
        };
        let site = Site {
            conf: files.conf.display().to_string(),
            lines: lines::read(&files.conf)?,
            gres: read(&files.gres)?,
            associations: rows(&files.associations, "Account")?,
            qos: rows(&files.qos, "Name")?,
            reservations: files.reservations.as_deref().map(reservations::read).transpose()?,
            more_nodes: Vec::new(),
        };
        site.parts().map(|_| site.clone())
    }

    /// Whether the reservations are known.
    pub fn has_reservations(&self) -> bool {
        self.reservations.is_some()
    }

    /// Whether a reservation, by its feature, is not for jobs of this user and account.
    pub fn keeps_off(&self, feature: &str, user: Option<&str>, account: Option<&str>) -> bool {
        let mut all = self.reservations.iter().flatten();
        all.any(|it| feature_of_reservation(&it.name) == feature && !it.admits(user, account))
    }

    /// What the files say, by part.
    fn parts(&self) -> Result<Parts, ConfError> {
        let mut parameters = parameters::read(&self.lines)?;
        let mut nodes = nodes::read(&self.lines, &self.gres)?;
        for (of, more) in &self.more_nodes {
            nodes.change(of, *more);
        }
        nodes.reserve(self.reservations.iter().flatten())?;
        let pairs = self.lines.iter().flat_map(|line| &line.pairs);
        let cluster = lines::values(pairs, "ClusterName").next_back();
        let preempts = parameters.ignored.iter().any(|name| name == QOS_PREEMPTION);
        let accounts =
            self.associations.as_deref().map(|rows| database::accounts(rows, cluster)).transpose()?;
        let qos = self.qos.as_deref().map(|rows| database::qos(rows, preempts)).transpose()?;
        if let Some(qos) = &qos {
            parameters.limit_partitions(&qos.all);
        }
        let parts = Parts { parameters, nodes, accounts, qos };
        parts.check()?;
        Ok(parts)
    }

    /// The nodes and the settings for the jobs of a log with this header, of which a table says what they
    /// [ask for](crate::prepare::resources).
    ///
    /// # Errors
    /// A partition, an account or a quality of service of the log that the files do not have, with the nearest one.
    pub fn for_log(
        &self,
        header: &Header,
        given: &BTreeMap<JobId, Vec<(String, u32)>>,
    ) -> Result<SiteOfLog, ConfError> {
        let Parts { mut parameters, nodes, accounts, qos } = self.parts()?;
        let check = |of: Naming, what: &'static str, known: &[&str]| {
            let mut names = header.names(of).map(|(_, name)| first_of(name));
            let is_root = |name: &str| of == Naming::Group && name == "root";
            names.find(|name| !known.contains(name) && !is_root(name)).map_or(Ok(()), |name| {
                let reason = unknown(what, name, &mut known.iter().copied());
                let at = At { file: self.conf.as_str().into(), ..At::default() };
                Err(at.fault(format!("the log has jobs of an {reason}")))
            })
        };
        let partitions = &mut parameters.settings.partitions;
        if !partitions.is_empty() {
            check(Naming::Partition, "partition", &names_of_classes(partitions))?;
        }
        let mut absent = number_partitions(partitions, header);
        if let Some(Listed { all, ignored, .. }) = qos {
            check(Naming::Queue, "quality of service", &names_of_classes(&all))?;
            for mut class in all {
                let number = header.names(Naming::Queue).find(|(_, name)| *name == class.name);
                if number.is_none() {
                    absent.push(class.name.clone());
                }
                class.queues.push(number.map_or(NO_JOBS, |(number, _)| number));
                parameters.settings.qos.push(class);
            }
            parameters.ignored.retain(|name| name != QOS_PREEMPTION);
            ignored.into_iter().for_each(|name| parameters.ignore(name));
        }
        if let Some(Listed { all, ignored, .. }) = accounts {
            check(Naming::Group, "account", &names_of(&all))?;
            let users: FxHashMap<&str, u32> =
                header.names(Naming::User).map(|(number, name)| (name, number)).collect();
            parameters.settings.accounts.clear();
            for mut account in all {
                if account.is_user {
                    let name = account.name.rsplit('/').next().unwrap_or_default();
                    account.users.extend(users.get(name));
                } else {
                    let own = header.names(Naming::Group).find(|(_, name)| *name == account.name);
                    account.groups.extend(own.map(|(number, _)| number));
                }
                parameters.settings.accounts.push(account);
            }
            ignored.into_iter().for_each(|name| parameters.ignore(name));
        }
        nodes.ignored.iter().for_each(|name| parameters.ignore(name.clone()));
        let features = given.values().flatten().filter_map(|(name, _)| name.strip_prefix('@'));
        let kinds = nodes.kinds(Some(&features.map(str::to_owned).collect()));
        let first = header.value("UnixStartTime").and_then(|first| first.parse().ok()).unwrap_or(0);
        for reserved in self.reservations.iter().flatten() {
            parameters.settings.reservations.extend(reserved.since(first));
            reserved.ignored.iter().for_each(|name| parameters.ignore(name.clone()));
        }
        parameters.settings.arrays = arrays(given);
        parameters.settings.together = together(given);
        parameters.keep_limits(|name| kinds.iter().any(|kind| kind.resources.contains_key(name)));
        Ok(SiteOfLog {
            kinds,
            ignored: Ignored::new(parameters.ignored),
            settings: parameters.settings,
            absent,
        })
    }
}

/// The arrays of which only some tasks may run at once.
fn arrays(given: &BTreeMap<JobId, Vec<(String, u32)>>) -> Vec<JobArray> {
    let marked = marked(given, '%');
    let array = |tasks: &[Marked<'_>]| {
        let runs = tasks.chunk_by(|a, b| a.1 + 1 == b.1);
        JobArray { jobs: runs.map(|run| (run[0].1, run[run.len() - 1].1)).collect(), running: tasks[0].2 }
    };
    marked.chunk_by(|a, b| a.0 == b.0).map(array).collect()
}

/// The components of heterogeneous jobs.
fn together(given: &BTreeMap<JobId, Vec<(String, u32)>>) -> Vec<Vec<u64>> {
    let marked = marked(given, '+');
    let several = marked.chunk_by(|a, b| a.0 == b.0).filter(|jobs| jobs.len() > 1);
    several.map(|jobs| jobs.iter().map(|(_, job, _)| *job).collect()).collect()
}

/// A name that jobs have in common, one of them, and the number that it has there.
type Marked<'a> = (&'a str, u64, u32);

/// The names that begin with a sign, and their jobs.
fn marked(given: &BTreeMap<JobId, Vec<(String, u32)>>, sign: char) -> Vec<Marked<'_>> {
    let mut marked: Vec<Marked<'_>> = Vec::new();
    for (job, asked) in given {
        let named = asked.iter().filter(|(name, _)| name.starts_with(sign));
        marked.extend(named.map(|(name, number)| (name.as_str(), job.0, *number)));
    }
    marked.sort_unstable();
    marked
}

/// What the files of a site say.
#[derive(Clone, Debug)]
struct Parts {
    parameters: Parameters,
    nodes: Nodes,
    accounts: Option<Listed<Account>>,
    qos: Option<Listed<JobClass>>,
}

impl Parts {
    /// Whether what one file names is in the other.
    fn check(&self) -> Result<(), ConfError> {
        let accounts: Option<Vec<&str>> = self.accounts.as_ref().map(|list| names_of(&list.all));
        let qos: Option<Vec<&str>> = self.qos.as_ref().map(|list| names_of_classes(&list.all));
        for partition in &self.parameters.partitions {
            for (what, names, known) in
                [("account", &partition.accounts, &accounts), ("quality of service", &partition.qos, &qos)]
            {
                let Some(known) = known else { continue };
                let own = partition.own_qos.as_ref().filter(|_| what != "account");
                if let Some(name) =
                    names.iter().chain(own).find(|name| *name != "root" && !known.contains(&name.as_str()))
                {
                    return Err(partition.at.fault(unknown(what, name, &mut known.iter().copied())));
                }
            }
        }
        if let Some(known) = &qos {
            let listed = self.accounts.iter().flat_map(|list| &list.qos);
            let listed = listed.chain(self.qos.iter().flat_map(|list| &list.qos));
            for (at, name) in listed {
                if !known.contains(&name.as_str()) {
                    return Err(at.fault(unknown("quality of service", name, &mut known.iter().copied())));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
