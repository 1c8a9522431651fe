//! The configuration of a Slurm site: `slurm.conf` with its includes
//! (<https://slurm.schedmd.com/slurm.conf.html>), `gres.conf`, and the associations and QOS listed
//! by `sacctmgr`.
//!
//! [`SlurmSite::read`] reads the files, [`SlurmSite::change`] changes a parameter, and
//! [`SlurmSite::for_log`] returns the nodes and settings for the jobs of a log, with the settings
//! that are not simulated ([`Ignored`], grouped by their likely effect). [`read`] parses the
//! priorities of a `slurm.conf` alone. Absent parameters have Slurm's defaults: for example, the
//! fair share is Fair Tree unless `PriorityFlags=NO_FAIR_TREE` is set, and `PartitionName=DEFAULT`
//! sets the defaults of the partitions after it.
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
//! # Ok::<(), slurm_conf::ConfErrors>(())
//! ```

mod burst_buffer;
mod change;
mod consequence;
mod database;
mod declared;
mod errors;
mod events;
mod fields;
mod include;
mod licences;
mod lines;
mod names;
mod nodes;
mod note;
mod parameters;
mod power_saving;
mod reservations;
mod select;
mod strict;
mod tables;
mod usage;

pub use burst_buffer::BurstBufferSpace;
pub(super) use burst_buffer::{burst_buffer_name, space};
pub use consequence::{Consequence, Ignored};
pub use errors::{ConfError, ConfErrors};
pub use events::effect_of;
pub use fields::JobCounts;
pub(super) use names::{feature_of_list, feature_of_partition, feature_of_reservation, identifier};
pub use nodes::{GpuPart, NodeKind, PartitionSize};
pub use note::Note;

use crate::by_name::NO_JOBS;
use crate::log::{FieldUse, Header, Naming};
use burst_buffer::BurstBuffers;
use database::ParsedListing;
use dfrsim_model::named::UnknownName;
use dfrsim_model::platform::Outages;
use dfrsim_model::platform::classes::{Asks, MAX_FEATURES};
use dfrsim_model::platform::common::POWER;
use dfrsim_model::site::{Account, JobArray, JobClass, SiteSettings};
use events::{NodeEvents, OtherNodes, SiteOutages};
use include::ConfFile;
use lines::{ConfLine, Location};
use nodes::Nodes;
use parameters::{Parameters, QOS_PREEMPTION};
use reservations::NodeReservation;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tables::Row;

/// Formats the message for an unknown name, with the most similar known one.
fn unknown(what: &'static str, found: &str, choices: &mut dyn Iterator<Item = &str>) -> String {
    UnknownName::new(what, found, choices).to_string()
}

/// Priorities, limits, preemption and backfilling of a `slurm.conf`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlurmConf {
    /// Simulated settings. The partitions are not yet linked to the jobs of a log: see
    /// [`SlurmConf::of_log`].
    pub settings: SiteSettings,
    /// Parameters that are not simulated, without duplicates, in the order of the file.
    pub ignored: Vec<String>,
    /// Partitions without jobs in the log.
    pub absent: Vec<String>,
}

impl SlurmConf {
    /// Returns the notices for the user.
    pub fn notices(&self) -> Vec<String> {
        let notice = |what: &str, names: &[String]| {
            (!names.is_empty()).then(|| format!("{what}: {}", names.join(", ")))
        };
        let absent = notice("partitions without jobs in the log", &self.absent);
        notice("not used", &self.ignored).into_iter().chain(absent).collect()
    }

    /// Links the partitions to the jobs of a log with this header, by the numbers that the header
    /// gives to their names. Partitions that the header does not name have no jobs, but their
    /// factors and tiers still count. If the header names no partitions, a single partition gets all
    /// jobs.
    #[must_use]
    pub fn of_log(mut self, header: &Header) -> SlurmConf {
        self.absent = number_partitions(&mut self.settings.partitions, header);
        self
    }
}

