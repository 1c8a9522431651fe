//! A site of Slurm as the command line names its files.

use crate::failure::Failure;
use crate::output::{counted, notice};
use clap::Args;
use dfrsim_model::JobId;
use dfrsim_model::platform::classes::{ClassFields, PlatformFields, ReferenceNode};
use dfrsim_model::priority::{FairShare, JobClass};
use dfrsim_workload::formats::slurm_conf::{Ignored, NodeKind, Site, SiteFiles, SiteOfLog};
use dfrsim_workload::log::{Asked, Header, Line, Naming, Record, Source as _, Whole};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files beside `slurm.conf`.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Site")]
pub(crate) struct SiteArguments {
    /// gres.conf: types and numbers of GPUs and other generic resources, where slurm.conf does not say them
    #[arg(long, value_name = "FILE", requires = "slurm_conf", value_hint = clap::ValueHint::FilePath)]
    gres: Option<PathBuf>,
    /// The accounts, with their shares: what `sacctmgr show assoc tree --parsable2` or `sacctmgr dump` prints
    #[arg(long, value_name = "FILE", requires = "slurm_conf", value_hint = clap::ValueHint::FilePath)]
    sacctmgr: Option<PathBuf>,
    /// The qualities of service, with priorities, limits and preemption: what `sacctmgr show qos --parsable2` prints
    #[arg(long, value_name = "FILE", requires = "slurm_conf", value_hint = clap::ValueHint::FilePath)]
    qos: Option<PathBuf>,
    /// Nodes that only some jobs may have for a time: what `scontrol show reservation` prints
    #[arg(long, value_name = "FILE", requires = "slurm_conf", value_hint = clap::ValueHint::FilePath)]
    reservations: Option<PathBuf>,
}

impl SiteArguments {
    /// The files that are read.
    pub(crate) fn files(&self, conf: &Path) -> SiteFiles {
        let SiteArguments { gres, sacctmgr, qos, reservations } = self.clone();
        SiteFiles { conf: conf.to_owned(), gres, associations: sacctmgr, qos, reservations }
    }
}

/// A site and the log of its jobs.
#[derive(Clone, Debug)]
pub(crate) struct SiteAndLog {
    conf: PathBuf,
    pub(crate) site: Site,
    pub(crate) header: Header,
    /// What jobs ask for beside processors and memory.
    pub(crate) given: Arc<Asked>,
    /// How many jobs are in reservations that are not for them.
    kept_off: usize,
    /// How many jobs wait for others.
    pub(crate) waiting: usize,
    /// The second of the first and of the last submission.
    pub(crate) span: Option<(u64, u64)>,
    /// How many records the log has, and what it says of them that a site does not simulate.
    pub(crate) records: usize,
    left_out: Vec<String>,
}

impl SiteAndLog {
    /// Reads the files of a site whose log was read.
    pub(crate) fn read(files: &SiteFiles, mut whole: Whole) -> Result<SiteAndLog, Failure> {
        let site = Site::read(files).map_err(Failure::input)?;
        let (header, given, mut waiting) = (whole.header().clone(), whole.asked(), 0);
        let names = |of: Naming| header.names(of).collect::<BTreeMap<u32, &str>>();
        let (users, accounts, mut kept_off) = (names(Naming::User), names(Naming::Group), 0);
        let submit = |line: Line| {
            let user = line.record.user.and_then(|user| users.get(&user).copied());
            let account = line.record.group.and_then(|group| accounts.get(&group).copied());
            let asked = given.get(&JobId(line.record.job)).into_iter().flatten();
            let features = asked.filter_map(|(name, _)| name.strip_prefix('@'));
            kept_off += usize::from({ features }.any(|feature| site.keeps_off(feature, user, account)));
            let Record { preceding_job, also_preceding, .. } = &line.record;
            waiting += usize::from(preceding_job.is_some() || !also_preceding.is_empty());
            line.record.submit.micros() / 1_000_000
        };
        let submits: Vec<u64> = whole.by_ref().map(submit).collect();
        let accounting = whole.finish().map_err(Failure::input)?.accounting;
        let reserved = if site.has_reservations() { 0 } else { accounting.reserved };
        let left_out = [
            (reserved, "reservations of jobs, which start on any nodes"),
            (accounting.suspended, "suspensions of jobs"),
        ];
        let left_out = left_out.into_iter().filter(|(count, _)| *count > 0);
        let left_out = left_out.map(|(count, what)| format!("{what} ({count})")).collect();
        let span = submits.iter().min().zip(submits.iter().max()).map(|(first, last)| (*first, *last));
        let (conf, records) = (files.conf.clone(), submits.len());
        Ok(SiteAndLog { conf, site, header, given, kept_off, waiting, span, records, left_out })
    }

    /// What the site is for the log.
    pub(crate) fn of_log(&self) -> Result<SiteOfLog, Failure> {
        let of_log = self.site.for_log(&self.header, &self.given).map_err(Failure::input)?;
        if of_log.kinds.is_empty() {
            return Err(Failure::of(&self.conf, "expected lines with NodeName"));
        }
        Ok(of_log)
    }

    /// What was read of the files and of the log, and is not simulated.
    pub(crate) fn not_used(&self, of_log: &SiteOfLog) -> Ignored {
        let of_files = of_log.ignored.iter().flat_map(|(_, names)| names.iter().cloned());
        Ignored::new(of_files.chain(self.left_out.clone()).collect())
    }

