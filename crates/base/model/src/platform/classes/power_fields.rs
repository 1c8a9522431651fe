//! Fields of a platform file for what the cluster has as a whole, and for power.

use crate::platform::common::{CommonDemand, CommonResource};
use crate::platform::power::{NodePower, SleepRule};
use crate::{SimSpan, SimTime};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum amount of a resource of the whole cluster.
const MAX_COMMON: u64 = 1_000_000_000_000;
/// Maximum number of seconds after which a step begins.
const LAST_STEP: u64 = 1_000_000_000_000;
/// Maximum power of a node or a unit, in watts.
const MAX_WATTS: f64 = 1e6;
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
    /// Units for each task of a job that requests none.
    #[serde(default, skip_serializing_if = "crate::numbers::is_default")]
    pub per_task: u64,
    /// Units for a job that requests none.
    #[serde(default, skip_serializing_if = "crate::numbers::is_default")]
    pub per_job: u64,
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
    /// Most power from certain times on, instead of `cap_w`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cap: Vec<CapStep>,
    /// Power usage effectiveness: power of the site over that of its nodes, at least 1; 1 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pue: Option<f64>,
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
    /// Power without tasks, in watts.
    pub idle_w: f64,
    /// Power while the CPU is busy, in watts.
    pub busy_w: f64,
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

/// Power of a unit of a resource in a platform file.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitPowerFields {
    /// Power of a free unit, in watts.
    pub idle_w: f64,
    /// Power of a unit in use, in watts.
    pub busy_w: f64,
}

/// Converts watts to milliwatts.
fn milliwatts(watts: f64) -> u64 {
    (watts * 1000.0).round() as u64
}

impl CommonFields {
    pub(super) fn resource(&self, name: &str) -> CommonResource {
        let demand = CommonDemand::Held { per_task: self.per_task, per_job: self.per_job };
        let always = self.amount.map(|amount| (SimTime::ZERO, amount));
        let steps = self.steps.iter().map(|step| (SimTime::from_secs(step.from_s), step.amount));
        CommonResource { name: name.into(), demand, steps: always.into_iter().chain(steps).collect() }
    }
}

impl PowerFields {
    /// Returns the steps of the cap in milliwatts; none without a cap.
    pub(super) fn cap_steps(&self) -> Vec<(SimTime, u64)> {
        let always = self.cap_w.map(|watts| (SimTime::ZERO, milliwatts(watts)));
        let steps = self.cap.iter().map(|step| (SimTime::from_secs(step.from_s), milliwatts(step.watts)));
        always.into_iter().chain(steps).collect()
    }
}

impl NodePowerFields {
    /// Converts the power of a node, given the names of all resources.
    pub(super) fn node_power(&self, resources: &BTreeSet<&str>) -> NodePower {
        let unit = |name: &&str| match self.resources.get(*name) {
            Some(unit) => (milliwatts(unit.idle_w), milliwatts(unit.busy_w)),
            None => (0, 0),
        };
        let units = resources.iter().map(unit).collect();
        NodePower {
            idle: milliwatts(self.idle_w),
            busy: milliwatts(self.busy_w),
            units,
            sleep: self.sleep_rule(),
        }
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
        let amounts = self.amount.iter().copied().chain(self.steps.iter().map(|step| step.amount));
        if amounts.chain([self.per_task, self.per_job]).any(|amount| amount > MAX_COMMON) {
            wrong.push((String::new(), format!("expected amounts of at most {MAX_COMMON}")));
        }
        wrong.extend(begin_problems(self.steps.iter().map(|step| step.from_s), "steps"));
        wrong
    }
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

impl NodePowerFields {
    /// Collects the fields that are out of their ranges, given the names of all resources.
    pub(super) fn problems(&self, names: &BTreeSet<&str>, amounts: &BTreeMap<String, u32>) -> Vec<Problem> {
        let is_power = |watts: f64| (0.0..=MAX_WATTS).contains(&watts);
        let units = self.resources.iter().map(|(name, unit)| (format!("resources.{name}."), *unit));
        let node = (String::new(), UnitPowerFields { idle_w: self.idle_w, busy_w: self.busy_w });
        let mut wrong = Vec::new();
        for (prefix, unit) in units.chain([node]) {
            let [idle, busy] = [format!("{prefix}idle_w"), format!("{prefix}busy_w")];
            let range = || format!("expected watts between 0 and {MAX_WATTS}");
            wrong.extend((!is_power(unit.idle_w)).then(|| (idle, range())));
            wrong.extend((!is_power(unit.busy_w)).then(|| (busy.clone(), range())));
            let less = unit.busy_w < unit.idle_w;
            wrong.extend(less.then(|| (busy, "expected at least as much as `idle_w`".to_owned())));
        }
        let unknown = self.resources.keys().filter(|name| !names.contains(name.as_str()));
        wrong.extend(
            unknown.map(|name| (format!("resources.{name}"), "no class has this resource".to_owned())),
        );
        wrong.extend(self.sleep_problems(self.idle_watts(amounts)));
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

    /// Returns whether the rule of sleep, other than the power of a node that is asleep, is given here.
    pub(super) fn has_rule_of_sleep(&self) -> bool {
        self.sleep_after.is_some() || self.falls > 0 || self.wakes > 0
    }

    /// Computes the power of a node without tasks, given its number of units of each resource, in watts.
    pub(super) fn idle_watts(&self, amounts: &BTreeMap<String, u32>) -> f64 {
        let amount = |name: &String| f64::from(amounts.get(name).copied().unwrap_or(0));
        self.idle_w + self.resources.iter().map(|(name, unit)| amount(name) * unit.idle_w).sum::<f64>()
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
        if self.cap_w.is_some() && !self.cap.is_empty() {
            wrong.push(("cap_w".to_owned(), "expected either `cap_w` or `cap`".to_owned()));
        }
        if self.pue.is_some_and(|pue| !(1.0..=MAX_EFFECTIVENESS).contains(&pue)) {
            wrong.push(("pue".to_owned(), format!("expected a number between 1 and {MAX_EFFECTIVENESS}")));
        }
        wrong.extend(begin_problems(self.cap.iter().map(|step| step.from_s), "cap"));
        let steps = self.cap.iter().enumerate().map(|(at, step)| (format!("cap[{at}].watts"), step.watts));
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