/// Parses the priorities of a `slurm.conf`.
///
/// # Errors
///
/// All parameters that are simulated and have an invalid value.
pub fn read(text: &str) -> Result<SlurmConf, ConfErrors> {
    from_lines(&lines::parse_lines(text, ""))
}

/// Reads the priorities of a file and of the files that it includes.
///
/// # Errors
///
/// A file that cannot be read, or all parameters that are simulated and have an invalid value.
pub fn read_file(path: &Path) -> Result<SlurmConf, ConfErrors> {
    from_lines(&include::read(path)?.lines)
}

fn from_lines(lines: &[ConfLine]) -> Result<SlurmConf, ConfErrors> {
    let Parameters { settings, ignored, .. } = parameters::read(lines)?;
    Ok(SlurmConf { settings, ignored, absent: Vec::new() })
}

/// Links partitions to the numbers that a header gives to their names, including lists of partitions
/// (`cpu,debug`) that they begin. Returns the names of the partitions without a number; these have
/// no jobs.
fn number_partitions(partitions: &mut [JobClass], header: &Header) -> Vec<String> {
    let named: Vec<(u32, &str)> = header.names(Naming::Partition).collect();
    if named.is_empty() && partitions.len() == 1 {
        return Vec::new();
    }
    let mut absent = Vec::new();
    for class in partitions {
        let own = named.iter().filter(|(_, name)| first_partition(name) == class.name);
        class.partitions = own.map(|(number, _)| *number).collect();
        if class.partitions.is_empty() {
            absent.push(class.name.clone());
            class.partitions.push(NO_JOBS);
        }
    }
    absent
}

/// Returns the first partition of a list. Pending jobs list all partitions in which they may start.
pub(super) fn first_partition(list: &str) -> &str {
    list.split(',').next().unwrap_or_default()
}

/// Returns the names of the accounts that are not users.
fn account_names(accounts: &[Account]) -> Vec<&str> {
    accounts.iter().filter(|account| !account.is_user).map(|account| account.name.as_str()).collect()
}

fn class_names(classes: &[JobClass]) -> Vec<&str> {
    classes.iter().map(|class| class.name.as_str()).collect()
}

/// Paths of the files that describe a site.
#[derive(Clone, Debug, Default)]
pub struct SiteFiles {
    /// Path of `slurm.conf`.
    pub conf: PathBuf,
    /// Path of `gres.conf`.
    pub gres: Option<PathBuf>,
    /// Output of `sacctmgr show assoc --parsable2` or `sacctmgr dump`.
    pub associations: Option<PathBuf>,
    /// Output of `sacctmgr show qos --parsable2`.
    pub qos: Option<PathBuf>,
    /// Output of `scontrol show reservation`, or of `sacctmgr show reservation --parsable2`.
    pub reservations: Option<PathBuf>,
    /// Output of `sacctmgr show event --parsable2`.
    pub events: Option<PathBuf>,
    /// Output of `sshare -a -l --parsable2` at the time of the first job.
    pub usage: Option<PathBuf>,
    /// Outputs of `scontrol show burst`, and files `burst_buffer.conf`.
    pub burst_buffers: Vec<PathBuf>,
    /// Output of `scontrol show licenses`.
    pub licences: Option<PathBuf>,
}

/// Configuration of a site, as read from its files.
#[derive(Clone, Debug)]
pub struct SlurmSite {
    conf: String,
    lines: Vec<ConfLine>,
    gres: Vec<ConfLine>,
    associations: Option<Vec<Row>>,
    qos: Option<Vec<Row>>,
    reservations: Option<Vec<NodeReservation>>,
    events: Option<NodeEvents>,
    usage: Option<Vec<Row>>,
    burst_buffers: BurstBuffers,
    /// Licences beside those of `slurm.conf`, with their numbers.
    licences: Vec<(String, u32)>,
    /// What-if changes: the name of a partition or node, and the number of nodes added or removed.
    node_changes: Vec<(String, i64)>,
    /// Statements about the files themselves.
    notes: Vec<Note>,
}

