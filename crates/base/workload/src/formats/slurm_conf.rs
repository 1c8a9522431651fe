//! What `slurm.conf` says of priorities, backfilling and partitions (<https://slurm.schedmd.com/slurm.conf.html>).
//!
//! Used are `PriorityWeightAge`, `PriorityWeightFairshare`, `PriorityWeightJobSize`, `PriorityWeightPartition`, `PriorityWeightQOS`,
//! `PriorityMaxAge`, `PriorityFavorSmall`, `PriorityDecayHalfLife`, `PriorityCalcPeriod`, `PriorityType`, of `SchedulerParameters` `bf_interval`,
//! `bf_max_job_test`, `bf_max_job_user`, `bf_max_job_part`, `bf_resolution`, `bf_window`, `default_queue_depth`, `partition_job_depth`,
//! `sched_interval` and `batch_sched_delay`, `PriorityFlags`, `PreemptType`, `PreemptMode`, `PreemptExemptTime`, and of each
//! `PartitionName` `MaxTime`, `MaxNodes`, `TRESBillingWeights` (not of memory), `PriorityJobFactor`, `PriorityTier` and, with `PreemptType=preempt/partition_prio`, `PreemptMode`:
//! jobs of a partition preempt those of lower tiers then, the lowest first. `PartitionName=DEFAULT` has what those behind it do not say.
//! What is missing has Slurm's default: so the fair share is Fair Tree without `PriorityFlags=NO_FAIR_TREE`. Every other parameter is
//! listed, so that it can be reported.
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
//! assert_eq!(read.notices(), ["not used: ClusterName, PartitionName=short Nodes"]);
//! # Ok::<(), slurm_conf::ConfError>(())
//! ```

use crate::log::Header;
use dfrsim_model::priority::{
    BackfillSettings, FairShare, JobClass, LARGEST_TIER, PreemptMode, Priorities, PriorityWeights, Tres,
};

/// Parameters of `slurm.conf`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlurmConf {
    /// What is used of them. Partitions have their names, and no jobs of their own yet: see [`SlurmConf::of_log`].
    pub settings: Priorities,
    /// The parameters that are not used, each once, in the order of the file.
    pub ignored: Vec<String>,
    /// The partitions of which a log has no jobs.
    pub absent: Vec<String>,
}

/// A parameter that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {parameter}: expected {expected}, found `{found}`")]
pub struct ConfError {
    /// The line, from 1.
    pub line: usize,
    /// The parameter.
    pub parameter: String,
    /// The values that it may have.
    pub expected: &'static str,
    /// What it has.
    pub found: String,
}

impl SlurmConf {
    /// What users should know.
    #[must_use]
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
        let named: Vec<&str> =
            header.directives().filter(|(name, _)| *name == "Partition").map(|(_, text)| text).collect();
        let number = |class: &JobClass| {
            named.iter().find_map(|text| {
                let (number, name) = text.split_once(char::is_whitespace)?;
                number.parse::<u32>().ok().filter(|_| name.trim() == class.name)
            })
        };
        if named.is_empty() && self.settings.partitions.len() == 1 {
            return self;
        }
        for class in &mut self.settings.partitions {
            let number = number(class);
            if number.is_none() {
                self.absent.push(class.name.clone());
            }
            // Names have numbers from 1 on.
            class.partitions.push(number.unwrap_or(u32::MAX));
        }
        self
    }
}

