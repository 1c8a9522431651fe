//! Fields of a platform file for what the cluster has as a whole, and for power.

use super::fields::is_name;
use super::{ClassFields, InvalidField, PlatformFields};
use crate::SimTime;
use crate::platform::common::{CommonDemand, CommonResource, POWER};
use crate::platform::power::{ClusterPower, NodePower};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum amount of a resource of the whole cluster.
const MOST_COMMON: u64 = 1_000_000_000_000;
/// Maximum number of seconds after which a step begins.
const LAST_STEP: u64 = 1_000_000_000_000;
/// Maximum power of a node or a unit, in watts.
const MOST_WATTS: f64 = 1e6;
/// Maximum power of a cluster, in watts.
const MOST_CAP: f64 = 1e10;
/// Maximum power usage effectiveness.
const MOST_EFFECTIVENESS: f64 = 100.0;

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
    /// Begin, in seconds.
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
    /// Begin, in seconds.
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
        NodePower { idle: milliwatts(self.idle_w), busy: milliwatts(self.busy_w), units }
    }
}

/// Returns the power of a cluster whose fields are valid; `None` if that of its nodes is unknown.
pub(super) fn cluster_power(fields: &PlatformFields) -> Option<ClusterPower> {
    fields.classes.first()?.power.as_ref()?;
    let pue = fields.power.as_ref().and_then(|power| power.pue).unwrap_or(1.0);
    Some(ClusterPower { effectiveness: (pue * 1000.0).round() as u32, series: None })
}

/// Collects the fields that are out of their ranges.
pub(super) fn invalid_fields(fields: &PlatformFields) -> Vec<InvalidField> {
    let mut wrong = Vec::new();
    let mut require = |is_right: bool, path: String, reason: &str| {
        if !is_right {
            wrong.push(InvalidField { path, reason: reason.to_owned() });
        }
    };
    let names = fields.resource_names();
    for (name, common) in &fields.common {
        let path = |field: &str| format!("common.{name}{field}");
        let is_own = is_name(name) && name != POWER && !names.contains(name.as_str());
        require(
            is_own,
            path(""),
            "expected a name of letters, digits, `-` and `_` that no resource of nodes has and that is not `power`",
        );
        let is_one = common.amount.is_some() != !common.steps.is_empty();
        require(is_one, path(""), "expected either `amount` or `steps`");
        let amounts = common.amount.iter().copied().chain(common.steps.iter().map(|step| step.amount));
        let is_most = amounts.chain([common.per_task, common.per_job]).all(|amount| amount <= MOST_COMMON);
        require(is_most, path(""), "expected amounts of at most 1000000000000");
        let begins: Vec<u64> = common.steps.iter().map(|step| step.from_s).collect();
        check_begins(&begins, &path(".steps"), &mut require);
    }
    check_power(fields, &names, &mut require);
    wrong
}

/// Checks the begins of steps.
fn check_begins(begins: &[u64], path: &str, require: &mut impl FnMut(bool, String, &str)) {
    for (at, &from) in begins.iter().enumerate() {
        let is_right = match at.checked_sub(1) {
            None => from == 0,
            Some(before) => from > begins[before] && from <= LAST_STEP,
        };
        let reason = if at == 0 {
            "expected 0 as the begin of the first step"
        } else {
            "expected a later begin than that of the step before, and at most 1000000000000"
        };
        require(is_right, format!("{path}[{at}].from_s"), reason);
    }
}

fn check_power(
    fields: &PlatformFields,
    names: &BTreeSet<&str>,
    require: &mut impl FnMut(bool, String, &str),
) {
    let with_power = fields.classes.iter().filter(|class| class.power.is_some()).count();
    let is_power = |watts: f64| (0.0..=MOST_WATTS).contains(&watts);
    for (number, class) in fields.classes.iter().enumerate() {
        let Some(power) = &class.power else {
            let path = format!("classes[{number}]");
            require(with_power == 0, path, "expected `power`, as the power of other classes is given");
            continue;
        };
        let path = |field: &str| format!("classes[{number}].power.{field}");
        let units = power.resources.iter().map(|(name, unit)| (format!("resources.{name}."), *unit));
        let node = (String::new(), UnitPowerFields { idle_w: power.idle_w, busy_w: power.busy_w });
        for (prefix, unit) in units.chain([node]) {
            let [idle, busy] = [format!("{prefix}idle_w"), format!("{prefix}busy_w")];
            require(is_power(unit.idle_w), path(&idle), "expected watts between 0 and 1000000");
            require(is_power(unit.busy_w), path(&busy), "expected watts between 0 and 1000000");
            let is_more = unit.busy_w >= unit.idle_w;
            require(is_more, path(&busy), "expected at least as much as `idle_w`");
        }
        for name in power.resources.keys().filter(|name| !names.contains(name.as_str())) {
            require(false, path(&format!("resources.{name}")), "no class has this resource");
        }
    }
    let Some(power) = &fields.power else { return };
    let needs = "expected the power of nodes: `power = { idle_w = ..., busy_w = ... }` in each class";
    require(with_power > 0, "power".to_owned(), needs);
    let is_one = power.cap_w.is_none() || power.cap.is_empty();
    require(is_one, "power.cap_w".to_owned(), "expected either `cap_w` or `cap`");
    let is_pue = power.pue.is_none_or(|pue| (1.0..=MOST_EFFECTIVENESS).contains(&pue));
    require(is_pue, "power.pue".to_owned(), "expected a number between 1 and 100");
    let begins: Vec<u64> = power.cap.iter().map(|step| step.from_s).collect();
    check_begins(&begins, "power.cap", require);
    let idle: f64 = fields.classes.iter().map(idle_watts).sum();
    let low = format!("expected at least the {idle} W of all nodes without tasks");
    let steps = power.cap.iter().enumerate().map(|(at, step)| (format!("cap[{at}].watts"), step.watts));
    for (field, watts) in power.cap_w.map(|watts| ("cap_w".to_owned(), watts)).into_iter().chain(steps) {
        require((0.0..=MOST_CAP).contains(&watts), format!("power.{field}"), "expected watts up to 1e10");
        require(watts >= idle, format!("power.{field}"), &low);
    }
}

