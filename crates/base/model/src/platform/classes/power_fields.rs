//! Fields of a platform file for what the cluster has as a whole, and for power.

use crate::platform::common::{CommonDemand, CommonResource};
use crate::platform::levels::LevelUse;
use crate::platform::power::{CapAmount, DAY, NodePower, PowerCap, SleepRule, Sockets};
use crate::{SimSpan, SimTime};
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Error, SeqAccess};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Maximum amount of a resource of the whole cluster.
const MAX_COMMON: u64 = 1_000_000_000_000;
/// Maximum number of seconds after which a step begins.
const LAST_STEP: u64 = 1_000_000_000_000;
/// Maximum power of a node or a unit, in watts.
pub(super) const MAX_WATTS: f64 = 1e6;
/// Maximum number of seconds in which a node falls asleep or wakes up.
const LONGEST_WAKE: u64 = 1_000_000;
/// Maximum power of a cluster, in watts.
const MAX_CAP: f64 = 1e10;
/// Maximum power usage effectiveness.
const MAX_EFFECTIVENESS: f64 = 100.0;

/// Resource of the whole cluster in a platform file: its amount, always or in steps, and the units of
/// jobs that request none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommonFields {
    /// Amount at all times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<u64>,
    /// Amounts from certain times on, instead of `amount`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<CommonStep>,
    /// True if the steps repeat each day, from midnight on.
    #[serde(default, skip_serializing_if = "crate::numbers::is_default")]
    pub daily: bool,
    /// Units for each task of a job that requests none.
    #[serde(default, skip_serializing_if = "crate::numbers::is_default")]
    pub per_task: u64,
    /// Units for a job that requests none.
    #[serde(default, skip_serializing_if = "crate::numbers::is_default")]
    pub per_job: u64,
    /// Number to whose multiples the units of a job are rounded up; 1 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granularity: Option<u64>,
}

/// Amount from a time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommonStep {
    /// Start, in seconds.
    pub from_s: u64,
    /// Amount from then on.
    pub amount: u64,
}

/// Settings of the power of a cluster in a platform file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PowerFields {
    /// Most power that all nodes may draw at all times, in watts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cap_w: Option<f64>,
    /// Most power from certain times on, instead of `cap_w`: steps, or a text as that of `--cap`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cap: Option<CapFields>,
    /// True if the steps of `cap` repeat each day, from midnight on.
    #[serde(default, skip_serializing_if = "crate::numbers::is_default")]
    pub daily: bool,
    /// Power usage effectiveness: power of the site over that of its nodes, at least 1; 1 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pue: Option<f64>,
    /// Use of the speed levels of nodes: `on-cap` (default), `never`, or the name of a level at which all
    /// jobs run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub use_levels: Option<String>,
}

/// Power cap in a platform file.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum CapFields {
    /// Steps; at least one.
    Steps(Vec<CapStep>),
    /// Text form of a cap.
    Text(String),
}

impl<'de> Deserialize<'de> for CapFields {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<CapFields, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = CapFields;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("steps such as [{ from_s = 0, watts = 14000 }], or a text such as \"80%\"")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<CapFields, E> {
                text.parse::<PowerCap>().map_err(E::custom)?;
                Ok(CapFields::Text(text.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, from: A) -> Result<CapFields, A::Error> {
                let steps = Vec::deserialize(SeqAccessDeserializer::new(from))?;
                if steps.is_empty() {
                    let reason = "expected at least one step; leave the field out if there is no cap";
                    return Err(Error::custom(reason));
                }
                Ok(CapFields::Steps(steps))
            }
        }
        from.deserialize_any(Visitor)
    }
}

/// Most power from a time on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CapStep {
    /// Start, in seconds.
    pub from_s: u64,
    /// Most power from then on, in watts.
    pub watts: f64,
}

