//! Priorities, limits, preemption and backfilling of `slurm.conf`.

use super::burst_buffer::{self, BurstBuffers};
use super::lines::{ConfLine, Location};
use super::names::identifier;
use super::nodes::Nodes;
use super::power_saving::{PartitionPower, PowerSaving};
use super::select::{NodeSelection, OverSubscription};
use super::{ConfError, ConfErrors, LICENCE, Note, declared};
use dfrsim_model::site::{
    BackfillSettings, FairShare, JobClass, LARGEST_TIER, Licence, Limits, PreemptMode, PriorityWeights,
    SiteSettings, Tres, VictimOrder,
};

/// Parsed parameters of a file.
#[derive(Clone, Debug)]
pub(super) struct Parameters {
    /// Simulated settings. The partitions are not yet linked to the jobs of a log.
    pub(super) settings: SiteSettings,
    /// Parameters that are not simulated, without duplicates, in the order of the file.
    pub(super) ignored: Vec<String>,
    /// Further attributes of the partitions, in their order.
    pub(super) partitions: Vec<Partition>,
    /// Names of the parameters that are simulated.
    pub(super) used: Vec<String>,
    /// Selection of nodes.
    pub(super) selection: NodeSelection,
    /// Power saving, by which nodes without jobs sleep.
    pub(super) power: PowerSaving,
    /// True if limits of accounts and QOS are kept (`AccountingStorageEnforce`).
    pub(super) keeps_limits: bool,
    /// Licences with their numbers.
    pub(super) licences: Vec<(String, u32)>,
    /// True if backfill cycles plan licences over time (`bf_licenses`).
    plans_licences: bool,
    /// Statements about values that have an effect that their names do not show.
    notes: Vec<Note>,
}

/// Attributes of a partition.
#[derive(Clone, Debug, Default)]
pub(super) struct Partition {
    /// Billing weight of a megabyte of memory.
    memory_weight: f64,
    pub(super) at: Location,
    class: JobClass,
    preempt_mode: Option<PreemptMode>,
    grace_s: Option<u64>,
    /// Accounts and QOS that the partition allows or denies.
    pub(super) accounts: Vec<String>,
    pub(super) qos: Vec<String>,
    /// Partition QOS, whose limits apply to all jobs of the partition together.
    pub(super) own_qos: Option<String>,
    /// Number of jobs that share a core (`OverSubscribe=FORCE:N`), or 0 if it is not given.
    pub(super) jobs_per_core: u32,
    /// Value of `Priority`, which replaces the job factor and the tier.
    priority: Option<u32>,
    /// Power saving of the nodes.
    pub(super) power: PartitionPower,
}

/// Keys of `PartitionName` lines that some version of Slurm knows, in lower case.
const PARTITION_KEYS: [&str; 46] = [
    "allocnodes",
    "allowaccounts",
    "allowgroups",
    "allowqos",
    "alternate",
    "cpubind",
    "default",
    "defaulttime",
    "defcpupergpu",
    "defmempercpu",
    "defmempergpu",
    "defmempernode",
    "denyaccounts",
    "denyqos",
    "disablerootjobs",
    "exclusivetopo",
    "exclusiveuser",
    "gracetime",
    "hidden",
    "jobdefaults",
    "lln",
    "maxcpuspernode",
    "maxcpuspersocket",
    "maxmempercpu",
    "maxmempernode",
    "maxnodes",
    "maxtime",
    "minnodes",
    "nodes",
    "oversubscribe",
    "overtimelimit",
    "powerdownonidle",
    "preemptmode",
    "priority",
    "priorityjobfactor",
    "prioritytier",
    "qos",
    "reqresv",
    "resumetimeout",
    "rootonly",
    "selecttypeparameters",
    "shared",
    "state",
    "suspendtime",
    "suspendtimeout",
    "topology",
];

/// The property by which jobs preempt others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum PreemptType {
    #[default]
    None,
    Qos,
    Partition,
}

