//! Cells that claims query: metrics of each policy under the conditions of a scenario, and those of the
//! published tables.

use super::checks;
use super::numbers::{METRICS, Numbers};
use super::sample::{Sample, sorted_by_policy};
use crate::groups::{Group, Load, Matrix};
use crate::published::{CostUnit, Published};
use crate::setting::Setting;
use dfrsim_cluster::{EstimateModel, NeedModel};
use dfrsim_lab::query::Cells;
use dfrsim_model::SimSpan;
use dfrsim_policies::fractional::{Extensions, Periodic, RemapLimit};
use dfrsim_policies::{Policy, PolicySetting};

/// The policy that combines all techniques.
pub(super) const BEST: &str = "GreedyPM*/per/OPT=MIN/MVT=600";

/// Label columns: the parts of policy names.
const PARTS: [&str; 9] =
    ["policy", "kind", "submission", "star", "periodic", "phase", "limit", "limit_s", "rest"];
/// Further label columns of our results: the set that the published tables call the workload; the
/// instances, and the load if there is only one; the penalty, and if it is the last one; the tau, and
/// if it is that of the published tables; the period, which is the first one for policies without
/// periods; if all conditions are those of the published tables, or at least the scenario's first
/// ones, or these with any period; and if a workload has other MVT limits, and other estimates, than
/// the published ones.
pub(super) const CONDITIONS: [&str; 13] = [
    "set",
    "instances",
    "load",
    "penalty",
    "last_penalty",
    "tau",
    "usual_tau",
    "period",
    "default",
    "plain",
    "plain_but_period",
    "limits",
    "estimates",
];

/// Metrics of a policy under [`CONDITIONS`].
#[derive(Clone)]
pub(super) struct Line {
    pub(super) policy: Policy,
    pub(super) conditions: Vec<String>,
    pub(super) numbers: Numbers,
}

