//! Plan, or the verdict of the checker on one.

use crate::commands::solve::reasons::Reasons;
use crate::commands::solve::soft::SoftRules;
use crate::commands::solve::switch::{Switch, count_actions, summary, switch_name};
use crate::output::{Answer, counted};
use dfrsim_context_switch::check::{PlanReport, PlanViolations};
use dfrsim_context_switch::file::PlanFigures;
use dfrsim_context_switch::{NodeSwitch, Place, TimedAction};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Plan, or with `--check` the verdict of the checker on one.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub(crate) enum PlanAnswer {
    Plan(Planned),
    Check(CheckedPlan),
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Planned {
    /// The end of the last action, in seconds.
    duration_s: f64,
    /// The memory that is moved or written, according to table 1 of the report.
    cost_mb: u64,
    /// A lower bound on the cost of plans to the decided states; `null` if nodes were given.
    bound_mb: Option<u64>,
    /// True if it is proven that no other choice of nodes has a cheaper plan.
    is_proven: bool,
    /// The value and the bound of the objective, if it is not the least cost.
    reached: Option<ObjectiveValue>,
    /// True if a time limit ended the search, so that another run may find another plan.
    is_timed: bool,
    /// The number of actions of each kind.
    actions: BTreeMap<&'static str, u32>,
    /// The pools of concurrent actions, in order.
    pools: Vec<Pool>,
    /// The nodes that are switched on and off.
    switches: Vec<Switched>,
    /// The soft rules; `null` if there are none.
    soft: Option<SoftRules>,
    #[serde(skip)]
    summary: String,
    /// Width of the longest name of a VM, in bytes.
    #[serde(skip)]
    width: usize,
}

/// Value of a plan's objective.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Reached")]
pub(super) struct ObjectiveValue {
    /// The objective: `moves`, `makespan` or `ends`.
    pub(super) aim: &'static str,
    /// The number of moves, or seconds: the end of the last action, or the sum of all ends.
    pub(super) value: f64,
    /// The lower bound for plans in which each VM acts at most once.
    pub(super) at_least: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Pool {
    begin_s: f64,
    actions: Vec<Done>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Done {
    action: &'static str,
    vm: String,
    /// The node before the action; `null` if the VM has none.
    from: Option<String>,
    /// The node after the action; `null` if the VM has none.
    to: Option<String>,
    cost_mb: u64,
    begin_s: f64,
    end_s: f64,
    /// The goal or rule for which the action is made.
    reason: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Switched {
    /// `boot` or `shutdown`.
    action: &'static str,
    node: String,
    begin_s: f64,
    end_s: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Checked")]
pub(crate) struct CheckedPlan {
    file: String,
    /// The violations; empty if the plan is correct.
    faults: Vec<String>,
    /// The metrics of a correct plan.
    report: Option<PlanReport>,
}

impl PlanAnswer {
    pub(super) fn plan(
        switch: &Switch,
        reasons: &Reasons<'_>,
        has_limit: bool,
        reached: Option<ObjectiveValue>,
        soft: Option<SoftRules>,
    ) -> PlanAnswer {
        let proved = is_proven_optimal(&switch.figures, reached);
        let Switch { cluster, timetable: times, figures, .. } = switch;
        let node = |place: Place| place.node().map(|node| cluster.node(node).name.clone());
        let done = |&TimedAction { action, begin, end }: &TimedAction| Done {
            action: action.kind().name(),
            vm: cluster.vm(action.vm()).name.clone(),
            from: node(action.from()),
            to: node(action.to()),
            cost_mb: action.cost(cluster),
            begin_s: begin.as_secs_f64(),
            end_s: end.as_secs_f64(),
            reason: reasons.of(&action),
        };
        let pool = |pool: &Vec<TimedAction>| Pool {
            begin_s: pool.iter().map(|timed| timed.begin).min().unwrap_or_default().as_secs_f64(),
            actions: pool.iter().map(done).collect(),
        };
        let switched = |switch: &NodeSwitch| Switched {
            action: switch_name(switch),
            node: cluster.node(switch.node).name.clone(),
            begin_s: switch.begin.as_secs_f64(),
            end_s: switch.end.as_secs_f64(),
        };
        PlanAnswer::Plan(Planned {
            duration_s: times.end().as_secs_f64(),
            cost_mb: figures.cost,
            bound_mb: figures.bound,
            is_proven: figures.proven,
            reached,
            is_timed: has_limit && !proved,
            actions: count_actions(times).into_iter().collect(),
            pools: times.pools.iter().map(pool).collect(),
            switches: times.switches.iter().map(switched).collect(),
            soft,
            summary: summary(times),
            width: cluster.vms().iter().map(|vm| vm.name.len()).max().unwrap_or(0),
        })
    }

    pub(super) fn check(path: &Path, checked: &Result<PlanReport, PlanViolations>) -> PlanAnswer {
        let faults = checked.as_ref().err().map(|faults| faults.0.iter().map(ToString::to_string).collect());
        PlanAnswer::Check(CheckedPlan {
            file: path.display().to_string(),
            faults: faults.unwrap_or_default(),
            report: checked.as_ref().ok().copied(),
        })
    }
}

/// Returns whether the search has proven that its result is optimal.
fn is_proven_optimal(figures: &PlanFigures, reached: Option<ObjectiveValue>) -> bool {
    reached.map_or(figures.proven, |reached| reached.value <= reached.at_least)
}

impl Answer for PlanAnswer {
    fn text(&self) -> String {
        match self {
            PlanAnswer::Plan(planned) => planned.text(),
            PlanAnswer::Check(checked) => checked.text(),
        }
    }
}

impl CheckedPlan {
    /// Formats the verdict on a correct plan; violations are printed as error messages instead.
    fn text(&self) -> String {
        let Some(PlanReport { pools, actions, detours_by_pivot, detours_by_disk }) = &self.report else {
            return String::new();
        };
        format!(
            "{} in {}, {detours_by_pivot} detours by a pivot and {detours_by_disk} by a disk: no violation\n",
            counted(*actions, "action"),
            counted(*pools, "pool")
        )
    }
}

impl Planned {
    /// Formats the summary, the pools with a line for each action, and the costs.
    fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |line: String| text += &format!("{line}\n");
        let width = self.width;
        let is_empty = self.pools.is_empty() && self.switches.is_empty();
        if !is_empty {
            line(self.summary.clone());
        }
        for (Pool { begin_s, actions }, number) in self.pools.iter().zip(1..) {
            line(format!("pool {number}, from {begin_s} s"));
            for Done { action, vm, from, to, cost_mb, begin_s, end_s, reason } in actions {
                let mut nodes: Vec<&str> = from.iter().chain(to).map(String::as_str).collect();
                nodes.dedup();
                let nodes = nodes.join(" -> ");
                line(format!(
                    "  {action:<8} {vm:<width$}  {nodes}  cost {cost_mb}, {begin_s} to {end_s} s: {reason}"
                ));
            }
        }
        for Switched { action, node, begin_s, end_s } in &self.switches {
            line(format!("{action} {node}, {begin_s} to {end_s} s"));
        }
        if is_empty {
            line("nothing to do".to_owned());
        }
        line(format!("cost {}", self.cost_mb));
        if let Some(bound) = self.bound_mb {
            let proven = match (self.is_proven, &self.soft) {
                (false, _) => "",
                (true, None) => ": this is the cheapest plan",
                (true, Some(_)) => ": this is the cheapest plan that keeps these rules",
            };
            line(format!("bound {bound}{proven}"));
        }
        if let Some(ObjectiveValue { aim, value, at_least }) = self.reached {
            let unit = if aim == "moves" { "" } else { " s" };
            let proven = match aim {
                _ if value > at_least => "",
                "moves" => ": no plan has fewer",
                _ => ": no plan in which each VM acts once ends earlier",
            };
            line(format!("{aim} {value}{unit}, at least {at_least}{unit}{proven}"));
        }
        self.soft.iter().flat_map(SoftRules::lines).for_each(&mut line);
        if self.is_timed {
            line("the search had a time limit: another run may find another plan".to_owned());
        }
        text
    }
}