/// Power of a node in a platform file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodePowerFields {
    /// Power without tasks, in watts; beside `cpu` that of the rest of the node, 0 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_w: Option<f64>,
    /// Power while the CPU is busy, in watts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy_w: Option<f64>,
    /// Power of the sockets of the CPU, instead of `busy_w`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<CpuPowerFields>,
    /// Power of a unit of other resources, such as a GPU, which comes on top of that of the node.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<String, UnitPowerFields>,
    /// Power of a node that is asleep, with all its units, in watts; without it nodes stay awake.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asleep_w: Option<f64>,
    /// Time without tasks after which a node falls asleep, in seconds (Slurm's `SuspendTime`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sleep_after: Option<u64>,
    /// Time in which it falls asleep, in seconds (Slurm's `SuspendTimeout`); 0 by default.
    #[serde(default, skip_serializing_if = "crate::numbers::is_default")]
    pub falls: u64,
    /// Time in which it wakes up, in seconds (Slurm's `ResumeTimeout`); 0 by default.
    #[serde(default, skip_serializing_if = "crate::numbers::is_default")]
    pub wakes: u64,
    /// Speed levels below full speed, by descending speed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<LevelFields>,
}

/// Rule by which a node without tasks falls asleep, in a platform file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SleepFields {
    /// Time without tasks after which a node falls asleep, in seconds (Slurm's `SuspendTime`).
    pub after: u64,
    /// Time in which it falls asleep, in seconds (Slurm's `SuspendTimeout`); 0 by default.
    #[serde(default, skip_serializing_if = "crate::numbers::is_default")]
    pub falls: u64,
    /// Time in which it wakes up, in seconds (Slurm's `ResumeTimeout`); 0 by default.
    #[serde(default, skip_serializing_if = "crate::numbers::is_default")]
    pub wakes: u64,
}

impl SleepFields {
    /// Returns the rule of a node whose power is unknown.
    pub(super) fn rule(self) -> SleepRule {
        let [after, falls, wakes] = [self.after, self.falls, self.wakes].map(SimSpan::from_secs);
        SleepRule { asleep: 0, after, falls, wakes }
    }

    /// Collects the fields that are out of their ranges.
    pub(super) fn problems(&self) -> Vec<Problem> {
        let mut wrong = Vec::new();
        if !(1..=LAST_STEP).contains(&self.after) {
            wrong.push(("after".to_owned(), format!("expected seconds between 1 and {LAST_STEP}")));
        }
        wrong.extend(transition_problems(self.falls, self.wakes));
        wrong
    }
}

/// Speed level of a node below full speed, in a platform file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LevelFields {
    /// Name of the level, which nodes of other classes may have, too.
    pub name: String,
    /// Speed relative to that of the node at full speed, above 0 and below 1.
    pub speed: f64,
    /// Power while the CPU is busy, in watts; not of nodes with `cpu`, whose sockets draw the same power
    /// at all levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy_w: Option<f64>,
    /// Busy power of a unit of other resources, such as a GPU, in watts; by default that at full speed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<String, f64>,
}

/// Power of a unit of a resource in a platform file.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitPowerFields {
    /// Power of a free unit, in watts.
    pub idle_w: f64,
    /// Power of a unit in use, in watts.
    pub busy_w: f64,
    /// Dependence of the power on the use; `linear` by default.
    #[serde(default, skip_serializing_if = "crate::numbers::is_default")]
    pub when: PowerWhen,
}

/// Dependence of the power of a unit on its use in a platform file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PowerWhen {
    /// Power in proportion to the part in use.
    #[default]
    Linear,
    /// All of the power once a part is used.
    Used,
}

/// Power of the sockets of a CPU in a platform file, each of which draws all of it once one of its cores
/// is used.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CpuPowerFields {
    /// Number of cores of a socket.
    pub cores_each: u32,
    /// Number of sockets; by default that of the cores over `cores_each`, which must divide them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sockets: Option<u32>,
    /// Power of a socket without tasks, in watts.
    pub idle_w: f64,
    /// Power of a socket of which a core is used, in watts.
    pub busy_w: f64,
    /// Dependence of the power on the use, which is `used`.
    #[serde(default = "used", skip_serializing_if = "is_used")]
    pub when: PowerWhen,
}