    /// What jobs ask for that no node has, with the number of these jobs.
    fn unknown(&self, of_log: &SiteOfLog) -> BTreeMap<&str, usize> {
        let has = |kind: &NodeKind, name: &str| match name.strip_prefix('@') {
            Some(feature) => kind.features.iter().any(|known| known == feature),
            None => kind.resources.contains_key(name),
        };
        let mut unknown = BTreeMap::new();
        for (name, _) in self
            .given
            .values()
            .flatten()
            .filter(|(name, _)| self.site.has_reservations() || !name.starts_with("@reservation-"))
            .filter(|(name, _)| !name.starts_with("@partition-") && !name.starts_with(['%', '+']))
        {
            if !of_log.kinds.iter().any(|kind| has(kind, name)) {
                *unknown.entry(name.trim_start_matches('@')).or_insert(0) += 1;
            }
        }
        unknown
    }

    /// What was understood, a line each.
    pub(crate) fn understood(&self, of_log: &SiteOfLog) -> Vec<String> {
        let SiteOfLog { kinds, settings, absent, .. } = of_log;
        let mut lines = Vec::new();
        for NodeKind { name, nodes, cores, memory_mb, resources, features } in kinds {
            let more = resources.iter().map(|(name, count)| format!(", {count} {name}"));
            let more: String = more.chain(features.iter().map(|name| format!(", {name}"))).collect();
            lines.push(format!(
                "{} from {name} on: {cores} cores, {memory_mb} MB{more}",
                counted(*nodes as usize, "node")
            ));
        }
        let some = |count: usize, of: &str, what: &str| {
            (count > 0).then(|| format!("{} {what}", counted(count, of)))
        };
        let names = |names: Vec<String>| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let partition = |class: &JobClass| {
            let time = class.max_time_s.map(|seconds| match seconds {
                0..3600 => format!(", at most {:.1} min", seconds as f64 / 60.0),
                _ => format!(", at most {:.1} h", seconds as f64 / 3600.0),
            });
            let (JobClass { name, priority, .. }, tier) = (class, class.tier());
            format!("{name} (tier {tier}, factor {priority}{})", time.unwrap_or_default())
        };
        lines.push(format!("partitions: {}", names(settings.partitions.iter().map(partition).collect())));
        let qos = settings.qos.iter().map(|class| format!("{} ({})", class.name, class.priority));
        lines.push(format!("qualities of service with their priorities: {}", names(qos.collect())));
        let (users, accounts): (Vec<_>, Vec<_>) = settings.accounts.iter().partition(|it| it.is_user);
        let paying = accounts.iter().filter(|account| !account.groups.is_empty()).count();
        lines.push(format!(
            "{}, {paying} of them with jobs of the log; fair share: {}{}",
            counted(accounts.len(), "account"),
            match settings.fair_share {
                FairShare::Classic => "classic, of accounts",
                FairShare::ClassicOfUsers => "classic",
                FairShare::FairTree => "Fair Tree",
            },
            some(users.len(), "user", "by name").map(|users| format!(", {users}")).unwrap_or_default(),
        ));
        lines.extend(some(settings.arrays.len(), "array", "of which only some tasks may run at once"));
        let together = settings.together.len();
        lines.extend(some(together, "heterogeneous job", "of which all components start together"));
        let reservations = settings.reservations.iter().map(|it| it.name.as_str()).collect::<Vec<_>>();
        if !reservations.is_empty() {
            lines.push(format!("reservations: {}", reservations.join(", ")));
        }
        let kept_off = "in reservations that are for other users or accounts: they stay there";
        lines.extend(some(self.kept_off, "job", kept_off));
        if self.waiting > 0 {
            lines.push(format!("jobs that wait until others have ended or started: {}", self.waiting));
        }
        if !absent.is_empty() {
            lines.push(format!("without jobs of the log: {}", absent.join(", ")));
        }
        for (name, jobs) in self.unknown(of_log) {
            lines.push(format!("{} ask for {name}, which no node has: left out", counted(jobs, "job")));
        }
        lines
    }

    /// Prints what was understood and what was not used to standard error.
    pub(crate) fn report(&self, of_log: &SiteOfLog) {
        let conf = self.conf.display();
        self.understood(of_log).iter().for_each(|line| notice!("{conf}: {line}"));
        of_log.ignored.to_string().lines().for_each(|line| notice!("{conf}: {line}"));
    }
}

/// The reference node of jobs: as many cores and as much memory as any node has, so that every job keeps what it asks for.
pub(crate) fn largest(kinds: &[NodeKind]) -> ReferenceNode {
    let cores = kinds.iter().map(|kind| kind.cores).max().unwrap_or(1);
    let memory_mb = kinds.iter().map(|kind| kind.memory_mb).max().unwrap_or(1);
    ReferenceNode { cores, memory_gb: gigabytes(memory_mb) }
}

fn gigabytes(megabytes: u64) -> f64 {
    megabytes as f64 / 1024.0
}

/// The kinds of nodes as the classes of a platform, with needs of jobs as parts of the reference node.
pub(crate) fn platform(kinds: &[NodeKind], reference: ReferenceNode) -> PlatformFields {
    let class = |kind: &NodeKind| ClassFields {
        name: kind.name.clone(),
        nodes: kind.nodes,
        cores: kind.cores,
        memory_gb: gigabytes(kind.memory_mb),
        speed: 1.0,
        resources: kind.resources.clone(),
        features: kind.features.iter().cloned().collect(),
    };
    let classes = kinds.iter().map(class).collect();
    PlatformFields { reference: Some(reference), shared: Vec::new(), classes }
}
