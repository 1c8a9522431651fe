//! `dfrsim solve plan`

mod answer;

use super::carry_out::{TargetSystem, commands};
use super::problem::explain_contradiction;
use super::reasons::{NoOtherReason, Reasons};
use super::soft::SoftRules;
use super::state::{Loaded, load, open, open_file};
use super::switch::{Switch, with_shared_cpu};
use super::time_limit::parse_time;
use super::written::OutputArguments;
use crate::arguments::one_of;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::notice;
use answer::ObjectiveValue;
pub(crate) use answer::PlanAnswer;
use clap::{ArgGroup, Args};
use dfrsim_context_switch::check::check_plan;
use dfrsim_context_switch::file::{PlanFigures, configuration_of, durations_from_json, states_of};
use dfrsim_context_switch::{
    Aim, Cluster, Configuration, Constraint, ConstraintKind, Durations, KeptSoft, Limits, MoveLimits,
    Optimised, Plan as Pools, Starts, SuspendTo, VjobId, clear_disks, first_come_first_served, in_states,
    keep_running, keep_soft, plan, select_running, solve,
};
use dfrsim_input::read_text;
use dfrsim_model::named::UnknownName;
use dfrsim_model::{NodeId, Seed};
use serde_json::json;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Plan a context switch of virtualised jobs, which brings VMs to given nodes or states
///
/// Prints the pools of the plan, each of which begins when the preceding one has ended (or see
/// --actions), with the cost of each action and of the plan, in MB. If states are given instead of
/// nodes, it searches for the configuration with the cheapest plan, and prints a lower bound on the
/// cost of any plan in which each VM acts at most once. Every plan is checked independently. Exit
/// code 1 means that no plan was found.
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("wanted").required(true).multiple(true).args(["to", "states", "decide", "drain", "check"])))]
#[command(after_help = "\
Files:
  WANTED        the target: another state, or {\"vms\": [{\"name\": \"A1\", \"state\": \"sleeping\", \"node\": \"N1\"}]}
  STATES.json   {\"vjobs\": [{\"name\": \"A\", \"state\": \"sleeping\"}]}
  DURATIONS.json  {\"stop_s\": 2, \"migrate\": [[1024, 19], [2048, 26]], \"boot_s\": 90}, only those that differ
  VMs without an entry stay as they are. CPU may have three decimals. Where the VMs of WANTED share CPU, they take on the
  way what they get before or after, whichever is less.

Constraints, by kind (details: scenarios/plan/README.md; examples: scenarios/plan/constrained.json):
  spread, lonely       vms          no two on one node; no other VM on their nodes
  split                groups       no two VMs of different groups on one node
  gather               vms          on one node at the end
  fence, ban           vms, nodes   on these nodes only; on none of them
  among                vms, groups  at the end on one of these groups of nodes
  split-among          vms, groups  at the end each set of VMs on a group of its own
  root                 vms          not migrated
  quarantine           nodes        no VM comes or leaves
  running-capacity     nodes, limit            at most `limit` VMs run there
  resource-capacity    nodes, resource, limit  VMs take at most `limit` there
  overbook             nodes, resource, ratio  VMs may take `ratio` times what each node has
  spare                nodes, count            VMs leave free as much as the `count` largest of these nodes have (N+k)
  preserve             vms, resource, amount   each VM needs at least `amount`
  online, offline      nodes        on or off at the end; they are switched
  max-online           nodes, limit            at most `limit` are on at the end
  precedence           vms          act one after the other, in this order
  serialise, sync      vms          act at different times, in any order; act once, in one pool
  no-delay             vms          act in the first pool only
  deadline             vms, seconds            have acted within `seconds`
  spread, split and lonely hold always, gather and among at the end; a field `continuous` (true or false) says otherwise.
  A rule on places with a `weight` is soft: it is kept if that moves at most `weight` MB for each violation (with an
  --aim: if the plan gets no worse). `vms` and `nodes` may be selectors, {\"label\": {\"app\": \"web\"}}, and `groups`
  {\"by_label\": \"zone\"}.

Examples:
  dfrsim solve plan scenarios/plan/current.json --to scenarios/plan/swapped.json
  dfrsim solve plan scenarios/plan/current.json --states scenarios/plan/states.json --plan-out plan.json --picture plan.svg
  dfrsim solve plan scenarios/plan/current.json --drain N1,N2 --decide --state-out drained.json
  dfrsim solve plan scenarios/plan/constrained.json --decide --durations scenarios/plan/durations.json
  dfrsim solve plan state.json --drain node7 --moves-per-node 2 --commands-out drain.sh --system openstack
  dfrsim solve plan --check plan.json")]
pub(crate) struct Plan {
    /// Files of the state (see `dfrsim solve --help`)
    #[arg(value_hint = clap::ValueHint::FilePath, value_name = "STATE", conflicts_with = "check")]
    state: Vec<PathBuf>,
    /// Target nodes and states of VMs
    #[arg(long, value_name = "WANTED", value_hint = clap::ValueHint::FilePath)]
    to: Option<PathBuf>,
    /// Target states of vjobs; the search chooses the nodes
    #[arg(long, value_name = "STATES.json", value_hint = clap::ValueHint::FilePath, conflicts_with = "to")]
    states: Option<PathBuf>,
    /// Decide which vjobs run: by priority, then in the order of the file, each one that fits by
    /// first-fit decreasing; the search chooses the nodes
    #[arg(long, conflicts_with_all = ["to", "states"])]
    decide: bool,
    /// Drain these nodes: their running VMs migrate, or are suspended with --decide, and images on
    /// their disks go to others. In the state of --state-out a ban keeps them empty
    #[arg(long, value_name = "NODE,...", value_delimiter = ',', conflicts_with = "to")]
    drain: Vec<String>,
    /// Check a plan in the format of `--plan-out`: capacities, constraints, states, times and costs,
    /// action by action. Exit code 1 if a violation is found
    #[arg(long, value_name = "PLAN.json", value_hint = clap::ValueHint::FilePath, conflicts_with_all = ["to", "states", "decide", "drain", "state_out", "plan_out", "picture"])]
    check: Option<PathBuf>,
    /// Objective of the search: the least cost; the fewest moves (a migration, a suspend and a
    /// resume are one each, a resume on another node than that of the image two), and among plans
    /// with the fewest the one that moves the least memory; the earliest end of the last action
    /// (makespan); or the least sum of the ends of all actions
    #[arg(long, value_parser = one_of(Aim::ALL, Aim::name), default_value_t, conflicts_with_all = ["to", "check"])]
    aim: Aim,
    /// Start of actions: those of a pool when the preceding pool has ended, or each as soon as its
    /// node has capacity, unless that is needed by an earlier one. Costs in MB are those of pools
    #[arg(long, value_parser = one_of(Starts::ALL, Starts::name), default_value_t, conflicts_with = "check")]
    actions: Starts,
    /// Number of assignments to try
    #[arg(long, value_name = "N", default_value_t = Limits::default().steps, conflicts_with_all = ["to", "check"])]
    steps: u64,
    /// Time limit of the search instead, as in 40s or 500ms; the results are then not reproducible
    #[arg(long, value_name = "TIME", value_parser = parse_time, conflicts_with_all = ["steps", "to", "check"])]
    time_limit: Option<Duration>,
    /// Seed of the search
    #[arg(long, value_name = "S", default_value_t = 1, conflicts_with_all = ["to", "check"])]
    seed: u64,
    /// Durations of actions, where they differ from those of the report
    #[arg(long, value_name = "DURATIONS.json", value_hint = clap::ValueHint::FilePath, conflicts_with = "check")]
    durations: Option<PathBuf>,
    /// Largest number of simultaneous moves (migrations, transfers, wakes elsewhere) that leave or
    /// reach one node
    #[arg(long, value_name = "N", conflicts_with = "check")]
    moves_per_node: Option<NonZeroU32>,
    /// Largest number of simultaneous moves in the whole cluster
    #[arg(long, value_name = "N", conflicts_with = "check")]
    moves: Option<NonZeroU32>,
    /// Write commands that carry out the plan, for the system of --system
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::AnyPath, requires = "system", conflicts_with = "check")]
    commands_out: Option<PathBuf>,
    /// System whose commands are written: OpenStack's client, Proxmox VE's API, PowerCLI, virsh, or
    /// kubectl
    #[arg(long, value_parser = one_of(TargetSystem::ALL, TargetSystem::name), requires = "commands_out")]
    system: Option<TargetSystem>,
    #[command(flatten)]
    written: OutputArguments,
}

/// Configuration that a context switch leads to, and how it was found.
struct SwitchTarget {
    after: Configuration,
    /// The cluster with the CPU that VMs use during the switch.
    cluster: Cluster,
    /// Plan of the search, if there was one.
    found: Option<(Pools, PlanFigures)>,
    /// Value and bound of the objective, if it is not the least cost.
    reached: Option<ObjectiveValue>,
    /// Soft constraints that the search had to satisfy.
    enforced: Vec<Constraint>,
    /// True if the searches ended before all parts of the violated soft constraints were tried.
    is_cut_short: bool,
}

/// Largest number of searches with soft constraints.
const SOFT_SEARCHES: usize = 32;
/// Part of the steps of a search that each search with soft constraints may take.
const SOFT_PART: u64 = 4;

impl Plan {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        if let Some(path) = &self.check {
            return check(path, context);
        }
        self.written.check()?;
        let inputs = open(&self.state)?;
        let mut loaded = load(&inputs)?;
        if !self.drain.is_empty() {
            let vms: Vec<&str> = loaded.state.vms.iter().map(|vm| vm.name.as_str()).collect();
            let ban = json!({ "kind": "ban", "vms": vms, "nodes": self.drain });
            loaded.state.further_constraints.push(ban);
        }
        let durations = self.durations()?;
        let cluster = self.with_drained_nodes(loaded.cluster, &loaded.before)?;
        let limits = MoveLimits { per_node: self.moves_per_node, in_cluster: self.moves };
        let cluster = cluster.with_durations(durations.clone()).with_starts(self.actions);
        loaded.cluster = cluster.with_move_limits(limits);
        let SwitchTarget { after, cluster, found, reached, enforced, is_cut_short } = self.target(&loaded)?;
        let switch = Switch::new(cluster, &loaded.before, &after, found, &durations)?;
        let places = (&loaded.before, &after);
        let decision = match (&self.to, self.decide) {
            (Some(_), _) => "the target says so",
            (None, true) => "it does not fit beside the vjobs before it",
            (None, false) => "the states say so",
        };
        let otherwise = match &self.to {
            Some(_) => NoOtherReason::Given,
            None => NoOtherReason::Cheaper,
        };
        let reasons_of = with_rules(&loaded.cluster, &enforced, &loaded.before);
        let decision = (decision, otherwise);
        let reasons = Reasons::new(&reasons_of, places, &switch.pools, &self.drain, decision);
        let mut files = self.written.files(&loaded, &after, Some((&switch, &reasons)))?;
        if let Some((path, target)) = self.commands_out.as_ref().zip(self.system) {
            let commands = commands(target, &switch, &reasons, &self.drain).map_err(Failure::Result)?;
            files.add_bytes(path, commands)?;
        }
        let soft = SoftRules::of(&loaded.cluster, places, is_cut_short);
        context.print(&PlanAnswer::plan(&switch, &reasons, self.time_limit.is_some(), reached, soft))?;
        files.finish()
    }

    fn durations(&self) -> Result<Durations, Failure> {
        let Some(path) = &self.durations else { return Ok(Durations::default()) };
        let text = read_text(path).map_err(Failure::input)?;
        durations_from_json(&path.display().to_string(), &text).map_err(Failure::input)
    }

    /// Adds a ban of all VMs from the nodes to be drained to the cluster.
    fn with_drained_nodes(&self, cluster: Cluster, before: &Configuration) -> Result<Cluster, Failure> {
        if self.drain.is_empty() {
            return Ok(cluster);
        }
        let node = |name: &String| {
            let found = cluster.node_ids().find(|&node| cluster.node(node).name == *name);
            let names =
                || cluster.node_ids().map(|node| cluster.node(node).name.as_str()).collect::<Vec<_>>();
            found.ok_or_else(|| {
                Failure::input(format!("--drain: {}", UnknownName::new("node", name, names())))
            })
        };
        let nodes = self.drain.iter().map(node).collect::<Result<Vec<_>, _>>()?;
        let mut constraints = cluster.constraints().list().to_vec();
        constraints.push(Constraint::new(ConstraintKind::Ban, vec![cluster.by_name().to_vec()], vec![nodes]));
        Ok(cluster.with_constraints(constraints, before))
    }

    /// Determines the target: from a file, or by a search.
    fn target(&self, loaded: &Loaded<'_>) -> Result<SwitchTarget, Failure> {
        let Loaded { cluster, before, .. } = loaded;
        if let Some(path) = &self.to {
            let wanted = open_file(path).map_err(Failure::input)?;
            let after = configuration_of(&wanted, cluster, before).map_err(Failure::input)?;
            for vjob in cluster.vjob_ids().filter(|&vjob| is_split(cluster, before, &after, vjob)) {
                let name = &cluster.vjobs()[vjob.index()].name;
                notice!("vjob `{name}` is split: its VMs share a state before the plan, but not after it");
            }
            let cluster = with_shared_cpu(loaded, &after);
            let (enforced, is_cut_short) = (Vec::new(), false);
            return Ok(SwitchTarget { after, cluster, found: None, reached: None, enforced, is_cut_short });
        }
        let states = match &self.states {
            Some(path) => {
                let wanted = open_file(path).map_err(Failure::input)?;
                states_of(&wanted, cluster).map_err(Failure::input)?
            }
            None => vec![None; cluster.vjobs().len()],
        };
        let wanted = if self.decide {
            let queue = first_come_first_served(cluster);
            let decided = select_running(cluster, before, &queue, SuspendTo::Disk);
            Ok(keep_running(cluster, before, decided, &queue))
        } else {
            in_states(cluster, before, &states)
        };
        let wanted = wanted.map(|mut wanted| {
            let constraints = cluster.constraints();
            let is_cleared = |node: &NodeId| {
                let switched = cluster.is_on(*node) && !constraints.node(*node).is_on;
                switched || self.drain.contains(&cluster.node(*node).name)
            };
            let cleared: Vec<NodeId> = cluster.node_ids().filter(is_cleared).collect();
            clear_disks(cluster, before, &mut wanted, &cleared);
            wanted
        });
        let steps = if self.time_limit.is_some() { u64::MAX } else { self.steps };
        let searched = cluster.clone().with_aim(self.aim);
        let begin = Instant::now();
        // Without soft constraints there is one search.
        let parts = if cluster.soft().is_empty() { 1 } else { 2 };
        let next_limit = || self.time_limit.map(|limit| limit.saturating_sub(begin.elapsed()) / parts);
        let is_moved = self.aim == Aim::Cost;
        let found = wanted.map_err(|error| Failure::Result(error.to_string())).and_then(|wanted| {
            let search = |enforced: &[Constraint]| {
                // All searches for soft constraints take at most eight times as long as the first one.
                let steps = if enforced.is_empty() { steps } else { steps.div_ceil(SOFT_PART) };
                let limits = Limits { steps, time: next_limit() };
                let searched = with_rules(&searched, enforced, before);
                solve(&searched, before, &wanted, &limits, Seed::new(self.seed))
            };
            // Weights are memory; other objectives come first.
            let value = |found: &Optimised, penalty: u64| match is_moved {
                true => (found.cost.saturating_add(penalty), penalty),
                false => (found.cost, penalty),
            };
            let found = keep_soft(cluster, SOFT_SEARCHES, search, |found| &found.configuration, value);
            found.map_err(|error| {
                let reason = explain_contradiction(cluster, before, &wanted, !self.drain.is_empty());
                Failure::Result(format!("{error}{reason}"))
            })
        })?;
        let KeptSoft { found, enforced, is_cut_short } = found;
        let (after, cluster) = (found.configuration, cluster.clone());
        if self.aim == Aim::Cost {
            let figures = PlanFigures { cost: found.cost, bound: Some(found.bound), proven: found.proven };
            let found = Some((found.plan, figures));
            return Ok(SwitchTarget { after, cluster, found, reached: None, enforced, is_cut_short });
        }
        let moves_of = |plan: &Pools| {
            let moves = plan.actions().filter_map(|action| searched.moves_of(action.cost(&searched)));
            moves.sum::<u64>()
        };
        let (pools, [value, at_least]) = match searched.moves_of(found.bound) {
            Some(bound) => {
                // Another order of the same moves may cost less.
                let moves = moves_of(&found.plan);
                let again = plan(&cluster, before, &after).ok().filter(|again| moves_of(again) <= moves);
                (again.unwrap_or(found.plan), [moves as f64, bound as f64])
            }
            None => (found.plan, [found.cost, found.bound].map(|micros| micros as f64 / 1e6)),
        };
        let figures = PlanFigures { cost: pools.cost(&cluster), bound: None, proven: false };
        let reached = Some(ObjectiveValue { aim: self.aim.name(), value, at_least });
        Ok(SwitchTarget { after, cluster, found: Some((pools, figures)), reached, enforced, is_cut_short })
    }
}

/// Returns a cluster with further constraints.
fn with_rules(cluster: &Cluster, further: &[Constraint], before: &Configuration) -> Cluster {
    if further.is_empty() {
        return cluster.clone();
    }
    let list = [cluster.constraints().list(), further].concat();
    cluster.clone().with_constraints(list, before)
}

/// Checks a plan with the independent checker and prints the verdict.
fn check(path: &Path, context: &Context<'_>) -> Result<(), Failure> {
    let text = read_text(path).map_err(Failure::input)?;
    let checked = check_plan(&text);
    context.print(&PlanAnswer::check(path, &checked))?;
    checked.map(drop).map_err(|faults| {
        let lines = faults.0.iter().map(|fault| format!("{}: {fault}", path.display()));
        Failure::Result(lines.collect::<Vec<_>>().join("\n"))
    })
}

/// Returns true if the VMs of a vjob share a state before the plan, but not after it.
fn is_split(cluster: &Cluster, before: &Configuration, after: &Configuration, vjob: VjobId) -> bool {
    let share = |places: &Configuration| {
        let mut states = cluster.vms_of(vjob).iter().map(|vm| places.place(*vm).state());
        let first = states.next();
        states.all(|state| Some(state) == first)
    };
    share(before) && !share(after)
}