/// Computes the power of all nodes of a class without tasks, in watts.
fn idle_watts(class: &ClassFields) -> f64 {
    let Some(power) = &class.power else { return 0.0 };
    let amount = |name: &String| class.resources.get(name).copied().unwrap_or(0);
    let units: f64 = power.resources.iter().map(|(name, unit)| f64::from(amount(name)) * unit.idle_w).sum();
    f64::from(class.nodes) * (power.idle_w + units)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::classes::Demands;
    use crate::{Job, Share};

    fn errors(text: &str) -> String {
        PlatformFields::parse("p.toml", text).unwrap_err().to_string()
    }
    const CLASS: &str = "[[classes]]\nname = 'a'\nnodes = 2\ncores = 4\nmemory_gb = 8\nresources = { gpu = 2 }\n\
        power = { idle_w = 100, busy_w = 200.5, resources = { gpu = { idle_w = 10, busy_w = 60 } } }\n";

    #[test]
    fn power_and_common_resources_are_read() {
        let text =
            format!("[common.matlab]\namount = 3\nper_job = 1\n[power]\ncap_w = 400\npue = 1.2\n{CLASS}");
        let classes = PlatformFields::parse("p.toml", &text).unwrap().classes().unwrap();
        assert_eq!((classes.idle_power(), classes.power().unwrap().effectiveness), (240_000, 1200));
        let found: Vec<_> = classes.common().iter().map(|it| (&*it.name, it.lasting_amount())).collect();
        assert_eq!(found, [("matlab", 3), ("power", 160_000)]);
        let job = Job { tasks: 2, cpu_need: Share::from_ratio(1, 2), ..Job::default() };
        let requests = vec!["gpu:1:1".parse().unwrap()];
        let demand = Demands { requests, ..Demands::default() }.of(&classes, &job);
        assert_eq!(demand.common, [1, 2 * (50_250 + 50_000)]);
    }

    #[test]
    fn wrong_amounts_and_powers_are_named() {
        for (text, found) in [
            ("[common.gpu]\namount = 3\n", "that no resource of nodes has"),
            ("[common.power]\namount = 3\n", "is not `power`"),
            ("[common.x]\nper_job = 1\n", "common.x: expected either `amount` or `steps`"),
            ("[common.x]\nsteps = [{ from_s = 5, amount = 1 }]\n", "common.x.steps[0].from_s: expected 0"),
            (
                "[common.x]\nsteps = [{ from_s = 0, amount = 1 }, { from_s = 0, amount = 2 }]\n",
                "common.x.steps[1].from_s: expected a later begin",
            ),
            ("[power]\ncap_w = 239\n", "power.cap_w: expected at least the 240 W of all nodes without tasks"),
            ("[power]\npue = 0.9\n", "power.pue: expected a number between 1 and 100"),
        ] {
            let error = errors(&format!("{text}{CLASS}"));
            assert!(error.contains(found), "{error}");
        }
        let busy = CLASS.replace("200.5", "99");
        assert!(errors(&busy).contains("classes[0].power.busy_w: expected at least as much as `idle_w`"));
        let unknown = CLASS.replace("gpu = { idle", "tpu = { idle");
        assert!(errors(&unknown).contains("classes[0].power.resources.tpu: no class has this resource"));
        let some = format!("{CLASS}[[classes]]\nname = 'b'\nnodes = 2\ncores = 4\nmemory_gb = 8\n");
        assert!(errors(&some).contains("classes[1]: expected `power`"));
    }
}
