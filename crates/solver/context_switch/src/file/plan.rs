//! Self-contained plans as JSON.

use super::cluster::{AmountsEntry, PlaceEntry, constraint_entries, node_entries};
use crate::cluster::{Cluster, MoveLimits, Starts};
use crate::configuration::Configuration;
use crate::soft::penalty;
use crate::timed_action::TimedAction;
use crate::timetable::{NodeSwitch, Timetable};
use dfrsim_model::NodeId;
use dfrsim_state::json_lines;
use serde::Serialize;

/// Summary figures of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PlanFigures {
    /// Cost of the plan, in MB for the default objective.
    pub cost: u64,
    /// Lower bound on the cost of all plans to the decided states; `None` if places were given
    /// instead of states.
    pub bound: Option<u64>,
    /// True if no configuration with the decided states has a cheaper plan.
    pub proven: bool,
}

#[derive(Serialize)]
struct PlannedVmEntry<'a> {
    name: &'a str,
    vjob: &'a str,
    #[serde(flatten)]
    needs: AmountsEntry,
    before: PlaceEntry<'a>,
    after: PlaceEntry<'a>,
}

#[derive(Serialize)]
struct ActionEntry<'a> {
    vm: &'a str,
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<&'a str>,
    cost: u64,
    begin_s: f64,
    end_s: f64,
}

#[derive(Serialize)]
struct SwitchEntry<'a> {
    node: &'a str,
    action: &'static str,
    begin_s: f64,
    end_s: f64,
}

/// Formats a plan as JSON, with the places before and after, costs and times. The text is
/// self-contained: `dfrsim_audit` checks it and `dfrsim_plots` draws it without any other input.
pub fn plan_to_json(
    cluster: &Cluster,
    before: &Configuration,
    after: &Configuration,
    timetable: &Timetable,
    figures: &PlanFigures,
) -> String {
    let name = |node: NodeId| cluster.node(node).name.as_str();
    let vms = cluster.by_name().iter().map(|&vm| PlannedVmEntry {
        name: &cluster.vm(vm).name,
        vjob: &cluster.vjobs()[cluster.vm(vm).vjob.index()].name,
        needs: AmountsEntry::of_vm(cluster, vm),
        before: PlaceEntry::new(cluster, before.place(vm)),
        after: PlaceEntry::new(cluster, after.place(vm)),
    });
    let switches = timetable.switches.iter().map(|NodeSwitch { node, is_on, begin, end }| SwitchEntry {
        node: name(*node),
        action: if *is_on { "boot" } else { "shutdown" },
        begin_s: begin.as_secs_f64(),
        end_s: end.as_secs_f64(),
    });
    let pools: Vec<String> = timetable
        .pools
        .iter()
        .map(|pool| {
            json_lines(pool.iter().map(|TimedAction { action, begin, end }| ActionEntry {
                vm: &cluster.vm(action.vm()).name,
                action: action.kind().name(),
                from: action.from().node().map(name),
                to: action.to().node().map(name),
                cost: action.cost(cluster),
                begin_s: begin.as_secs_f64(),
                end_s: end.as_secs_f64(),
            }))
        })
        .collect();
    let (nodes, vms) = (json_lines(node_entries(cluster)), json_lines(vms));
    let (constraints, switches) = (json_lines(constraint_entries(cluster)), json_lines(switches));
    let pools = pools.join(",\n");
    let starts = match cluster.starts() {
        Starts::Pools => "",
        Starts::Asap => "\"actions\": \"asap\",\n",
    };
    let MoveLimits { per_node, in_cluster } = cluster.move_limits();
    let limits = [("moves_per_node", per_node), ("moves", in_cluster)];
    let limits =
        limits.map(|(name, limit)| limit.map_or(String::new(), |limit| format!("\"{name}\": {limit},\n")));
    let penalty = Some(penalty(cluster, after)).filter(|_| !cluster.soft().is_empty());
    let penalty = penalty.map_or(String::new(), |penalty| format!("\"penalty\": {penalty},\n"));
    let limits = limits.concat() + &penalty;
    let PlanFigures { cost, bound, proven } = figures;
    let bound = bound.map_or("null".to_owned(), |bound| bound.to_string());
    format!(
        "{{\n\"cost\": {cost},\n\"bound\": {bound},\n\"proven\": {proven},\n{starts}{limits}\"nodes\": {nodes},\n\"vms\": {vms},\n\
         \"constraints\": {constraints},\n\"pools\": [{pools}],\n\"switches\": {switches}\n}}\n"
    )
}