/// Reads the text of a file.
///
/// # Errors
/// The first parameter that is used and cannot be read.
pub fn read(text: &str) -> Result<SlurmConf, ConfError> {
    let defaults = BackfillSettings::default().as_slurm();
    let settings = Priorities { backfill: defaults, ..Priorities::slurm() };
    let mut conf = SlurmConf { settings, ignored: Vec::new(), absent: Vec::new() };
    let mut line = String::new();
    let mut is_basic = false;
    let mut preempt = Preempt::default();
    let mut default = Partition::default();
    for (number, text) in (1..).zip(text.lines()) {
        let text = text.split('#').next().unwrap_or_default();
        // A line may go on in the next one.
        if let Some(text) = text.trim_end().strip_suffix('\\') {
            line.push_str(text);
            continue;
        }
        line.push_str(text);
        let whole = std::mem::take(&mut line);
        let mut pairs = whole.split_whitespace().map(|word| word.split_once('=').unwrap_or((word, "")));
        let Some((name, value)) = pairs.next() else { continue };
        let at = |parameter: &str| At { line: number, parameter: parameter.to_owned() };
        if name.eq_ignore_ascii_case("PartitionName") {
            let partition = conf.partition(value, pairs, number, default.clone())?;
            if value.eq_ignore_ascii_case("DEFAULT") {
                default = partition;
            } else {
                preempt.modes.push(partition.preempt_mode);
                conf.settings.partitions.push(JobClass { name: value.to_owned(), ..partition.class });
            }
            continue;
        }
        for (name, value) in [(name, value)].into_iter().chain(pairs) {
            let at = at(name);
            let settings = &mut conf.settings;
            let PriorityWeights { age, size, fair_share, qos, partition } = &mut settings.weights;
            match name.to_ascii_lowercase().as_str() {
                "priorityweightage" => *age = at.number(value)?,
                "priorityweightjobsize" => *size = at.number(value)?,
                "priorityweightfairshare" => *fair_share = at.number(value)?,
                "priorityweightqos" => *qos = at.number(value)?,
                "priorityweightpartition" => *partition = at.number(value)?,
                "prioritymaxage" => settings.max_age_s = at.time(value)?,
                "prioritydecayhalflife" => settings.half_life_s = at.time(value)?,
                "prioritycalcperiod" => settings.calc_period_s = at.time(value)?,
                "fairsharedampeningfactor" => settings.fair_share_dampening = at.number(value)?.max(1),
                "priorityflags" => conf.flags(value),
                "priorityfavorsmall" => settings.favor_small = at.yes(value)?,
                "prioritytype" => is_basic = at.is_basic(value)?,
                "preempttype" => preempt.by = at.preempt_type(value)?,
                "preemptmode" => preempt.mode = at.preempt_mode(value, &mut conf)?,
                "preemptexempttime" => preempt.exempt_s = if value == "-1" { 0 } else { at.time(value)? },
                "schedulerparameters" => conf.scheduler(value, &at)?,
                _ => conf.ignore(name.to_owned()),
            }
        }
    }
    if is_basic {
        conf.settings.weights = PriorityWeights::default();
    }
    preempt.apply(&mut conf);
    Ok(conf)
}

/// Which jobs preempt others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum PreemptType {
    #[default]
    None,
    Qos,
    Partition,
}

/// What is said of preemption, of which some counts with one type only.
#[derive(Debug, Default)]
struct Preempt {
    by: PreemptType,
    /// Slurm's default is `OFF`.
    mode: Option<PreemptMode>,
    exempt_s: u64,
    /// Of each partition.
    modes: Vec<Option<PreemptMode>>,
}

/// What a line says of a partition.
#[derive(Clone, Debug)]
struct Partition {
    class: JobClass,
    preempt_mode: Option<PreemptMode>,
}

impl Default for Partition {
    /// Slurm's default of the factor is 1, as that of the tier.
    fn default() -> Partition {
        Partition { class: JobClass { priority: 1, ..JobClass::default() }, preempt_mode: None }
    }
}

impl Preempt {
    fn apply(self, conf: &mut SlurmConf) {
        if self.by == PreemptType::None {
            return;
        }
        conf.settings.preempt_mode = self.mode.unwrap_or(PreemptMode::Off);
        conf.settings.preempt_exempt_time_s = self.exempt_s;
        if self.by == PreemptType::Qos {
            return conf.ignore("PreemptType=preempt/qos (its lists are in Slurm's database)".to_owned());
        }
        conf.ignored.retain(|name| !is_of_preemption(name));
        let classes = &mut conf.settings.partitions;
        let mut by_tier: Vec<(u32, String)> =
            classes.iter().map(|class| (class.tier(), class.name.clone())).collect();
        by_tier.sort_by_key(|&(tier, _)| tier);
        for (class, mode) in classes.iter_mut().zip(self.modes) {
            let lower = by_tier.iter().filter(|(other, _)| *other < class.tier());
            class.preempt = lower.map(|(_, name)| name.clone()).collect();
            class.preempt_mode = mode;
        }
    }
}