const fn used() -> PowerWhen {
    PowerWhen::Used
}
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
fn is_used(when: &PowerWhen) -> bool {
    *when == PowerWhen::Used
}

/// Converts watts to milliwatts.
pub(super) fn milliwatts(watts: f64) -> u64 {
    (watts * 1000.0).round() as u64
}

impl CommonFields {
    pub(super) fn resource(&self, name: &str) -> CommonResource {
        let (per_task, per_job) = (self.per_task, self.per_job);
        let granularity = self.granularity.unwrap_or(1).max(1);
        let demand = CommonDemand::Held { per_task, per_job, granularity };
        let always = self.amount.map(|amount| (SimTime::ZERO, amount));
        let steps = self.steps.iter().map(|step| (SimTime::from_secs(step.from_s), step.amount));
        let period = self.daily.then_some(DAY);
        CommonResource { name: name.into(), demand, steps: always.into_iter().chain(steps).collect(), period }
    }
}

impl PowerFields {
    /// Returns the rule for the use of levels, given their names, or a reason if it is invalid; `None`
    /// without one.
    pub(super) fn level_use(&self, levels: &[&str]) -> Option<Result<LevelUse, String>> {
        let rule = self.use_levels.as_ref()?.parse::<LevelUse>().map_err(|error| error.to_string());
        Some(rule.and_then(|rule| rule.check(levels).map(|()| rule)))
    }

    /// Returns the steps of the cap; none if it has another form.
    fn steps(&self) -> &[CapStep] {
        match &self.cap {
            Some(CapFields::Steps(steps)) => steps,
            _ => &[],
        }
    }

    /// Returns the cap; `None` without one.
    pub(super) fn power_cap(&self) -> Option<PowerCap> {
        if let Some(CapFields::Text(text)) = &self.cap {
            return text.parse().ok();
        }
        let always = self.cap_w.map(|watts| (SimTime::ZERO, CapAmount::Milliwatts(milliwatts(watts))));
        let step =
            |step: &CapStep| (SimTime::from_secs(step.from_s), CapAmount::Milliwatts(milliwatts(step.watts)));
        let steps: Vec<_> = always.into_iter().chain(self.steps().iter().map(step)).collect();
        (!steps.is_empty()).then_some(PowerCap { steps, is_daily: self.daily })
    }
}

impl NodePowerFields {
    /// Converts the power of a node with this number of cores, given the names of all resources and of
    /// all levels.
    pub(super) fn node_power(&self, cores: u32, resources: &BTreeSet<&str>, levels: &[&str]) -> NodePower {
        let unit = |name: &&str| match self.resources.get(*name) {
            Some(unit) => (milliwatts(unit.idle_w), milliwatts(unit.busy_w)),
            None => (0, 0),
        };
        let units = resources.iter().map(unit).collect();
        let idle = self.idle_w.unwrap_or(0.0);
        NodePower {
            idle: milliwatts(idle),
            busy: milliwatts(self.busy_watts()),
            units,
            whole_devices: self.resources.values().any(|unit| unit.when == PowerWhen::Used),
            sockets: self.cpu.map(|cpu| Sockets {
                count: cpu.count(cores),
                cores_each: cpu.cores_each,
                idle: milliwatts(cpu.idle_w),
                busy: milliwatts(cpu.busy_w),
            }),
            sleep: self.sleep_rule(),
            levels: self.speed_levels(levels, resources),
        }
    }

    /// Returns the power of a node whose CPU is busy, in watts, without sockets.
    pub(super) fn busy_watts(&self) -> f64 {
        self.busy_w.or(self.idle_w).unwrap_or(0.0)
    }

    fn sleep_rule(&self) -> Option<SleepRule> {
        let (watts, after) = self.asleep_w.zip(self.sleep_after)?;
        let [after, falls, wakes] = [after, self.falls, self.wakes].map(SimSpan::from_secs);
        Some(SleepRule { asleep: milliwatts(watts), after, falls, wakes })
    }
}

/// Field that is out of its range, relative to its table, and the expected value.
pub(super) type Problem = (String, String);

