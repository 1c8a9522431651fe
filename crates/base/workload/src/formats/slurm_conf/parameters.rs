//! Priorities, limits, preemption and backfilling of `slurm.conf`.

use super::lines::{ConfLine, Location};
use super::{ConfError, declared};
use dfrsim_model::site::{
    BackfillSettings, FairShare, JobClass, LARGEST_TIER, Limits, PreemptMode, PriorityWeights, SiteSettings,
    Tres,
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
}

/// Attributes of a partition.
#[derive(Clone, Debug, Default)]
pub(super) struct Partition {
    pub(super) at: Location,
    class: JobClass,
    preempt_mode: Option<PreemptMode>,
    grace_s: Option<u64>,
    /// Accounts and QOS that the partition allows or denies.
    pub(super) accounts: Vec<String>,
    pub(super) qos: Vec<String>,
    /// Partition QOS, whose limits apply to all jobs of the partition together.
    pub(super) own_qos: Option<String>,
}

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

/// Parses the lines of a file. Node lines are left to [`nodes`](super::nodes).
pub(super) fn read(lines: &[ConfLine]) -> Result<Parameters, ConfError> {
    let settings =
        SiteSettings { backfill: BackfillSettings::default().as_slurm(), ..SiteSettings::slurm_defaults() };
    let mut conf = Parameters { settings, ignored: Vec::new(), partitions: Vec::new() };
    let (mut is_basic, mut preempt, mut default) = (false, PreemptionParameters::default(), None);
    for ConfLine { at, pairs } in lines {
        let (name, value) = &pairs[0];
        if name.eq_ignore_ascii_case("PartitionName") {
            let partition = conf.partition(value, &pairs[1..], at, default.clone())?;
            if value.eq_ignore_ascii_case("DEFAULT") {
                default = Some(partition);
            } else {
                let class = JobClass { name: value.clone(), ..partition.class.clone() };
                conf.settings.partitions.push(class);
                conf.partitions.push(partition);
            }
            continue;
        }
        if name.eq_ignore_ascii_case("NodeName") {
            continue;
        }
        for (name, value) in pairs {
            let at = at.for_parameter(name);
            if declared::set(&mut conf.settings, name, value, &at)? {
                continue;
            }
            match name.to_ascii_lowercase().as_str() {
                "priorityflags" => conf.priority_flags(value),
                "prioritytype" => is_basic = at.is_basic(value)?,
                "preempttype" => preempt.by = at.preempt_type(value)?,
                "preemptmode" => preempt.mode = at.preempt_mode(value, &mut conf)?,
                "preemptexempttime" => preempt.exempt_s = if value == "-1" { 0 } else { at.time(value)? },
                "schedulerparameters" => conf.scheduler_parameters(value, &at)?,
                "authinfo" => conf.auth_info(value, &at)?,
                // Slurm has the path of a script here, whose run time is unknown.
                "epilog" if value.bytes().all(|it| it.is_ascii_digit()) => {
                    conf.settings.epilog_s = u64::from(at.number(value)?);
                }
                "schedulertype" if value == "sched/backfill" => {}
                _ => conf.ignore(name.clone()),
            }
        }
    }
    if is_basic {
        conf.settings.weights = PriorityWeights::default();
    }
    preempt.apply(&mut conf);
    Ok(conf)
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
            // A scheduling cycle takes no simulated time, so no job arrives or ends during one.
            let is_met = name.eq_ignore_ascii_case("bf_continue");
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
        pairs: &[(String, String)],
        at: &Location,
        default: Option<Partition>,
    ) -> Result<Partition, ConfError> {
        // Slurm's default for both the job factor and the tier is 1.
        let mut partition = default.unwrap_or_else(|| Partition {
            class: JobClass { priority: 1, ..JobClass::default() },
            ..Partition::default()
        });
        partition.at = at.for_parameter(format!("PartitionName={name}"));
        for (key, value) in pairs {
            let at = at.for_parameter(format!("PartitionName={name} {key}"));
            let class = &mut partition.class;
            let names =
                || value.split(',').filter(|name| !name.eq_ignore_ascii_case("ALL")).map(str::to_owned);
            match key.to_ascii_lowercase().as_str() {
                "maxtime" => class.max_time_s = at.time_limit(value)?,
                "maxnodes" => class.max_nodes = at.limit(value)?,
                "priorityjobfactor" => class.priority = at.number(value)?,
                "tresbillingweights" => {
                    class.billing = at.billing(value)?;
                    if value.split(',').any(is_of_memory) {
                        self.ignore(format!("{} of memory", at.parameter));
                    }
                }
                "prioritytier" => class.tier = Some(at.tier(value)?),
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
                    partition.own_qos = Some(value.clone());
                    self.ignore(at.parameter);
                }
                "state" if value.eq_ignore_ascii_case("UP") => {}
                key @ ("allowaccounts" | "denyaccounts" | "allowqos" | "denyqos") => {
                    let list =
                        if key.ends_with("qos") { &mut partition.qos } else { &mut partition.accounts };
                    list.extend(names());
                    self.ignore(at.parameter);
                }
                _ => self.ignore(at.parameter),
            }
        }
        Ok(partition)
    }
}

fn is_of_memory(weight: &str) -> bool {
    weight.to_ascii_lowercase().starts_with("mem=")
}

impl Location {
    /// Parses billing weights such as `CPU=1.0,Mem=0.25G,GRES/gpu=2` into thousandths. The weight of
    /// memory is skipped.
    fn billing(&self, text: &str) -> Result<Tres, ConfError> {
        let expected = "weights such as CPU=1.0,GRES/gpu=2";
        let weight = |part: &str| {
            let (name, weight) = part.split_once('=')?;
            let weight = weight.parse::<f64>().ok().filter(|weight| (0.0..=1e6).contains(weight))?;
            let name = name.to_ascii_lowercase();
            let name = name.strip_prefix("gres/").unwrap_or(&name).to_owned();
            Some((name, (weight * 1_000.0).round() as u64))
        };
        let mut weights = Tres::new();
        for part in text.split(',').filter(|part| !part.is_empty() && !is_of_memory(part)) {
            let (name, weight) = weight(part).ok_or_else(|| self.unexpected(part, expected))?;
            weights.insert(name, weight);
        }
        Ok(weights)
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