/// Whether a parameter of a partition counts if partitions preempt each other.
fn is_of_preemption(parameter: &str) -> bool {
    let key = parameter.rsplit(' ').next().unwrap_or_default().to_ascii_lowercase();
    parameter.starts_with("PartitionName=") && key == "preemptmode"
}

impl SlurmConf {
    fn ignore(&mut self, name: String) {
        if !self.ignored.contains(&name) {
            self.ignored.push(name);
        }
    }

    fn scheduler(&mut self, value: &str, at: &At) -> Result<(), ConfError> {
        for part in value.split(',').filter(|part| !part.is_empty()) {
            let (name, value) = part.trim_start_matches('=').split_once('=').unwrap_or((part, ""));
            let at = At { parameter: name.to_owned(), ..at.clone() };
            let Priorities { backfill, main, .. } = &mut self.settings;
            // 0 is no limit.
            let limit = |most: u32| (most > 0).then_some(most);
            match name.to_ascii_lowercase().as_str() {
                "bf_max_job_test" | "max_job_bf" => backfill.max_job_test = Some(at.number(value)?),
                "bf_max_job_user" => backfill.max_job_user = limit(at.number(value)?),
                "bf_max_job_part" => backfill.max_job_part = limit(at.number(value)?),
                "default_queue_depth" => main.depth = at.number(value)?.max(1),
                "partition_job_depth" => main.depth_per_partition = limit(at.number(value)?),
                "sched_interval" => main.interval_s = u64::from(at.number(value)?.max(1)),
                "batch_sched_delay" => main.delay_s = u64::from(at.number(value)?),
                // A pass takes no time, so that no job comes or ends within one.
                "bf_continue" => {}
                "bf_interval" => backfill.interval_s = u64::from(at.number(value)?),
                "bf_window" => backfill.window_s = 60 * u64::from(at.number(value)?),
                "bf_resolution" => backfill.resolution_s = u64::from(at.number(value)?),
                _ => self.ignore(format!("SchedulerParameters={name}")),
            }
        }
        Ok(())
    }

    fn flags(&mut self, value: &str) {
        for flag in value.split(',').filter(|flag| !flag.is_empty()) {
            match flag.to_ascii_uppercase().as_str() {
                "NO_FAIR_TREE" => self.settings.fair_share = FairShare::Classic,
                "FAIR_TREE" => {}
                _ => self.ignore(format!("PriorityFlags={flag}")),
            }
        }
    }

    /// A partition with what is said of it beside the default.
    fn partition<'a>(
        &mut self,
        name: &str,
        pairs: impl Iterator<Item = (&'a str, &'a str)>,
        line: usize,
        default: Partition,
    ) -> Result<Partition, ConfError> {
        let Partition { mut class, mut preempt_mode } = default;
        for (key, value) in pairs {
            let at = At { line, parameter: format!("PartitionName={name} {key}") };
            let is_limited = !matches!(value.to_ascii_uppercase().as_str(), "UNLIMITED" | "INFINITE" | "-1");
            match key.to_ascii_lowercase().as_str() {
                "maxtime" => class.max_time_s = is_limited.then(|| at.time(value)).transpose()?,
                "maxnodes" => class.max_nodes = is_limited.then(|| at.number(value)).transpose()?,
                "priorityjobfactor" => class.priority = at.number(value)?,
                "tresbillingweights" => {
                    class.billing = at.billing(value)?;
                    if value.split(',').any(is_of_memory) {
                        self.ignore(format!("{} of memory", at.parameter));
                    }
                }
                "prioritytier" => class.tier = Some(at.tier(value)?),
                "preemptmode" => {
                    preempt_mode = at.preempt_mode(value, self)?;
                    self.ignore(at.parameter);
                }
                _ => self.ignore(at.parameter),
            }
        }
        Ok(Partition { class, preempt_mode })
    }
}

fn is_of_memory(weight: &str) -> bool {
    weight.to_ascii_lowercase().starts_with("mem=")
}

/// A parameter and its place, for messages.
#[derive(Clone, Debug)]
struct At {
    line: usize,
    parameter: String,
}

