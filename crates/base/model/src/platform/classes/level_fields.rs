//! Fields of a platform file for speed levels.

use super::power_fields::{LevelFields, MAX_WATTS, NodePowerFields, PowerWhen, Problem, milliwatts};
use crate::Yield;
use crate::platform::levels::{MOST_LEVELS, SpeedLevel, is_level_name};
use std::collections::BTreeSet;

/// Collects the names of all levels in the order of their first appearance.
pub(super) fn level_names<'a>(all: impl Iterator<Item = &'a NodePowerFields>) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for level in all.flat_map(|power| &power.levels) {
        if !names.contains(&level.name.as_str()) {
            names.push(&level.name);
        }
    }
    names
}

impl NodePowerFields {
    /// Converts the levels of a node, given the names of all levels and of all resources. A level that it
    /// has not is full speed.
    pub(super) fn speed_levels(&self, names: &[&str], resources: &BTreeSet<&str>) -> Vec<SpeedLevel> {
        let of = |name: &&str| {
            let own = self.levels.iter().find(|level| level.name == *name);
            let unit = |resource: &&str| {
                let full = self.resources.get(*resource).map(|unit| unit.busy_w);
                let at_level = own.and_then(|level| level.resources.get(*resource)).copied();
                milliwatts(at_level.or(full).unwrap_or(0.0))
            };
            SpeedLevel {
                speed: own.map_or(Yield::ONE, |level| Yield::nearest(level.speed)),
                busy: milliwatts(own.and_then(|level| level.busy_w).unwrap_or(self.busy_watts())),
                units: resources.iter().map(unit).collect(),
            }
        };
        names.iter().map(of).collect()
    }

    /// Collects the fields of levels that are out of their ranges, given the names of all levels and the
    /// speed of the node.
    pub(super) fn level_problems(&self, names: &[&str], of_node: f64) -> Vec<Problem> {
        let mut wrong = Vec::new();
        let mut fault = |at: usize, field: &str, reason: String| {
            wrong.push((format!("levels[{at}].{field}"), reason));
        };
        let place = |name: &str| names.iter().position(|other| *other == name);
        let mut before: Option<&LevelFields> = None;
        for (at, level) in self.levels.iter().enumerate() {
            if !is_level_name(&level.name) {
                let reason = "expected a name of letters, digits, `-` and `_`, other than on-cap and never";
                fault(at, "name", reason.to_owned());
            }
            if before.is_some_and(|before| place(&before.name) >= place(&level.name)) {
                let order = names.join(", ");
                let reason =
                    format!("expected levels in the order in which the classes first name them: {order}");
                fault(at, "name", reason);
            }
            let speed = Yield::nearest(level.speed);
            let is_slow = speed > Yield::ZERO && speed < Yield::ONE;
            if !is_slow || speed.times(Yield::nearest(of_node)) == Yield::ZERO {
                fault(at, "speed", "expected a number above 0 and below 1".to_owned());
            } else if let Some(before) = before.filter(|it| Yield::nearest(it.speed) <= speed) {
                fault(at, "speed", format!("expected less than the {} of `{}`", before.speed, before.name));
            }
            let least = self.idle_w.unwrap_or(0.0);
            let most = before.and_then(|before| before.busy_w).unwrap_or(self.busy_watts());
            match level.busy_w {
                Some(_) if self.cpu.is_some() => {
                    let reason = "expected no power: the sockets of `cpu` draw the same at all levels";
                    fault(at, "busy_w", reason.to_owned());
                }
                None if self.cpu.is_none() => {
                    fault(at, "busy_w", "expected the power of a busy CPU".to_owned());
                }
                Some(watts) if !(least..=most.min(MAX_WATTS)).contains(&watts) => {
                    let reason = format!(
                        "expected watts between the `idle_w` of {least} and the {most} of the level before"
                    );
                    fault(at, "busy_w", reason);
                }
                _ => {}
            }
            for (name, &watts) in &level.resources {
                let Some(unit) = self.resources.get(name) else {
                    let reason = "expected a resource of `power.resources` of this class";
                    fault(at, &format!("resources.{name}"), reason.to_owned());
                    continue;
                };
                if unit.when == PowerWhen::Used {
                    let reason = "expected no power: with `when = \"used\"` it is the same at all levels";
                    fault(at, &format!("resources.{name}"), reason.to_owned());
                    continue;
                }
                let most = before.and_then(|it| it.resources.get(name)).copied().unwrap_or(unit.busy_w);
                if !(unit.idle_w..=most).contains(&watts) {
                    let reason =
                        format!("expected watts between {} and the {most} of the level before", unit.idle_w);
                    fault(at, &format!("resources.{name}"), reason);
                }
            }
            before = Some(level);
        }
        if names.len() > MOST_LEVELS && !self.levels.is_empty() {
            wrong.push(("levels".to_owned(), format!("expected at most {MOST_LEVELS} different levels")));
        }
        wrong
    }
}