/// Builds the cells that claims query. The lines must be sorted by policy, as those of
/// [`sorted_by_policy`].
pub(super) fn query_cells(conditions: &[&'static str], lines: &[Line]) -> Cells<'static> {
    let mut cells = Cells::new(&[&PARTS, conditions].concat(), &METRICS, &[]).named_by("policy");
    for Line { policy, conditions, numbers } in lines {
        cells.push(labels(*policy).iter().chain(conditions).map(String::as_str), *numbers);
    }
    checks::add(cells)
}

/// Returns the labels of a policy, in the order of [`PARTS`]. A batch policy has only a name.
fn labels(policy: Policy) -> [String; PARTS.len()] {
    let name = policy.to_string();
    let Some(parts) = policy.fractional() else {
        return std::array::from_fn(|at| if at == 0 { name.clone() } else { String::new() });
    };
    let (limit, length) = match parts.remap_limit {
        RemapLimit::Unlimited => ("none", None),
        RemapLimit::VirtualTime(length) => ("MVT", Some(length)),
        RemapLimit::FlowTime(length) => ("MFT", Some(length)),
    };
    let rest = (parts.budget_gb, parts.relabel, parts.extensions);
    [
        name,
        "fractional".to_owned(),
        format!("{:?}", parts.on_submission),
        yes_or_no(parts.opportunistic),
        if parts.periodic == Periodic::Nothing { "none".to_owned() } else { format!("{:?}", parts.periodic) },
        format!("{:?}", parts.second_phase),
        limit.to_owned(),
        length.map(|length| length.to_string()).unwrap_or_default(),
        if rest == (None, false, Extensions::NONE) { String::new() } else { format!("{rest:?}") },
    ]
}

fn yes_or_no(is_so: bool) -> String {
    if is_so { "yes" } else { "no" }.to_owned()
}

/// Checks that a policy is [`BEST`] with a limit that the published tables do not have.
pub(super) fn is_other_limit(policy: Policy) -> bool {
    let (name, best) = (policy.to_string(), BEST.trim_end_matches("600"));
    name.strip_prefix(best).is_some_and(|limit| !["300", "600"].contains(&limit))
}

/// Builds the cells of our results on a workload.
pub(super) fn ours(matrix: &Matrix<'_>, sample: &Sample<'_, '_>) -> Cells<'static> {
    const USUAL_TAU: SimSpan = SimSpan::from_secs(10);
    let simulation = &matrix.scenario.simulation;
    let usual_tau = if simulation.taus.contains(&USUAL_TAU) { USUAL_TAU } else { simulation.taus[0] };
    let is_plain_but_period = |group: &Group<'_>| {
        let Setting { options, alternative, .. } = group.setting;
        alternative.is_none()
            && options.needs == NeedModel::Exact
            && group.has_rules(simulation.packings[0], simulation.drops[0])
    };
    let reads_period = |group: &Group<'_>| group.setting.policy.reads(PolicySetting::Period);
    let is_plain = |group: &Group<'_>| {
        is_plain_but_period(group)
            && (!reads_period(group) || group.setting.parameters.period == simulation.periods[0])
    };
    let has_other_limit = |group: &&Group<'_>| {
        is_other_limit(group.setting.policy)
            && is_plain(group)
            && group.scope.is_whole()
            && (group.setting.options.penalty, group.tau) == (SimSpan::from_secs(300), usual_tau)
            && group.rows().next().is_some()
    };
    let limits = if sample.groups().any(|group| has_other_limit(&group)) { "others" } else { "usual" };
    let estimates = if simulation.estimates == EstimateModel::Exact { "exact" } else { "others" };
    let line = |(at, group): (usize, &Group<'_>)| {
        let (instances, load) = match group.scope.load {
            Load::Unscaled | Load::All => ("whole", String::new()),
            Load::Of(load) => ("a load", load.to_string()),
            Load::AtLeast(_) => ("heavy", String::new()),
        };
        let penalty = group.setting.options.penalty;
        let period = match group.setting.policy.own_period() {
            None if reads_period(group) => group.setting.parameters.period,
            _ => simulation.periods[0],
        };
        let conditions = [
            set(group).to_owned(),
            instances.to_owned(),
            load,
            format!("{penalty} s"),
            yes_or_no(simulation.penalties.last() == Some(&penalty)),
            format!("tau {} s", group.tau),
            yes_or_no(group.tau == usual_tau),
            period.to_string(),
            yes_or_no(matrix.is_default(group)),
            yes_or_no(is_plain(group)),
            yes_or_no(is_plain_but_period(group)),
            limits.to_owned(),
            estimates.to_owned(),
        ];
        Line { policy: group.setting.policy, conditions: conditions.into(), numbers: sample.numbers_of(at) }
    };
    query_cells(&CONDITIONS, &sample.groups().enumerate().map(line).collect::<Vec<_>>())
}

/// Returns the name of the set of instances with whose published table a workload is compared.
fn set(group: &Group<'_>) -> &'static str {
    match group.scope.workload.degradations() {
        Some(Published::DissertationB1) => "hpc2n",
        Some(Published::DissertationB2) => "unscaled",
        Some(Published::DissertationB3) => "scaled",
        Some(Published::DissertationB4ToB6 | Published::VcsimUnscaled) | None => "",
    }
}

/// Builds the cells of a published table of degradations and of the published costs, for the
/// selected policies.
pub(super) fn published(table: Published, is_meant: impl Fn(Policy) -> bool) -> Cells<'static> {
    let line = |policy: &str, numbers| {
        let policy = policy.parse().ok().filter(|policy| is_meant(*policy))?;
        Some(Line { policy, conditions: Vec::new(), numbers })
    };
    let degradation = |(policy, mean): (&str, f64)| {
        let [_, deviation, _] = table.degradation(policy)?;
        line(policy, [Some(mean), Some(deviation), None, None, None])
    };
    // The tables have no maximum of preemptions and migrations together. It is at most the sum of both
    // maxima, which stands for it.
    let cost = |(policy, [preemption, max_preemption, migration, max_migration]): (&str, [f64; 4])| {
        let (mean, max) = (preemption + migration, max_preemption + max_migration);
        line(policy, [None, None, None, Some(mean), Some(max)])
    };
    let costs = Published::DissertationB4ToB6.costs(CostUnit::GigabytesPerSecond);
    let lines = table.means().filter_map(degradation).chain(costs.filter_map(cost)).collect();
    query_cells(&[], &sorted_by_policy(lines, |line| line.policy))
}