impl At {
    fn found(&self, found: &str, expected: &'static str) -> ConfError {
        let &At { line, ref parameter } = self;
        ConfError { line, parameter: parameter.clone(), expected, found: found.to_owned() }
    }
    fn number(&self, text: &str) -> Result<u32, ConfError> {
        text.parse().map_err(|_| self.found(text, "a whole number"))
    }
    fn tier(&self, text: &str) -> Result<u32, ConfError> {
        let tier = text.parse().ok().filter(|tier| *tier <= LARGEST_TIER);
        tier.ok_or_else(|| self.found(text, "a whole number up to 65535"))
    }
    /// Weights such as `CPU=1.0,Mem=0.25G,GRES/gpu=2`, in thousandths, without that of memory.
    fn billing(&self, text: &str) -> Result<Tres, ConfError> {
        let expected = "weights such as CPU=1.0,GRES/gpu=2";
        let weight = |part: &str| {
            let (name, weight) = part.split_once('=')?;
            let weight = weight.parse::<f64>().ok().filter(|weight| (0.0..=1e6).contains(weight))?;
            let name = name.to_ascii_lowercase();
            let name = name.strip_prefix("gres/").unwrap_or(&name).to_owned();
            Some((name, (weight * 1_000.0).round() as u64))
        };
        let parts = text.split(',').filter(|part| !part.is_empty() && !is_of_memory(part));
        parts.map(|part| weight(part).ok_or_else(|| self.found(part, expected))).collect()
    }
    fn time(&self, text: &str) -> Result<u64, ConfError> {
        seconds(text).ok_or_else(|| self.found(text, "a time such as 90 (minutes), 1:30:00 or 7-0"))
    }
    fn yes(&self, text: &str) -> Result<bool, ConfError> {
        match text.to_ascii_uppercase().as_str() {
            "YES" | "TRUE" | "1" => Ok(true),
            "NO" | "FALSE" | "0" => Ok(false),
            _ => Err(self.found(text, "YES or NO")),
        }
    }
    fn preempt_type(&self, text: &str) -> Result<PreemptType, ConfError> {
        match text {
            "preempt/none" => Ok(PreemptType::None),
            "preempt/qos" => Ok(PreemptType::Qos),
            "preempt/partition_prio" => Ok(PreemptType::Partition),
            _ => Err(self.found(text, "preempt/none, preempt/qos or preempt/partition_prio")),
        }
    }
    /// Of a list with the mode; jobs that take turns (`GANG`) or preempt others of their own class (`WITHIN`) do not do so here.
    fn preempt_mode(&self, text: &str, conf: &mut SlurmConf) -> Result<Option<PreemptMode>, ConfError> {
        let mut mode = None;
        for part in text.split(',') {
            match part.to_ascii_uppercase().as_str() {
                "OFF" => mode = Some(PreemptMode::Off),
                "CANCEL" => mode = Some(PreemptMode::Cancel),
                "REQUEUE" => mode = Some(PreemptMode::Requeue),
                "SUSPEND" => mode = Some(PreemptMode::Suspend),
                other @ ("GANG" | "WITHIN") => conf.ignore(format!("{}={other}", self.parameter)),
                _ => return Err(self.found(text, "OFF, CANCEL, REQUEUE or SUSPEND, with GANG or WITHIN")),
            }
        }
        Ok(mode)
    }
    fn is_basic(&self, text: &str) -> Result<bool, ConfError> {
        match text {
            "priority/basic" => Ok(true),
            "priority/multifactor" => Ok(false),
            _ => Err(self.found(text, "priority/multifactor or priority/basic")),
        }
    }
}