/// Preemption parameters; some of them apply to one preemption type only.
#[derive(Debug, Default)]
struct PreemptionParameters {
    by: PreemptType,
    /// Mode; `None` stands for Slurm's default `OFF`.
    mode: Option<PreemptMode>,
    exempt_s: u64,
}

/// Parameters whose lines describe an object.
const OBJECTS: [&str; 4] = ["NodeName", "NodeSet", "DownNodes", "PartitionName"];

/// Parses the lines of a file. Lines of nodes and node sets are left to [`nodes`](super::nodes).
pub(super) fn read(lines: &[ConfLine]) -> Result<Parameters, ConfErrors> {
    let settings =
        SiteSettings { backfill: BackfillSettings::default().as_slurm(), ..SiteSettings::slurm_defaults() };
    let mut conf = Parameters {
        settings,
        ignored: Vec::new(),
        partitions: Vec::new(),
        used: Vec::new(),
        selection: NodeSelection::default(),
        power: PowerSaving::default(),
        keeps_limits: false,
        licences: Vec::new(),
        plans_licences: false,
        notes: Vec::new(),
    };
    let (mut is_basic, mut preempt, mut default) = (false, PreemptionParameters::default(), None);
    let mut errors = Vec::new();
    for line in lines {
        let ConfLine { at, pairs, .. } = line;
        errors.extend(line.stray_words());
        if let Some(kind) = OBJECTS.iter().find(|kind| line.is_of(kind)) {
            conf.note_use(kind);
        }
        if line.is_of("PartitionName") {
            let name = &pairs[0].1;
            let partition = conf.partition(name, line, default.clone(), &mut errors);
            if name.eq_ignore_ascii_case("DEFAULT") {
                default = Some(partition);
            } else {
                let class = JobClass { name: name.clone(), ..partition.class.clone() };
                conf.settings.partitions.push(class);
                conf.partitions.push(partition);
            }
            continue;
        }
        if OBJECTS.iter().any(|name| line.is_of(name)) {
            continue;
        }
        for (name, value) in pairs.iter().filter(|(name, _)| !line.is_stray(name)) {
            let at = at.for_parameter(name);
            match conf.set(name, value, &at, &mut is_basic, &mut preempt) {
                Ok(true) => conf.note_use(name),
                Ok(false) => conf.ignore(name.clone()),
                Err(error) => errors.push(error),
            }
        }
    }
    if is_basic {
        conf.settings.weights = PriorityWeights::default();
    }
    if conf.selection.is_of_whole_nodes() {
        conf.settings.partitions.iter_mut().for_each(|class| class.whole_nodes = true);
    }
    preempt.apply(&mut conf);
    ConfErrors::or(errors, conf)
}

impl PreemptionParameters {
    fn apply(self, conf: &mut Parameters) {
        if self.by == PreemptType::None {
            return;
        }
        conf.settings.preempt_mode = self.mode.unwrap_or(PreemptMode::Off);
        conf.settings.preempt_exempt_time_s = self.exempt_s;
        if self.by == PreemptType::Qos {
            return conf.ignore(QOS_PREEMPTION.to_owned());
        }
        conf.ignored.retain(|name| !is_of_preemption(name));
        let classes = &mut conf.settings.partitions;
        let mut by_tier: Vec<(u32, String)> =
            classes.iter().map(|class| (class.tier(), class.name.clone())).collect();
        by_tier.sort_by_key(|&(tier, _)| tier);
        for (class, partition) in classes.iter_mut().zip(&conf.partitions) {
            let lower = by_tier.iter().filter(|(other, _)| *other < class.tier());
            class.preempt = lower.map(|(_, name)| name.clone()).collect();
            (class.preempt_mode, class.grace_s) = (partition.preempt_mode, partition.grace_s);
        }
    }
}

/// Entry in the list of ignored parameters for preemption by QOS while the QOS are not known.
pub(super) const QOS_PREEMPTION: &str = "PreemptType=preempt/qos (its lists are in Slurm's database)";

/// Returns whether a parameter of a partition is simulated if partitions preempt each other.
fn is_of_preemption(parameter: &str) -> bool {
    let key = parameter.rsplit(' ').next().unwrap_or_default().to_ascii_lowercase();
    parameter.starts_with("PartitionName=") && matches!(key.as_str(), "preemptmode" | "gracetime")
}