/// Configuration of a site for the jobs of a log.
#[derive(Clone, Debug)]
pub struct SimulatedSite {
    /// Groups of identical nodes.
    pub kinds: Vec<NodeKind>,
    /// Priorities, limits, preemption and backfilling.
    pub settings: SiteSettings,
    /// Licences that jobs of the log need, with their numbers. Jobs request them by these names.
    pub licences: Vec<(String, u64)>,
    /// Space of the burst buffers that jobs request.
    pub burst_buffers: Vec<BurstBufferSpace>,
    /// Settings that are not simulated.
    pub ignored: Ignored,
    /// Partitions and QOS without jobs in the log.
    pub absent: Vec<String>,
    /// Times at which nodes are down or drained.
    pub outages: Outages,
    /// Nodes and processors of the partitions.
    pub partitions: Vec<PartitionSize>,
    /// Features (`@NAME`) and resources that jobs of the log request and no node has. These jobs
    /// cannot run.
    pub unavailable: Vec<String>,
    /// Parts of GPUs that jobs request by name: shards.
    pub gpu_parts: Vec<GpuPart>,
    /// Notes on values that were read differently from what the file says, assumed, or left
    /// out.
    pub notes: Vec<Note>,
    /// Use of each parameter.
    pub fields: Vec<FieldUse>,
}

impl SlurmSite {
    /// Reads the files of a site.
    ///
    /// # Errors
    ///
    /// The first file that cannot be read, or all lines, parameters and columns that are simulated
    /// and invalid.
    pub fn read(files: &SiteFiles) -> Result<SlurmSite, ConfErrors> {
        let read = |path: &Option<PathBuf>| path.as_deref().map_or(Ok(ConfFile::default()), include::read);
        let (conf, gres) = (include::read(&files.conf)?, read(&files.gres)?);
        let rows = |path: &Option<PathBuf>, needed: &str| {
            path.as_deref().map(|path: &Path| tables::read(path, needed)).transpose()
        };
        let site = SlurmSite {
            conf: files.conf.display().to_string(),
            lines: conf.lines,
            gres: gres.lines,
            notes: conf.notes.into_iter().chain(gres.notes).map(Note::changed).collect(),
            associations: rows(&files.associations, "Account")?,
            qos: rows(&files.qos, "Name")?,
            reservations: files.reservations.as_deref().map(reservations::read).transpose()?,
            events: files.events.as_deref().map(events::read).transpose()?,
            usage: files.usage.as_deref().map(usage::read).transpose()?,
            burst_buffers: burst_buffer::read(&files.burst_buffers)?,
            licences: files.licences.as_deref().map_or(Ok(Vec::new()), licences::read)?,
            node_changes: Vec::new(),
        };
        site.parts().map(|_| site.clone())
    }

    /// Returns whether the reservations of the site are known.
    pub fn has_reservations(&self) -> bool {
        self.reservations.is_some()
    }

    /// Returns whether the reservation with this feature excludes jobs of this user and account.
    pub fn excludes(&self, feature: &str, user: Option<&str>, account: Option<&str>) -> bool {
        let mut all = self.reservations.iter().flatten();
        all.any(|it| feature_of_reservation(&it.name) == feature && !it.admits(user, account))
    }