impl CommonFields {
    /// Collects the fields that are out of their ranges.
    pub(super) fn problems(&self) -> Vec<Problem> {
        let mut wrong = Vec::new();
        if self.amount.is_some() != self.steps.is_empty() {
            wrong.push((String::new(), "expected either `amount` or `steps`".to_owned()));
        }
        if self.granularity.is_some_and(|units| !(1..=MAX_COMMON).contains(&units)) {
            let reason = format!("expected a number between 1 and {MAX_COMMON}");
            wrong.push(("granularity".to_owned(), reason));
        }
        let begins: Vec<u64> = self.steps.iter().map(|step| step.from_s).collect();
        wrong.extend(daily_problems(self.daily, &begins, "steps"));
        let amounts = self.amount.iter().copied().chain(self.steps.iter().map(|step| step.amount));
        if amounts.chain([self.per_task, self.per_job]).any(|amount| amount > MAX_COMMON) {
            wrong.push((String::new(), format!("expected amounts of at most {MAX_COMMON}")));
        }
        wrong.extend(begin_problems(self.steps.iter().map(|step| step.from_s), "steps"));
        wrong
    }
}

/// Collects the starts of steps that cannot repeat daily.
fn daily_problems(is_daily: bool, begins: &[u64], field: &str) -> Vec<Problem> {
    let day = DAY.micros() / 1_000_000;
    let late = begins.iter().enumerate().filter(|(_, from)| is_daily && **from >= day);
    let late = late.map(|(at, _)| {
        let reason = format!("expected a time of day in seconds, less than {day}, as the steps are daily");
        (format!("{field}[{at}].from_s"), reason)
    });
    let none = (is_daily && begins.is_empty())
        .then(|| ("daily".to_owned(), format!("expected steps in `{field}`, which repeat each day")));
    late.chain(none).collect()
}

/// Collects the starts of steps that are not in order.
fn begin_problems(begins: impl Iterator<Item = u64>, field: &str) -> Vec<Problem> {
    let mut before = None;
    let problem = |(at, from): (usize, u64)| {
        let is_right = match before.replace(from) {
            None => from == 0,
            Some(before) => from > before && from <= LAST_STEP,
        };
        let reason = match at {
            0 => "expected 0 as the start of the first step".to_owned(),
            _ => format!("expected a start after that of the previous step, and at most {LAST_STEP}"),
        };
        (!is_right).then(|| (format!("{field}[{at}].from_s"), reason))
    };
    begins.enumerate().filter_map(problem).collect()
}

impl CpuPowerFields {
    /// Returns the number of sockets of a node with this number of cores.
    fn count(&self, cores: u32) -> u32 {
        self.sockets.unwrap_or_else(|| cores.div_ceil(self.cores_each.max(1)))
    }

    /// Collects the fields that are out of their ranges, given the number of cores of a node.
    fn problems(&self, cores: u32) -> Vec<Problem> {
        let mut wrong = Vec::new();
        let each = self.cores_each;
        match self.sockets {
            _ if each == 0 => wrong.push(("cpu.cores_each".to_owned(), "expected at least 1".to_owned())),
            None if !cores.is_multiple_of(each) => {
                let reason = format!(
                    "expected a number that divides the {cores} cores of a node, or `sockets` beside it, \
                     the last of which has fewer cores"
                );
                wrong.push(("cpu.cores_each".to_owned(), reason));
            }
            Some(count) if count != cores.div_ceil(each) => {
                let reason =
                    format!("expected {}, which have the {cores} cores of a node", cores.div_ceil(each));
                wrong.push(("cpu.sockets".to_owned(), reason));
            }
            _ => {}
        }
        if self.when == PowerWhen::Linear {
            let reason = "expected \"used\"; for power in proportion to the use give `idle_w` and `busy_w` \
                          of the node instead of `cpu`";
            wrong.push(("cpu.when".to_owned(), reason.to_owned()));
        }
        wrong
    }
}