impl Parameters {
    pub(super) fn ignore(&mut self, name: String) {
        if !self.ignored.contains(&name) {
            self.ignored.push(name);
        }
    }

    fn note_use(&mut self, name: &str) {
        if !self.used.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            self.used.push(name.to_owned());
        }
    }

    /// Returns the power saving of each partition, with the name of the partition.
    pub(super) fn partition_power(&self) -> Vec<(String, PartitionPower)> {
        let named = self.settings.partitions.iter().zip(&self.partitions);
        named.map(|(class, partition)| (class.name.clone(), partition.power)).collect()
    }

    /// Returns notes on values with effects that their names do not show.
    pub(super) fn notes(&self) -> Vec<Note> {
        self.selection.notes().into_iter().chain(self.notes.iter().cloned()).collect()
    }

    /// Sets a parameter that stands for itself; returns whether it is simulated. Parts that are not
    /// are added to the ignored ones.
    fn set(
        &mut self,
        name: &str,
        value: &str,
        at: &Location,
        is_basic: &mut bool,
        preempt: &mut PreemptionParameters,
    ) -> Result<bool, ConfError> {
        if declared::set(&mut self.settings, name, value, at)? || self.power.set(name, value, at)? {
            return Ok(true);
        }
        match name.to_ascii_lowercase().as_str() {
            "priorityflags" => self.priority_flags(value),
            "prioritytype" => *is_basic = at.is_basic(value)?,
            "priorityweighttres" => {
                let (weights, others) = at.tres_weights(value)?;
                self.settings.tres_weights = weights;
                others.into_iter().for_each(|name| self.ignore(name));
            }
            "preempttype" => preempt.by = at.preempt_type(value)?,
            "preemptmode" => preempt.mode = at.preempt_mode(value, self)?,
            "preemptexempttime" => preempt.exempt_s = if value == "-1" { 0 } else { at.time(value)? },
            "schedulerparameters" => self.scheduler_parameters(value, at)?,
            "licenses" => self.licences = at.licences(value)?,
            "authinfo" => self.auth_info(value, at)?,
            "selecttype" => return self.selection.set_type(value, at),
            "selecttypeparameters" => {
                let ignored = self.selection.set_parameters(value, at)?;
                ignored.into_iter().for_each(|name| self.ignore(name));
            }
            "accountingstorageenforce" => {
                let mut flags = value.split(',').map(|flag| flag.trim().to_ascii_lowercase());
                self.keeps_limits = flags.any(|flag| matches!(flag.as_str(), "limits" | "safe" | "all"));
            }
            // Slurm has the path of a script here, whose run time is unknown.
            "epilog" if value.bytes().all(|it| it.is_ascii_digit()) => {
                self.settings.epilog_s = u64::from(at.number(value)?);
            }
            "schedulertype" => match value.to_ascii_lowercase().as_str() {
                "sched/backfill" => self.settings.backfill.off = false,
                "sched/builtin" => {
                    self.settings.backfill.off = true;
                    self.notes.push(Note::noted("SchedulerType=sched/builtin: jobs are not backfilled"));
                }
                _ => return Ok(false),
            },
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Lets the components of heterogeneous jobs start by themselves if there is no backfilling, which
    /// alone starts them together.
    pub(super) fn separate_heterogeneous_jobs(&mut self) {
        let jobs = self.settings.together.len();
        if self.settings.backfill.off && jobs > 0 {
            self.settings.together.clear();
            self.notes.push(Note::changed(format!(
                "heterogeneous jobs, whose components start separately, since only backfilling starts them together: {jobs}"
            )));
        }
    }

    /// Removes the limits of accounts and QOS if Slurm does not enforce them, and notes their
    /// number.
    pub(super) fn drop_limits_that_are_not_kept(&mut self) {
        if self.keeps_limits {
            return;
        }
        let SiteSettings { qos, accounts, partitions, .. } = &mut self.settings;
        let mut count = 0;
        for limits in
            qos.iter_mut().map(|class| &mut class.limits).chain(accounts.iter_mut().map(|it| &mut it.limits))
        {
            count += std::mem::take(limits).count();
        }
        for class in qos.iter_mut() {
            count += usize::from(class.max_time_s.take().is_some());
            count += usize::from(class.max_running_per_user.take().is_some());
        }
        // Partitions have copies of the limits of their QOS.
        for (class, partition) in partitions.iter_mut().zip(&self.partitions) {
            class.limits = Limits::default();
            class.max_running_per_user = None;
            class.max_time_s = partition.class.max_time_s;
        }
        if count > 0 {
            self.notes.push(Note::noted(format!(
                "limits of accounts and QOS that are not used, as AccountingStorageEnforce has no `limits`: {count}"
            )));
        }
    }

    /// Notes that the nodes of a partition count with as many cores as jobs that share them have.
    fn note_shared_cores(&mut self, partition: &str, jobs: u32) {
        let is_it = |name: &str| {
            let key = name.strip_prefix("PartitionName=").and_then(|rest| rest.strip_prefix(partition));
            key.is_some_and(|key| {
                matches!(key.trim().to_ascii_lowercase().as_str(), "oversubscribe" | "shared")
            })
        };
        self.ignored.retain(|name| !is_it(name));
        self.notes.push(Note::noted(format!(
            "PartitionName={partition}: up to {jobs} jobs share a core, so its nodes are simulated with {jobs} times their cores"
        )));
    }

    /// Adds licences that the file does not define; those that it defines with other numbers are noted.
    pub(super) fn add_licences(&mut self, listed: &[(String, u32)]) {
        for (name, total) in listed {
            let own = identifier(name);
            match self.licences.iter().find(|(known, _)| identifier(known) == own) {
                None => self.licences.push((name.clone(), *total)),
                Some((known, of_file)) if known != name || of_file != total => {
                    self.notes.push(Note::noted(format!(
                        "licence {known}: {of_file} as in slurm.conf; `scontrol show licenses` has {total} of {name}"
                    )));
                }
                Some(_) => {}
            }
        }
    }

    /// Returns the licences that jobs need, given the names with the sign for licences, the jobs, and the
    /// numbers. Licences that the file does not define are not simulated. Those with the name of another
    /// resource (`is_taken`) become limits.
    pub(super) fn set_licences(
        &mut self,
        needed: &[(&str, u64, u32)],
        is_taken: impl Fn(&str) -> bool,
    ) -> Vec<(String, u64)> {
        let (mut unknown, mut found) = (0, Vec::new());
        let (mut absent, mut renamed) = (Vec::new(), Vec::new());
        let names: Vec<&str> = needed.iter().map(|it| &it.0[LICENCE.len_utf8()..]).collect();
        for all in needed.chunk_by(|a, b| a.0 == b.0) {
            let name = &all[0].0[LICENCE.len_utf8()..];
            if burst_buffer::is_name(name) {
                continue;
            }
            // The accounting may have names in lower case.
            let is_same = |known: &str| known.eq_ignore_ascii_case(name) && !names.contains(&known);
            let exact = self.licences.iter().find(|(known, _)| identifier(known) == name);
            let Some((known, total)) =
                exact.or_else(|| self.licences.iter().find(|(known, _)| is_same(&identifier(known))))
            else {
                unknown += all.len();
                absent.push(name);
                continue;
            };
            if known != name {
                renamed.push(format!("{known} is {name}"));
            }
            if is_taken(name) {
                let jobs = all.iter().map(|&(_, job, count)| (job, count)).collect();
                self.settings.licences.push(Licence { name: name.to_owned(), total: *total, jobs });
            } else {
                found.push((name.to_owned(), (*total).into()));
            }
        }
        // Slurm's cycles know licences over time only with `bf_licenses`.
        self.settings.backfill.skips_unlicensed = !found.is_empty() && !self.plans_licences;
        if unknown > 0 {
            self.notes.push(Note::changed(format!(
                "jobs with licences that neither `Licenses` nor `scontrol show licenses` (--licenses) has ({}), simulated without these: {unknown}",
                some_of(&absent)
            )));
        }
        if !renamed.is_empty() {
            self.notes.push(Note::noted(format!(
                "licences with other names in the platform: {}",
                renamed.join(", ")
            )));
        }
        found
    }

    /// Notes the use of the burst buffers of the site, of which jobs need some. Slurm's backfill cycles
    /// pass over a job whose buffer is not there, and reserve nothing for it.
    pub(super) fn set_burst_buffers(&mut self, all: &BurstBuffers, is_needed: bool) {
        if all.is_known() {
            self.ignored.retain(|name| !name.eq_ignore_ascii_case("BurstBufferType"));
            self.note_use("BurstBufferType");
        }
        if is_needed && !self.plans_licences {
            self.settings.backfill.skips_unlicensed = true;
        }
        all.ignored.iter().for_each(|name| self.ignore(name.clone()));
    }

    /// Notes that lists of nodes are left out.
    pub(super) fn note_dropped_lists(&mut self, jobs: usize) {
        self.notes.push(Note::changed(format!(
            "jobs with rare lists of nodes (--nodelist, --exclude), simulated on any nodes: {jobs}"
        )));
    }

    /// Sets the billing weights of memory, of which jobs hold thousandths of this number of megabytes.
    pub(super) fn bill_memory(&mut self, megabytes: u64) {
        for (class, partition) in self.settings.partitions.iter_mut().zip(&self.partitions) {
            if partition.memory_weight > 0.0 {
                let weight = (partition.memory_weight * megabytes as f64).round();
                class.billing.insert("mem".to_owned(), weight as u64);
            }
        }
        self.ignored.retain(|name| !name.ends_with(" of memory"));
    }

    /// Lets jobs share cores on the nodes of partitions in which they do (`OverSubscribe=FORCE:N`),
    /// if no other partition has these nodes.
    pub(super) fn share_cores(&mut self, nodes: &mut Nodes) {
        let named = self.settings.partitions.iter().zip(&self.partitions);
        let jobs: Vec<(String, u32)> =
            named.map(|(class, partition)| (class.name.clone(), partition.jobs_per_core.max(1))).collect();
        for (partition, jobs) in nodes.share_cores(&jobs) {
            self.note_shared_cores(&partition, jobs);
        }
    }

    /// Applies the limits of their partition QOS to partitions.
    pub(super) fn apply_partition_qos(&mut self, qos: &[JobClass]) {
        for (class, partition) in self.settings.partitions.iter_mut().zip(&self.partitions) {
            let own = |it: &&JobClass| Some(&it.name) == partition.own_qos.as_ref();
            let Some(of) = qos.iter().find(own) else { continue };
            class.limits = of.limits.clone();
            class.max_running_per_user = of.max_running_per_user;
            class.max_time_s = class.max_time_s.into_iter().chain(of.max_time_s).min();
        }
        self.ignored.retain(|name| !(name.starts_with("PartitionName=") && name.ends_with(" QOS")));
    }

    /// Removes the limits on resources that no node has.
    pub(super) fn drop_absent_limits(&mut self, has: impl Fn(&str) -> bool) {
        let SiteSettings { qos, partitions, accounts, .. } = &mut self.settings;
        let classes = qos.iter_mut().chain(partitions).map(|class| &mut class.limits);
        let mut absent = Vec::new();
        for limits in classes.chain(accounts.iter_mut().map(|account| &mut account.limits)) {
            let Limits { total, per_user, per_account, per_job, minutes, .. } = limits;
            for amounts in [total, per_user, per_account, per_job, minutes] {
                amounts.retain(|name, _| {
                    let is_known = matches!(name.as_str(), "cpu" | "node") || has(name);
                    absent.extend((!is_known).then(|| format!("limits on {name}, which no node has")));
                    is_known
                });
            }
        }
        absent.into_iter().for_each(|name| self.ignore(name));
    }

    fn scheduler_parameters(&mut self, value: &str, at: &Location) -> Result<(), ConfError> {
        for part in value.split(',').filter(|part| !part.is_empty()) {
            let (name, value) = part.trim_start_matches('=').split_once('=').unwrap_or((part, ""));
            let parameter = format!("SchedulerParameters={name}");
            let is_met = match name.to_ascii_lowercase().as_str() {
                // A scheduling cycle takes no simulated time, so no job arrives or ends during one.
                "bf_continue" => true,
                "bf_licenses" => {
                    self.plans_licences = true;
                    true
                }
                "preempt_youngest_first" => {
                    self.settings.victims = VictimOrder::SlurmYoungest;
                    true
                }
                "preempt_strict_order" => {
                    self.settings.preempt_strict_order = true;
                    true
                }
                _ => false,
            };
            if !is_met && !declared::set(&mut self.settings, &parameter, value, &at.for_parameter(name))? {
                self.ignore(parameter);
            }
        }
        Ok(())
    }

    /// Parses `AuthInfo`. A requeued job waits until its credential has expired, plus one second.
    fn auth_info(&mut self, value: &str, at: &Location) -> Result<(), ConfError> {
        for part in value.split(',') {
            match part.split_once('=') {
                Some(("cred_expire", seconds)) => {
                    self.settings.requeue_delay_s = u64::from(at.number(seconds)?) + 1;
                }
                _ => self.ignore("AuthInfo".to_owned()),
            }
        }
        Ok(())
    }

    fn priority_flags(&mut self, value: &str) {
        for flag in value.split(',').filter(|flag| !flag.is_empty()) {
            match flag.to_ascii_uppercase().as_str() {
                "NO_FAIR_TREE" => self.settings.fair_share = FairShare::ClassicOfUsers,
                "FAIR_TREE" => self.settings.fair_share = FairShare::FairTree,
                _ => self.ignore(format!("PriorityFlags={flag}")),
            }
        }
    }

    /// Parses the attributes of a partition, starting from those of `PartitionName=DEFAULT`.
    fn partition(
        &mut self,
        name: &str,
        line: &ConfLine,
        default: Option<Partition>,
        errors: &mut Vec<ConfError>,
    ) -> Partition {
        // Slurm's default for both the job factor and the tier is 1.
        let mut partition = default.unwrap_or_else(|| Partition {
            class: JobClass { priority: 1, ..JobClass::default() },
            ..Partition::default()
        });
        partition.at = line.at.for_parameter(format!("PartitionName={name}"));
        for (key, value) in line.pairs[1..].iter().filter(|(key, _)| !line.is_stray(key)) {
            let at = line.at.for_parameter(format!("PartitionName={name} {key}"));
            let key = key.to_ascii_lowercase();
            if !PARTITION_KEYS.contains(&key.as_str()) && key != "tresbillingweights" {
                let choices = &mut PARTITION_KEYS.into_iter().chain(["tresbillingweights"]);
                errors.push(partition.at.error(super::unknown("parameter", &key, choices)));
                continue;
            }
            errors.extend(self.set_of_partition(&mut partition, &key, value, at).err());
        }
        // Slurm prefers it to the newer parameters, also if these are given.
        if let Some(both) = partition.priority {
            (partition.class.priority, partition.class.tier) = (both, Some(both));
        }
        partition
    }

    fn set_of_partition(
        &mut self,
        partition: &mut Partition,
        key: &str,
        value: &str,
        at: Location,
    ) -> Result<(), ConfError> {
        if partition.power.set(key, value, &at)? {
            return Ok(());
        }
        let class = &mut partition.class;
        let names = || value.split(',').filter(|name| !name.eq_ignore_ascii_case("ALL")).map(str::to_owned);
        match key {
            "maxtime" => class.max_time_s = at.time_limit(value)?,
            "maxnodes" => class.max_nodes = at.limit(value)?,
            "maxcpuspernode" => class.max_cores_per_node = at.limit(value)?,
            "priorityjobfactor" => class.priority = at.number(value)?,
            "tresbillingweights" => {
                (class.billing, partition.memory_weight) = at.billing(value)?;
                if partition.memory_weight > 0.0 {
                    self.ignore(format!("{} of memory", at.parameter));
                }
            }
            "prioritytier" => class.tier = Some(at.tier(value)?),
            "priority" => partition.priority = Some(at.tier(value)?),
            "oversubscribe" | "shared" => {
                let sharing = OverSubscription::of(value, &at)?;
                class.whole_nodes = sharing == OverSubscription::None;
                partition.jobs_per_core = 1;
                if let OverSubscription::Cores(jobs) = sharing {
                    partition.jobs_per_core = jobs;
                    self.ignore(at.parameter);
                }
            }
            "preemptmode" => {
                partition.preempt_mode = at.preempt_mode(value, self)?;
                self.ignore(at.parameter);
            }
            "gracetime" => {
                partition.grace_s = Some(u64::from(at.number(value)?)).filter(|grace| *grace > 0);
                self.ignore(at.parameter);
            }
            // Nodes are parsed separately, and each job of the log has its partition.
            "nodes" | "default" => {}
            "qos" => {
                partition.own_qos = Some(value.to_owned());
                self.ignore(at.parameter);
            }
            "state" if value.eq_ignore_ascii_case("UP") => {}
            key @ ("allowaccounts" | "denyaccounts" | "allowqos" | "denyqos") => {
                let list = if key.ends_with("qos") { &mut partition.qos } else { &mut partition.accounts };
                list.extend(names());
                self.ignore(at.parameter);
            }
            _ => self.ignore(at.parameter),
        }
        Ok(())
    }
}

fn is_of_memory(weight: &str) -> bool {
    weight.to_ascii_lowercase().starts_with("mem=")
}

/// Parses the weight of memory, such as `Mem=0.25G`, into that of a megabyte.
fn memory_weight(text: &str) -> Option<f64> {
    let (_, weight) = text.split_once('=')?;
    let megabytes = match weight.chars().last()?.to_ascii_uppercase() {
        'K' => 1.0 / 1024.0,
        'M' => 1.0,
        'G' => 1024.0,
        'T' => 1024.0 * 1024.0,
        _ => return weight.parse().ok().filter(|weight| (0.0..=1e6).contains(weight)),
    };
    let number =
        weight[..weight.len() - 1].parse::<f64>().ok().filter(|weight| (0.0..=1e6).contains(weight))?;
    Some(number / megabytes)
}

impl Location {
    /// Parses billing weights such as `CPU=1.0,Mem=0.25G,GRES/gpu=2` into thousandths, and the weight
    /// of a megabyte of memory.
    fn billing(&self, text: &str) -> Result<(Tres, f64), ConfError> {
        let expected = "weights such as CPU=1.0,GRES/gpu=2";
        let weight = |part: &str| {
            let (name, weight) = part.split_once('=')?;
            let weight = weight.parse::<f64>().ok().filter(|weight| (0.0..=1e6).contains(weight))?;
            let name = name.to_ascii_lowercase();
            let name = name.strip_prefix("gres/").unwrap_or(&name).to_owned();
            Some((name, (weight * 1_000.0).round() as u64))
        };
        let (mut weights, mut of_memory) = (Tres::new(), 0.0);
        for part in text.split(',').filter(|part| !part.is_empty()) {
            if is_of_memory(part) {
                of_memory = memory_weight(part).ok_or_else(|| self.unexpected(part, expected))?;
                continue;
            }
            let (name, weight) = weight(part).ok_or_else(|| self.unexpected(part, expected))?;
            weights.insert(name, weight);
        }
        Ok((weights, of_memory))
    }
    /// Parses weights such as `CPU=1000,GRES/gpu=2000`. Returns those of resources that nodes have, and
    /// the names of the others.
    fn tres_weights(&self, text: &str) -> Result<(Tres, Vec<String>), ConfError> {
        let expected = "whole weights such as CPU=1000,GRES/gpu=2000";
        let (mut weights, mut others) = (Tres::new(), Vec::new());
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let weight =
                part.split_once('=').and_then(|(name, weight)| Some((name, weight.parse::<u32>().ok()?)));
            let (name, weight) = weight.ok_or_else(|| self.unexpected(part, expected))?;
            let lower = name.to_ascii_lowercase();
            match lower.strip_prefix("gres/") {
                Some(resource) => _ = weights.insert(identifier(&resource.replace(':', "_")), weight.into()),
                None if matches!(lower.as_str(), "cpu" | "mem" | "node") => {
                    _ = weights.insert(lower, weight.into());
                }
                None => others.push(format!("{}={name}", self.parameter)),
            }
        }
        Ok((weights, others))
    }
    /// Parses licences such as `matlab:4,ansys`, each with a number, by default 1.
    fn licences(&self, text: &str) -> Result<Vec<(String, u32)>, ConfError> {
        let parts = text.split([',', ';']).map(str::trim).filter(|part| !part.is_empty());
        let mut licences: Vec<(String, u32)> = Vec::new();
        for part in parts {
            let (name, count) =
                part.split_once([':', '=', '*']).map_or((part, "1"), |(name, count)| (name, count));
            let count = count.parse().ok().filter(|_| !name.is_empty());
            let count = count.ok_or_else(|| self.unexpected(part, "licences such as matlab:4"))?;
            if licences.iter().any(|(other, _)| other == name) {
                return Err(self.error(format!("licence {name} is defined twice")));
            }
            let own = identifier(name);
            if let Some((other, _)) = licences.iter().find(|(other, _)| identifier(other) == own) {
                let reason = "would have the same name in the platform";
                return Err(self.error(format!("licences {other} and {name} {reason}, {own}")));
            }
            licences.push((name.to_owned(), count));
        }
        Ok(licences)
    }
    fn tier(&self, text: &str) -> Result<u32, ConfError> {
        let tier = text.parse().ok().filter(|tier| *tier <= LARGEST_TIER);
        tier.ok_or_else(|| self.unexpected(text, "a whole number up to 65535"))
    }
    fn preempt_type(&self, text: &str) -> Result<PreemptType, ConfError> {
        match text {
            "preempt/none" => Ok(PreemptType::None),
            "preempt/qos" => Ok(PreemptType::Qos),
            "preempt/partition_prio" => Ok(PreemptType::Partition),
            _ => Err(self.unexpected(text, "preempt/none, preempt/qos or preempt/partition_prio")),
        }
    }
    /// Parses a list that contains the mode. Time slicing (`GANG`) and preemption within a QOS
    /// (`WITHIN`) are not simulated.
    fn preempt_mode(&self, text: &str, conf: &mut Parameters) -> Result<Option<PreemptMode>, ConfError> {
        let mut mode = None;
        for part in text.split(',') {
            match part.to_ascii_uppercase().as_str() {
                other @ ("GANG" | "WITHIN") => conf.ignore(format!("{}={other}", self.parameter)),
                _ => match preempt_mode(part) {
                    Some(found) => mode = Some(found),
                    None => {
                        let expected = "OFF, CANCEL, REQUEUE or SUSPEND, with GANG or WITHIN";
                        return Err(self.unexpected(text, expected));
                    }
                },
            }
        }
        Ok(mode)
    }
    fn is_basic(&self, text: &str) -> Result<bool, ConfError> {
        match text {
            "priority/basic" => Ok(true),
            "priority/multifactor" => Ok(false),
            _ => Err(self.unexpected(text, "priority/multifactor or priority/basic")),
        }
    }
}

/// Parses a preemption mode: the treatment of preempted jobs.
pub(super) fn preempt_mode(text: &str) -> Option<PreemptMode> {
    match text.to_ascii_uppercase().as_str() {
        "OFF" => Some(PreemptMode::Off),
        "CANCEL" => Some(PreemptMode::Cancel),
        "REQUEUE" => Some(PreemptMode::Requeue),
        "SUSPEND" => Some(PreemptMode::Suspend),
        _ => None,
    }
}

/// Returns the first names of a list, and the number of the others.
fn some_of(names: &[&str]) -> String {
    const MOST: usize = 5;
    let first = names[..names.len().min(MOST)].join(", ");
    match names.len().saturating_sub(MOST) {
        0 => first,
        others => format!("{first} and {others} others"),
    }
}