    /// Parses all files and applies the changes.
    fn parts(&self) -> Result<ParsedSite, ConfErrors> {
        let mut errors = Vec::new();
        let parameters = parameters::read(&self.lines).map_err(|all| errors.extend(all)).ok();
        let nodes = nodes::read(&self.lines, &self.gres).map_err(|all| errors.extend(all)).ok();
        let (Some(mut parameters), Some(mut nodes)) = (parameters, nodes) else {
            errors.sort_by(|a: &ConfError, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
            return ConfErrors::or(errors, ()).and(Err(Location::default().error("no file is read").into()));
        };
        nodes.check_existence(&self.conf)?;
        parameters.share_cores(&mut nodes);
        for (of, more) in &self.node_changes {
            nodes.change(of, *more);
        }
        nodes.save_power(&parameters.power, &parameters.partition_power())?;
        nodes.add_reservations(self.reservations.iter().flatten())?;
        let pairs = self.lines.iter().flat_map(|line| &line.pairs);
        let cluster = lines::values(pairs, "ClusterName").next_back();
        let preempts = parameters.ignored.iter().any(|name| name == QOS_PREEMPTION);
        let accounts =
            self.associations.as_deref().map(|rows| database::accounts(rows, cluster)).transpose()?;
        let qos = self.qos.as_deref().map(|rows| database::qos(rows, preempts)).transpose()?;
        if let Some(qos) = &qos {
            parameters.apply_partition_qos(&qos.all);
        }
        let parts = ParsedSite { parameters, nodes, accounts, qos };
        parts.check()?;
        Ok(parts)
    }

    /// Returns the nodes and settings for the jobs of a log with this header. `given` has the
    /// [requests](crate::prepare::resources) of its jobs for resources and features.
    ///
    /// # Errors
    ///
    /// All partitions, accounts and QOS of the log that the files lack; the errors suggest the most
    /// similar ones.
    pub fn for_log(
        &self,
        header: &Header,
        given: &Asks,
        jobs: &JobCounts,
    ) -> Result<SimulatedSite, ConfErrors> {
        let ParsedSite { mut parameters, nodes, accounts, qos } = self.parts()?;
        let mut errors = Vec::new();
        let mut check = |of: Naming, what: &'static str, known: &[&str]| {
            let is_root = |name: &str| of == Naming::Group && name == "root";
            let mut names: Vec<&str> = header.names(of).map(|(_, name)| first_partition(name)).collect();
            names.sort_unstable();
            names.dedup();
            for name in names.into_iter().filter(|name| !known.contains(name) && !is_root(name)) {
                let reason = unknown(what, name, &mut known.iter().copied());
                let at = Location { file: self.conf.as_str().into(), ..Location::default() };
                errors.push(at.error(format!("the log has jobs of an {reason}")));
            }
        };
        let partitions = &mut parameters.settings.partitions;
        if !partitions.is_empty() {
            check(Naming::Partition, "partition", &class_names(partitions));
        }
        let mut absent = number_partitions(partitions, header);
        if let Some(ParsedListing { all, ignored, .. }) = qos {
            check(Naming::Queue, "QOS", &class_names(&all));
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
        if let Some(ParsedListing { all, ignored, .. }) = accounts {
            check(Naming::Group, "account", &account_names(&all));
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
        ConfErrors::or(errors, ())?;
        nodes.ignored.iter().for_each(|name| parameters.ignore(name.clone()));
        let features = given.values().flatten().filter_map(|(name, _)| name.strip_prefix('@'));
        let (asked, lists) = with_frequent_lists(features);
        if lists > 0 {
            parameters.note_dropped_lists(lists);
        }
        let kinds = nodes.kinds(Some(&asked), parameters.selection.has_memory());
        if let Some(largest) = kinds.iter().filter_map(|kind| kind.memory_mb).max() {
            parameters.bill_memory(largest);
        }
        let first = header.value("UnixStartTime").and_then(|first| first.parse().ok()).unwrap_or(0);
        for reserved in self.reservations.iter().flatten() {
            parameters.settings.reservations.extend(reserved.relative_to(first));
            reserved.ignored.iter().for_each(|name| parameters.ignore(name.clone()));
        }
        parameters.settings.arrays = arrays(given);
        parameters.settings.together = heterogeneous_jobs(given);
        let needed = group_entries(given, LICENCE);
        parameters.add_licences(&self.licences);
        let licences = parameters.set_licences(&needed, |name| {
            name == POWER || kinds.iter().any(|kind| kind.resources.contains_key(name))
        });
        let (buffers, of_buffers) = self.burst_buffers.resources(&needed);
        parameters.set_burst_buffers(&self.burst_buffers, !buffers.is_empty());
        parameters.separate_heterogeneous_jobs();
        parameters.drop_absent_limits(|name| kinds.iter().any(|kind| kind.resources.contains_key(name)));
        parameters.drop_limits_that_are_not_kept();
        let mut notes = [self.notes.clone(), parameters.notes(), nodes.notes(), of_buffers].concat();
        if let Some(rows) = &self.usage {
            notes.extend(usage::apply(rows, &mut parameters.settings.accounts)?);
        }
        let SiteOutages { outages, notes: of_events } = self.outages(&kinds, &nodes, first)?;
        notes.extend(of_events);
        let partitions = nodes.partition_sizes();
        let unavailable = self.unavailable(given, &kinds, &partitions);
        Ok(SimulatedSite {
            notes,
            outages,
            fields: fields::uses(&parameters, header, jobs),
            kinds,
            ignored: Ignored::new(parameters.ignored),
            settings: parameters.settings,
            licences,
            burst_buffers: buffers,
            absent,
            partitions,
            unavailable,
            gpu_parts: nodes.gpu_parts().0,
        })
    }

    /// Returns the outages of the nodes that take jobs.
    fn outages(&self, kinds: &[NodeKind], nodes: &Nodes, first: i64) -> Result<SiteOutages, ConfErrors> {
        let Some(events) = &self.events else { return Ok(SiteOutages::default()) };
        let numbers = kinds.iter().flat_map(|kind| &kind.hosts).map(String::as_str).zip(0..).collect();
        let (all, mut errors) = (nodes.node_names().collect::<Vec<_>>(), Vec::new());
        let others = OtherNodes { idle: &all, removed: &nodes.removed };
        let outages = events.outages(&numbers, others, first, &mut errors);
        ConfErrors::or(errors, outages)
    }

    /// Returns whether a feature is that of a reservation that is not known, or has no nodes, as one of
    /// licences alone.
    fn has_no_nodes(&self, feature: &str) -> bool {
        let is_it = |it: &&NodeReservation| feature_of_reservation(&it.name) == feature;
        match &self.reservations {
            None => feature.starts_with("reservation-"),
            Some(all) => all.iter().find(is_it).is_some_and(|it| it.nodes.is_empty()),
        }
    }

    /// Returns the features and resources that jobs request and no node has, without those that stand
    /// for all nodes: partitions that have all nodes, reservations that are not known or have no nodes,
    /// and types of a resource that some nodes have.
    fn unavailable(&self, given: &Asks, kinds: &[NodeKind], partitions: &[PartitionSize]) -> Vec<String> {
        let has_resource = |name: &str| kinds.iter().any(|kind| kind.resources.contains_key(name));
        let is_unavailable = |name: &str| {
            let Some(feature) = name.strip_prefix('@') else {
                let total = name.split('_').next().unwrap_or(name);
                return is_resource_or_feature(name) && !has_resource(name) && !has_resource(total);
            };
            let is_open =
                partitions.iter().any(|it| feature_of_partition(&it.name) == feature && it.nodes > it.idle);
            let is_unknown = self.has_no_nodes(feature) || names::list_of_feature(feature).is_some();
            let has = kinds.iter().any(|kind| kind.features.iter().any(|own| own == feature));
            !has && !is_open && !is_unknown
        };
        let names: std::collections::BTreeSet<&str> =
            given.distinct().iter().flatten().map(|(name, _)| name.as_str()).collect();
        names.into_iter().filter(|name| is_unavailable(name)).map(str::to_owned).collect()
    }
}

/// Returns the features that jobs request, given one entry for each job, and the number of jobs whose
/// lists of nodes are left out: as many lists are simulated as a platform can have features, the most
/// frequent ones first.
fn with_frequent_lists<'a>(requests: impl Iterator<Item = &'a str>) -> (FxHashSet<String>, usize) {
    let mut counts = BTreeMap::<&str, usize>::new();
    requests.for_each(|feature| *counts.entry(feature).or_default() += 1);
    let (mut lists, others): (Vec<_>, Vec<_>) =
        counts.into_iter().partition(|(feature, _)| names::list_of_feature(feature).is_some());
    lists.sort_by_key(|(_, jobs)| std::cmp::Reverse(*jobs));
    let dropped = lists.split_off(lists.len().min(MAX_FEATURES.saturating_sub(others.len())));
    let kept = others.into_iter().chain(lists).map(|(feature, _)| feature.to_owned());
    (kept.collect(), dropped.into_iter().map(|(_, jobs)| jobs).sum())
}

/// Returns whether an entry of a job's requests is one for a resource or feature, and not its array
/// (`%`), its heterogeneous job (`+`), a number of the job (`#`) or a licence (`~`).
pub fn is_resource_or_feature(name: &str) -> bool {
    !name.starts_with(['%', '+', '#', LICENCE])
}

/// First character of the entries for licences of jobs.
pub(super) const LICENCE: char = dfrsim_model::platform::common::LICENCE;

/// Returns the job arrays that limit the number of tasks running at once.
fn arrays(given: &Asks) -> Vec<JobArray> {
    let marked = group_entries(given, '%');
    let array = |tasks: &[GroupEntry<'_>]| {
        let runs = tasks.chunk_by(|a, b| a.1 + 1 == b.1);
        JobArray { jobs: runs.map(|run| (run[0].1, run[run.len() - 1].1)).collect(), running: tasks[0].2 }
    };
    marked.chunk_by(|a, b| a.0 == b.0).map(array).collect()
}

/// Returns the components of heterogeneous jobs.
fn heterogeneous_jobs(given: &Asks) -> Vec<Vec<u64>> {
    let marked = group_entries(given, '+');
    let several = marked.chunk_by(|a, b| a.0 == b.0).filter(|jobs| jobs.len() > 1);
    several.map(|jobs| jobs.iter().map(|(_, job, _)| *job).collect()).collect()
}

/// An entry of a job in a named group: the name, the job, and its number in the entry.
type GroupEntry<'a> = (&'a str, u64, u32);