/// `minutes`, `minutes:seconds`, `hours:minutes:seconds`, `days-hours`, `days-hours:minutes` or `days-hours:minutes:seconds`.
fn seconds(text: &str) -> Option<u64> {
    let (days, clock) = match text.split_once('-') {
        Some((days, clock)) => (Some(days.parse::<u64>().ok()?), clock),
        None => (None, text),
    };
    let parts: Option<Vec<u64>> = clock.split(':').map(|part| part.parse().ok()).collect();
    let units: &[u64] = match (days, parts.as_ref()?.len()) {
        (Some(_), 1..=3) | (None, 3) => &[3_600, 60, 1],
        (None, 1..=2) => &[60, 1],
        _ => return None,
    };
    let within = parts?
        .iter()
        .zip(units)
        .try_fold(0_u64, |sum, (part, unit)| sum.checked_add(part.checked_mul(*unit)?));
    days.unwrap_or(0).checked_mul(86_400)?.checked_add(within?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_forms_of_slurm() {
        for (text, expected) in [
            ("0", 0),
            ("90", 5_400),
            ("2:30", 150),
            ("1:30:00", 5_400),
            ("7-0", 604_800),
            ("1-2:03", 93_780),
            ("1-2:03:04", 93_784),
        ] {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
        for wrong in ["", "x", "1:2:3:4", "1-", "-1", "99999999999999999999"] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn all_that_is_used_is_read_and_the_rest_listed() {
        let text = "\
# A site.
SlurmctldHost=head
PriorityType=priority/multifactor
priorityweightage=1000
PriorityWeightJobSize=10
PriorityWeightQOS=20
PriorityWeightPartition=30 PriorityWeightTRES=CPU=1
PriorityMaxAge=14-0
PriorityCalcPeriod=10
PriorityFavorSmall=YES
PriorityUsageResetPeriod=NONE
SchedulerParameters=bf_interval=60,\\
bf_window=2880
SchedulerParameters=bf_resolution=300,defer,bf_max_job_user=20,default_queue_depth=1200,partition_job_depth=0
NodeName=n[1-4] CPUs=8
PartitionName=all Default=YES MaxTime=UNLIMITED MaxNodes=4 PriorityTier=1
PartitionName=debug MaxTime=30 PriorityJobFactor=100 TRESBillingWeights=CPU=1,Mem=0.25G,GRES/gpu=2.5
";
        let SlurmConf { settings, ignored, .. } = read(text).unwrap();
        settings.check().unwrap();
        let weights = PriorityWeights { age: 1_000, size: 10, fair_share: 0, qos: 20, partition: 30 };
        assert_eq!(settings.weights, weights);
        assert_eq!(
            (settings.max_age_s, settings.calc_period_s, settings.favor_small),
            (1_209_600, 600, true)
        );
        let backfill = BackfillSettings {
            max_job_test: Some(500),
            max_job_user: Some(20),
            interval_s: 60,
            window_s: 172_800,
            resolution_s: 300,
            ..BackfillSettings::default()
        };
        assert_eq!(settings.backfill, backfill);
        assert_eq!((settings.main.depth, settings.main.depth_per_partition), (1_200, None));
        assert_eq!(settings.partitions[1].billing.get("gpu"), Some(&2_500));
        let limits: Vec<_> =
            settings.partitions.iter().map(|it| (it.priority, it.max_time_s, it.max_nodes)).collect();
        assert_eq!(limits, [(1, None, Some(4)), (100, Some(1_800), None)]);
        let expected = [
            "SlurmctldHost",
            "PriorityWeightTRES",
            "PriorityUsageResetPeriod",
            "SchedulerParameters=defer",
            "NodeName",
            "CPUs",
            "PartitionName=all Default",
        ];
        assert_eq!(ignored, expected);
    }

    #[test]
    fn partitions_have_the_numbers_of_the_log() {
        let conf = read("PartitionName=all MaxNodes=4\nPartitionName=debug MaxTime=30\n").unwrap();
        let mut header = Header::default();
        header.push("Partition", "3 debug");
        let of_log = conf.clone().of_log(&header);
        assert_eq!(of_log.settings.partitions[1].partitions, [3]);
        assert_eq!(of_log.settings.partitions[0].partitions, [u32::MAX]);
        assert_eq!(of_log.notices(), ["partitions of which the log has no jobs: all"]);
        let only = read("PartitionName=all MaxNodes=4\n").unwrap().of_log(&Header::default());
        assert_eq!((only.settings.partitions.len(), only.absent.len()), (1, 0));
    }

    #[test]
    fn defaults_of_partitions_are_those_of_the_lines_behind_them() {
        let conf = read(
            "PartitionName=a\nPartitionName=DEFAULT MaxTime=7-0 PriorityJobFactor=5\nPartitionName=b PriorityTier=9\n\
             PartitionName=DEFAULT MaxTime=1\nPartitionName=c\n",
        );
        let found: Vec<_> = conf
            .unwrap()
            .settings
            .partitions
            .into_iter()
            .map(|it| (it.name, it.priority, it.max_time_s, it.tier))
            .collect();
        let name = str::to_owned;
        let expected = [
            (name("a"), 1, None, None),
            (name("b"), 5, Some(604_800), Some(9)),
            (name("c"), 5, Some(60), None),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn the_fair_share_is_a_tree_unless_a_flag_says_otherwise() {
        let read = |text: &str| read(text).unwrap();
        assert_eq!(read("").settings.fair_share, FairShare::FairTree);
        let classic = read("PriorityFlags=MAX_TRES,NO_FAIR_TREE\n");
        assert_eq!(classic.settings.fair_share, FairShare::Classic);
        assert_eq!(classic.ignored, ["PriorityFlags=MAX_TRES"]);
    }

    #[test]
    fn basic_priorities_have_no_weights() {
        let conf = read("PriorityWeightAge=5\nPriorityType=priority/basic\n").unwrap();
        assert_eq!(conf.settings.weights, PriorityWeights::default());
    }

    const TIERS: &str = "\
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE,GANG
PreemptExemptTime=0:05
PartitionName=high PriorityTier=3 PreemptMode=OFF
PartitionName=middle PriorityTier=2 PreemptMode=SUSPEND GraceTime=10
PartitionName=low
";

    #[test]
    fn partitions_preempt_those_of_lower_tiers() {
        let SlurmConf { settings, ignored, .. } = read(TIERS).unwrap();
        settings.check().unwrap();
        assert_eq!((settings.preempt_mode, settings.preempt_exempt_time_s), (PreemptMode::Requeue, 5));
        let found: Vec<_> =
            settings.partitions.iter().map(|it| (it.preempt.join(" "), it.preempt_mode)).collect();
        let expected = [
            ("low middle".to_owned(), Some(PreemptMode::Off)),
            ("low".to_owned(), Some(PreemptMode::Suspend)),
            (String::new(), None),
        ];
        assert_eq!(found, expected);
        assert_eq!(ignored, ["PreemptMode=GANG", "PartitionName=middle GraceTime"]);
        assert_eq!(settings.partitions.iter().map(JobClass::tier).collect::<Vec<_>>(), [3, 2, 1]);
    }

    #[test]
    fn without_a_type_no_partition_preempts() {
        let none = read(&TIERS.replace("partition_prio", "none")).unwrap();
        assert!(none.settings.preempting().is_none());
        assert!(none.ignored.contains(&"PartitionName=high PreemptMode".to_owned()));
        assert_eq!(none.settings.partitions[0].tier, Some(3));
        let off = read(&TIERS.replace("PreemptMode=REQUEUE,GANG", "")).unwrap().settings;
        assert_eq!(off.preempt_mode, PreemptMode::Off);
        let qos = read("PreemptType=preempt/qos\nPreemptMode=CANCEL\nPreemptExemptTime=-1\n").unwrap();
        assert_eq!(qos.settings.preempt_mode, PreemptMode::Cancel);
        assert_eq!(qos.notices(), ["not used: PreemptType=preempt/qos (its lists are in Slurm's database)"]);
    }

    #[test]
    fn wrong_values_have_their_place() {
        for (text, message) in [
            ("\nPriorityWeightAge=much", "line 2: PriorityWeightAge: expected a whole number, found `much`"),
            ("PriorityFavorSmall=maybe", "line 1: PriorityFavorSmall: expected YES or NO, found `maybe`"),
            (
                "PartitionName=a MaxTime=long",
                "line 1: PartitionName=a MaxTime: expected a time such as 90 (minutes), 1:30:00 or 7-0, found `long`",
            ),
            (
                "PreemptType=preempt/all",
                "line 1: PreemptType: expected preempt/none, preempt/qos or preempt/partition_prio, found `preempt/all`",
            ),
            (
                "PartitionName=a PreemptMode=KILL",
                "line 1: PartitionName=a PreemptMode: expected OFF, CANCEL, REQUEUE or SUSPEND, with GANG or WITHIN, found `KILL`",
            ),
            ("SchedulerParameters=bf_interval", "line 1: bf_interval: expected a whole number, found ``"),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), message);
        }
    }
}