/// Collects the watts of a unit or a node that are out of their ranges.
fn watts_problems(prefix: &str, idle_w: f64, busy_w: f64) -> Vec<Problem> {
    let is_power = |watts: f64| (0.0..=MAX_WATTS).contains(&watts);
    let [idle, busy] = [format!("{prefix}idle_w"), format!("{prefix}busy_w")];
    let range = || format!("expected watts between 0 and {MAX_WATTS}");
    let mut wrong = Vec::new();
    wrong.extend((!is_power(idle_w)).then(|| (idle, range())));
    wrong.extend((!is_power(busy_w)).then(|| (busy.clone(), range())));
    let less = busy_w < idle_w;
    wrong.extend(less.then(|| (busy, "expected at least as much as `idle_w`".to_owned())));
    wrong
}

impl NodePowerFields {
    /// Collects the fields that are out of their ranges, given the number of cores of a node, its units of
    /// each resource, the names of all resources, and that of the devices.
    pub(super) fn problems(
        &self,
        (cores, amounts): (u32, &BTreeMap<String, u32>),
        names: &BTreeSet<&str>,
        devices: Option<&str>,
    ) -> Vec<Problem> {
        let mut wrong = Vec::new();
        for (name, unit) in &self.resources {
            wrong.extend(watts_problems(&format!("resources.{name}."), unit.idle_w, unit.busy_w));
            if unit.when == PowerWhen::Used && devices != Some(name) {
                let reason = format!(
                    "expected \"linear\": only units that are devices draw all of their power once they are \
                     used; expected `devices = \"{name}\"` if they are"
                );
                wrong.push((format!("resources.{name}.when"), reason));
            }
        }
        match (self.idle_w, self.busy_w, &self.cpu) {
            (Some(idle), Some(busy), None) => wrong.extend(watts_problems("", idle, busy)),
            (idle, None, Some(cpu)) => {
                let idle = idle.unwrap_or(0.0);
                wrong.extend(watts_problems("", idle, idle).into_iter().take(1));
                wrong.extend(watts_problems("cpu.", cpu.idle_w, cpu.busy_w));
                wrong.extend(cpu.problems(cores));
            }
            (_, Some(_), Some(_)) => {
                let reason = "expected either `busy_w` or `cpu`, the power of its sockets";
                wrong.push(("busy_w".to_owned(), reason.to_owned()));
            }
            (_, _, None) => {
                let reason = "expected `idle_w` and `busy_w`, or `cpu = { cores_each = ..., idle_w = ..., busy_w = ..., when = \"used\" }`";
                wrong.push((String::new(), reason.to_owned()));
            }
        }
        let unknown = self.resources.keys().filter(|name| !names.contains(name.as_str()));
        wrong.extend(
            unknown.map(|name| (format!("resources.{name}"), "no class has this resource".to_owned())),
        );
        wrong.extend(self.sleep_problems(self.idle_watts(cores, amounts)));
        wrong
    }

    /// Collects the fields about sleep that are out of their ranges, given the power of a node without
    /// tasks in watts.
    fn sleep_problems(&self, idle: f64) -> Vec<Problem> {
        let mut wrong = Vec::new();
        if self.asleep_w.is_some_and(|watts| !(0.0..=idle).contains(&watts)) {
            let reason = format!("expected watts between 0 and the {idle} W of a node without tasks");
            wrong.push(("asleep_w".to_owned(), reason));
        }
        let alone = [self.sleep_after.is_some(), self.falls > 0, self.wakes > 0].contains(&true);
        if self.asleep_w.is_none() && alone {
            wrong.push((String::new(), "expected `asleep_w`, the power of a node that sleeps".to_owned()));
        }
        if self.asleep_w.is_some() && !self.sleep_after.is_some_and(|after| (1..=LAST_STEP).contains(&after))
        {
            let reason = format!("expected seconds between 1 and {LAST_STEP} beside `asleep_w`");
            wrong.push(("sleep_after".to_owned(), reason));
        }
        wrong.extend(transition_problems(self.falls, self.wakes));
        wrong
    }

