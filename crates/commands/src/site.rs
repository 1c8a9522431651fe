//! Configuration files of a Slurm site, as given on the command line.

use crate::failure::Failure;
use crate::output::{counted, notice};
use clap::Args;
use dfrsim_model::JobId;
use dfrsim_model::platform::classes::{ClassFields, PlatformFields, ReferenceNode};
use dfrsim_model::priority::{FairShare, JobClass};
use dfrsim_workload::formats::slurm_conf::{Ignored, NodeKind, SimulatedSite, SiteFiles, SlurmSite};
use dfrsim_workload::log::{Header, Line, Naming, Record, ResourceRequests, Source as _, Whole};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Configuration files in addition to `slurm.conf`.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Site")]
pub(crate) struct SiteArguments {
    /// gres.conf: types and numbers of GPUs and other generic resources, if slurm.conf does not
    /// specify them
    #[arg(long, value_name = "FILE", requires = "slurm_conf", value_hint = clap::ValueHint::FilePath)]
    gres: Option<PathBuf>,
    /// Accounts with their shares: the output of `sacctmgr show assoc tree --parsable2` or `sacctmgr
    /// dump`
    #[arg(long, value_name = "FILE", requires = "slurm_conf", value_hint = clap::ValueHint::FilePath)]
    sacctmgr: Option<PathBuf>,
    /// Qualities of service, with priorities, limits and preemption: the output of `sacctmgr show
    /// qos --parsable2`
    #[arg(long, value_name = "FILE", requires = "slurm_conf", value_hint = clap::ValueHint::FilePath)]
    qos: Option<PathBuf>,
    /// Reservations, which keep nodes for certain jobs for a time: the output of `scontrol show
    /// reservation`
    #[arg(long, value_name = "FILE", requires = "slurm_conf", value_hint = clap::ValueHint::FilePath)]
    reservations: Option<PathBuf>,
}

impl SiteArguments {
    /// Returns the paths of all files of the site.
    pub(crate) fn files(&self, conf: &Path) -> SiteFiles {
        let SiteArguments { gres, sacctmgr, qos, reservations } = self.clone();
        SiteFiles { conf: conf.to_owned(), gres, associations: sacctmgr, qos, reservations }
    }
}

/// Site and the log of its jobs.
#[derive(Clone, Debug)]
pub(crate) struct SiteAndLog {
    conf: PathBuf,
    pub(crate) site: SlurmSite,
    pub(crate) header: Header,
    /// Requests of each job other than processors and memory.
    pub(crate) requests: Arc<ResourceRequests>,
    /// Number of jobs in reservations that exclude their user or account.
    excluded: usize,
    /// Number of jobs that depend on other jobs.
    pub(crate) dependent: usize,
    /// Times of the first and the last submission, in seconds of the log.
    pub(crate) span: Option<(u64, u64)>,
    /// Number of records of the log.
    pub(crate) records: usize,
    unsupported: Vec<String>,
}

impl SiteAndLog {
    /// Reads the files of a site and the records of its log.
    pub(crate) fn read(files: &SiteFiles, mut whole: Whole) -> Result<SiteAndLog, Failure> {
        let site = SlurmSite::read(files).map_err(Failure::input)?;
        let (header, given, mut waiting) = (whole.header().clone(), whole.resource_requests(), 0);
        let names = |of: Naming| header.names(of).collect::<BTreeMap<u32, &str>>();
        let (users, accounts, mut kept_off) = (names(Naming::User), names(Naming::Group), 0);
        let submit = |line: Line| {
            let user = line.record.user.and_then(|user| users.get(&user).copied());
            let account = line.record.group.and_then(|group| accounts.get(&group).copied());
            let asked = given.get(&JobId(line.record.job)).into_iter().flatten();
            let features = asked.filter_map(|(name, _)| name.strip_prefix('@'));
            kept_off += usize::from({ features }.any(|feature| site.excludes(feature, user, account)));
            let Record { preceding_job, also_preceding, .. } = &line.record;
            waiting += usize::from(preceding_job.is_some() || !also_preceding.is_empty());
            line.record.submit.micros() / 1_000_000
        };
        let submits: Vec<u64> = whole.by_ref().map(submit).collect();
        let accounting = whole.finish().map_err(Failure::input)?.accounting;
        let reserved = if site.has_reservations() { 0 } else { accounting.reserved };
        let left_out = [
            (reserved, "job reservations, whose jobs may start on any node"),
            (accounting.suspended, "job suspensions"),
        ];
        let left_out = left_out.into_iter().filter(|(count, _)| *count > 0);
        let left_out = left_out.map(|(count, what)| format!("{what} ({count})")).collect();
        let span = submits.iter().min().zip(submits.iter().max()).map(|(first, last)| (*first, *last));
        let (conf, records) = (files.conf.clone(), submits.len());
        Ok(SiteAndLog {
            conf,
            site,
            header,
            requests: given,
            excluded: kept_off,
            dependent: waiting,
            span,
            records,
            unsupported: left_out,
        })
    }