/// Returns the entries whose names begin with `sign`, sorted by name.
fn group_entries(given: &Asks, sign: char) -> Vec<GroupEntry<'_>> {
    let mut marked: Vec<GroupEntry<'_>> = Vec::new();
    for (job, asked) in given.iter() {
        let named = asked.iter().filter(|(name, _)| name.starts_with(sign));
        marked.extend(named.map(|(name, number)| (name.as_str(), job.0, *number)));
    }
    marked.sort_unstable();
    marked
}

/// Parsed files of a site.
#[derive(Clone, Debug)]
struct ParsedSite {
    parameters: Parameters,
    nodes: Nodes,
    accounts: Option<ParsedListing<Account>>,
    qos: Option<ParsedListing<JobClass>>,
}

impl ParsedSite {
    /// Checks the references between the files.
    ///
    /// # Errors
    ///
    /// A name that the file it refers to lacks.
    fn check(&self) -> Result<(), ConfErrors> {
        let mut errors = Vec::new();
        let accounts: Option<Vec<&str>> = self.accounts.as_ref().map(|list| account_names(&list.all));
        let qos: Option<Vec<&str>> = self.qos.as_ref().map(|list| class_names(&list.all));
        for partition in &self.parameters.partitions {
            for (what, names, known) in
                [("account", &partition.accounts, &accounts), ("QOS", &partition.qos, &qos)]
            {
                let Some(known) = known else { continue };
                let own = partition.own_qos.as_ref().filter(|_| what != "account");
                let all = names.iter().chain(own);
                for name in all.filter(|name| *name != "root" && !known.contains(&name.as_str())) {
                    errors.push(partition.at.error(unknown(what, name, &mut known.iter().copied())));
                }
            }
        }
        if let Some(known) = &qos {
            let listed = self.accounts.iter().flat_map(|list| &list.qos);
            let listed = listed.chain(self.qos.iter().flat_map(|list| &list.qos));
            for (at, name) in listed {
                if !known.contains(&name.as_str()) {
                    errors.push(at.error(unknown("QOS", name, &mut known.iter().copied())));
                }
            }
        }
        ConfErrors::or(errors, ())
    }
}

#[cfg(test)]
mod tests;