    /// Iterates over the fields of powers above 0 and below a watt, with these powers.
    pub(super) fn small_watts(&self) -> impl Iterator<Item = (String, f64)> + '_ {
        let own = [("idle_w", self.idle_w), ("busy_w", self.busy_w)];
        let own = own.into_iter().filter_map(|(field, watts)| Some((field.to_owned(), watts?)));
        let sockets = self.cpu.iter().map(|cpu| ("cpu.busy_w".to_owned(), cpu.busy_w));
        let units =
            self.resources.iter().map(|(name, unit)| (format!("resources.{name}.busy_w"), unit.busy_w));
        let levels = self.levels.iter().enumerate();
        let levels = levels.filter_map(|(at, level)| Some((format!("levels[{at}].busy_w"), level.busy_w?)));
        own.chain(sockets).chain(units).chain(levels).filter(|(_, watts)| *watts > 0.0 && *watts < 1.0)
    }

    /// Returns whether the rule of sleep, other than the power of a node that is asleep, is given here.
    pub(super) fn has_rule_of_sleep(&self) -> bool {
        self.sleep_after.is_some() || self.falls > 0 || self.wakes > 0
    }

    /// Computes the power of a node without tasks, given its number of cores and of units of each
    /// resource, in watts.
    pub(super) fn idle_watts(&self, cores: u32, amounts: &BTreeMap<String, u32>) -> f64 {
        let amount = |name: &String| f64::from(amounts.get(name).copied().unwrap_or(0));
        let sockets = self.cpu.map_or(0.0, |cpu| f64::from(cpu.count(cores)) * cpu.idle_w);
        self.idle_w.unwrap_or(0.0)
            + sockets
            + self.resources.iter().map(|(name, unit)| amount(name) * unit.idle_w).sum::<f64>()
    }
}

/// Collects the times in which a node falls asleep and wakes up that are too long.
fn transition_problems(falls: u64, wakes: u64) -> impl Iterator<Item = Problem> {
    let long = [("falls", falls), ("wakes", wakes)].into_iter().filter(|(_, it)| *it > LONGEST_WAKE);
    long.map(|(field, _)| (field.to_owned(), format!("expected at most {LONGEST_WAKE} seconds")))
}

impl PowerFields {
    /// Collects the fields that are out of their ranges, given the power of all nodes without tasks in
    /// watts.
    pub(super) fn problems(&self, idle: f64) -> Vec<Problem> {
        let mut wrong = Vec::new();
        if self.cap_w.is_some() && self.cap.is_some() {
            wrong.push(("cap_w".to_owned(), "expected either `cap_w` or `cap`, not both".to_owned()));
        }
        if self.pue.is_some_and(|pue| !(1.0..=MAX_EFFECTIVENESS).contains(&pue)) {
            wrong.push(("pue".to_owned(), format!("expected a number between 1 and {MAX_EFFECTIVENESS}")));
        }
        let begins: Vec<u64> = self.steps().iter().map(|step| step.from_s).collect();
        wrong.extend(begin_problems(begins.iter().copied(), "cap"));
        match self.cap {
            Some(CapFields::Text(_)) if self.daily => wrong.push((
                "daily".to_owned(),
                "expected `daily` in the text of `cap`, such as \"daily 0:00=38kW,8:00=30kW\"".to_owned(),
            )),
            _ => wrong.extend(daily_problems(self.daily, &begins, "cap")),
        }
        let steps =
            self.steps().iter().enumerate().map(|(at, step)| (format!("cap[{at}].watts"), step.watts));
        for (field, watts) in self.cap_w.map(|watts| ("cap_w".to_owned(), watts)).into_iter().chain(steps) {
            if !(idle..=MAX_CAP).contains(&watts) {
                let reason = format!(
                    "expected at least the {idle} W of all nodes without tasks, and at most {MAX_CAP} W"
                );
                wrong.push((field, reason));
            }
        }
        wrong
    }

    /// Returns the power usage effectiveness in thousandths.
    pub(super) fn effectiveness(&self) -> u32 {
        (self.pue.unwrap_or(1.0) * 1000.0).round() as u32
    }
}