    /// Returns the site as it applies to the log: its node types, settings and unsupported settings.
    pub(crate) fn for_log(&self) -> Result<SimulatedSite, Failure> {
        let of_log = self.site.for_log(&self.header, &self.requests).map_err(Failure::input)?;
        if of_log.kinds.is_empty() {
            return Err(Failure::in_file(&self.conf, "no nodes are defined; expected lines with NodeName"));
        }
        Ok(of_log)
    }

    /// Returns the settings of the files and the features of the log that are not simulated.
    pub(crate) fn unsupported_settings(&self, of_log: &SimulatedSite) -> Ignored {
        let of_files = of_log.ignored.iter().flat_map(|(_, names)| names.iter().cloned());
        Ignored::new(of_files.chain(self.unsupported.clone()).collect())
    }

    /// Counts the jobs for each resource or feature that they request and that no node has.
    fn unknown_requests(&self, of_log: &SimulatedSite) -> BTreeMap<&str, usize> {
        let has = |kind: &NodeKind, name: &str| match name.strip_prefix('@') {
            Some(feature) => kind.features.iter().any(|known| known == feature),
            None => kind.resources.contains_key(name),
        };
        let mut unknown = BTreeMap::new();
        for (name, _) in self
            .requests
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

    /// Describes the configuration as it was understood, one line per fact.
    pub(crate) fn summary(&self, of_log: &SimulatedSite) -> Vec<String> {
        let SimulatedSite { kinds, settings, absent, .. } = of_log;
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
        lines.extend(some(
            settings.arrays.len(),
            "array",
            "with a limit on the tasks that run at the same time",
        ));
        let together = settings.together.len();
        lines.extend(some(together, "heterogeneous job", "whose components start together"));
        let reservations = settings.reservations.iter().map(|it| it.name.as_str()).collect::<Vec<_>>();
        if !reservations.is_empty() {
            lines.push(format!("reservations: {}", reservations.join(", ")));
        }
        let kept_off = "in reservations that exclude their user or account; they run there nevertheless";
        lines.extend(some(self.excluded, "job", kept_off));
        if self.dependent > 0 {
            lines.push(format!("jobs that depend on other jobs: {}", self.dependent));
        }
        if !absent.is_empty() {
            lines.push(format!("without jobs in the log: {}", absent.join(", ")));
        }
        for (name, jobs) in self.unknown_requests(of_log) {
            lines.push(format!(
                "{} request {name}, which no node has; the request is ignored",
                counted(jobs, "job")
            ));
        }
        lines
    }

    /// Prints the configuration as it was understood, and the unsupported settings, to standard
    /// error.
    pub(crate) fn report(&self, of_log: &SimulatedSite) {
        let conf = self.conf.display();
        self.summary(of_log).iter().for_each(|line| notice!("{conf}: {line}"));
        of_log.ignored.to_string().lines().for_each(|line| notice!("{conf}: {line}"));
    }
}

/// Returns the reference node of jobs: it has the most cores and the most memory of any node, so
/// that no request of a job is cut.
pub(crate) fn largest_node(kinds: &[NodeKind]) -> ReferenceNode {
    let cores = kinds.iter().map(|kind| kind.cores).max().unwrap_or(1);
    let memory_mb = kinds.iter().map(|kind| kind.memory_mb).max().unwrap_or(1);
    ReferenceNode { cores, memory_gb: gigabytes(memory_mb) }
}

fn gigabytes(megabytes: u64) -> f64 {
    megabytes as f64 / 1024.0
}

/// Converts the node types into the classes of a platform, with jobs' requests as fractions of the
/// reference node.
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
