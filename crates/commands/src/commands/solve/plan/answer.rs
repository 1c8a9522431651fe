//! A plan, or what the checker says of one.

use crate::commands::solve::switch::{Switch, counts, summary, verb};
use crate::output::{Answer, counted};
use dfrsim_context_switch::check::{PlanFaults, PlanReport};
use dfrsim_context_switch::file::PlanFigures;
use dfrsim_context_switch::{NodeSwitch, Place, Timed};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// A plan, or with `--check` the verdict of the checker on one.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub(crate) enum Answered {
    Plan(Planned),
    Check(Checked),
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Planned {
    /// The end of the last action.
    duration_s: f64,
    /// The memory that is moved or written, by table 1 of the report.
    cost_mb: u64,
    /// A lower bound on the cost of plans to the decided states; `null` if places were given.
    bound_mb: Option<u64>,
    /// Whether no other choice of nodes has a cheaper plan.
    is_proven: bool,
    /// What was reached of another aim than the least cost.
    reached: Option<Reached>,
    /// Whether a limit of time ended the search, so that another run may find another plan.
    is_timed: bool,
    /// The number of actions of each kind.
    actions: BTreeMap<&'static str, u32>,
    /// The pools of concurrent actions, in order.
    pools: Vec<Pool>,
    /// Nodes that are switched on and off.
    switches: Vec<Switched>,
    #[serde(skip)]
    summary: String,
    /// The width of the longest name of a VM.
    #[serde(skip)]
    width: usize,
}

/// What a plan has of its aim.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(super) struct Reached {
    /// `moves`, `makespan` or `ends`.
    pub(super) aim: &'static str,
    /// Moves, or seconds: to the last action's end, or of all ends together.
    pub(super) value: f64,
    /// What any plan has at least in which each VM acts once.
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
    /// Its node before the action; `null` if it has none.
    from: Option<String>,
    /// Its node after the action; `null` if it has none.
    to: Option<String>,
    cost_mb: u64,
    begin_s: f64,
    end_s: f64,
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
pub(crate) struct Checked {
    file: String,
    /// The faults; empty if the plan is right.
    faults: Vec<String>,
    /// The figures of a plan without a fault.
    report: Option<PlanReport>,
}

impl Answered {
    pub(super) fn plan(switch: &Switch, has_limit: bool, reached: Option<Reached>) -> Answered {
        let proved = is_least(&switch.figures, reached);
        let Switch { cluster, timetable: times, figures, .. } = switch;
        let node = |place: Place| place.node().map(|node| cluster.node(node).name.clone());
        let done = |&Timed { action, begin, end }: &Timed| Done {
            action: action.kind().name(),
            vm: cluster.vm(action.vm()).name.clone(),
            from: node(action.from()),
            to: node(action.to()),
            cost_mb: action.cost(cluster),
            begin_s: begin.as_secs_f64(),
            end_s: end.as_secs_f64(),
        };
        let pool = |pool: &Vec<Timed>| Pool {
            begin_s: pool.iter().map(|timed| timed.begin).min().unwrap_or_default().as_secs_f64(),
            actions: pool.iter().map(done).collect(),
        };
        let switched = |switch: &NodeSwitch| Switched {
            action: verb(switch),
            node: cluster.node(switch.node).name.clone(),
            begin_s: switch.begin.as_secs_f64(),
            end_s: switch.end.as_secs_f64(),
        };
        Answered::Plan(Planned {
            duration_s: times.end().as_secs_f64(),
            cost_mb: figures.cost,
            bound_mb: figures.bound,
            is_proven: figures.proven,
            reached,
            is_timed: has_limit && !proved,
            actions: counts(times).into_iter().collect(),
            pools: times.pools.iter().map(pool).collect(),
            switches: times.switches.iter().map(switched).collect(),
            summary: summary(times),
            width: cluster.vms().iter().map(|vm| vm.name.len()).max().unwrap_or(0),
        })
    }

    pub(super) fn check(path: &Path, checked: &Result<PlanReport, PlanFaults>) -> Answered {
        let faults = checked.as_ref().err().map(|faults| faults.0.iter().map(ToString::to_string).collect());
        Answered::Check(Checked {
            file: path.display().to_string(),
            faults: faults.unwrap_or_default(),
            report: checked.as_ref().ok().copied(),
        })
    }
}

/// Whether the search has proved what it was for.
fn is_least(figures: &PlanFigures, reached: Option<Reached>) -> bool {
    reached.map_or(figures.proven, |reached| reached.value <= reached.at_least)
}

impl Answer for Answered {
    fn text(&self) -> String {
        match self {
            Answered::Plan(planned) => planned.text(),
            Answered::Check(checked) => checked.text(),
        }
    }
}

impl Checked {
    /// Faults are printed as messages, not here.
    fn text(&self) -> String {
        let Some(PlanReport { pools, actions, detours_by_pivot, detours_by_disk }) = &self.report else {
            return String::new();
        };
        format!(
            "{} in {}, {detours_by_pivot} by way of a pivot and {detours_by_disk} of a disk: no fault\n",
            counted(*actions, "action"),
            counted(*pools, "pool")
        )
    }
}

impl Planned {
    /// The summary, the pools with a line for each action, and the figures.
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
            for Done { action, vm, from, to, cost_mb, begin_s, end_s } in actions {
                let mut nodes: Vec<&str> = from.iter().chain(to).map(String::as_str).collect();
                nodes.dedup();
                let nodes = nodes.join(" -> ");
                line(format!("  {action:<8} {vm:<width$}  {nodes}  cost {cost_mb}, {begin_s} to {end_s} s"));
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
            let proven = if self.is_proven { ": this is the cheapest plan" } else { "" };
            line(format!("bound {bound}{proven}"));
        }
        if let Some(Reached { aim, value, at_least }) = self.reached {
            let unit = if aim == "moves" { "" } else { " s" };
            let proven = match aim {
                _ if value > at_least => "",
                "moves" => ": no plan has fewer",
                _ => ": no plan in which each VM acts once ends earlier",
            };
            line(format!("{aim} {value}{unit}, at least {at_least}{unit}{proven}"));
        }
        if self.is_timed {
            line("searched under a limit of time: another run may find another plan".to_owned());
        }
        text
    }
}
