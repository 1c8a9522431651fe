//! `dfrsim solve adapt`

mod answer;

use super::problem::Problem;
use super::reasons::Reasons;
use super::soft::SoftRules;
use super::state::{Loaded, load, open};
use super::switch::{Switch, moves};
use super::time_limit::{GRACE, parse_time, run_within};
use super::written::OutputArguments;
use crate::arguments::parse_yield;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::notice;
pub(crate) use answer::AdaptAnswer;
use answer::{BudgetResult, Optimum};
use clap::{Args, ValueEnum};
use dfrsim_adaptation::check::moving_cost;
use dfrsim_adaptation::{Adapted, Adapter, Aim, Headroom, peak};
use dfrsim_context_switch::{Configuration, Constraint, KeptSoft, keep_soft};
use dfrsim_model::named::UnknownName;
use dfrsim_model::offline::{Adaptation, Mapping};
use dfrsim_model::{NodeId, Yield};
use dfrsim_optimum::{Limits, adapted_optimum, lp_bound};
use dfrsim_state::VmState;
use dfrsim_vector_packing::check::check_minimum_yield;
use dfrsim_vector_packing::minimum_yield;
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// Maximum number of VMs; with more the heuristic takes hours.
const MAX_VMS: usize = 100_000;

/// Largest number of searches with soft constraints.
const SOFT_SEARCHES: usize = 16;

/// Answer for a set of constraints.
struct Answered {
    answer: AdaptAnswer,
    /// Placement of the last budget; the current one if none was found.
    after: Configuration,
    is_found: bool,
}

/// Adapt a cluster to changed CPU needs and new VMs: the best yields within a migration budget
///
/// Searches for the placement with the largest minimum yield, the fraction of its CPU need that
/// every VM gets, among those that move no more than the budget; waiting VMs are placed at no cost.
/// Prints a line for each budget: the minimum yield, the moved amount, the number of moves, the
/// nodes in use, the largest fraction of a resource that is used on a node (peak), and the number of
/// nodes of which any one may fail without a lack of capacity on the others (may fail); then the
/// moves of the last one. Every placement is checked independently. Exit code 1 means that no
/// placement was found.
#[derive(Args, Debug)]
#[command(
    override_usage = "dfrsim solve adapt <STATE>... [OPTIONS]",
    after_help = "\
Examples:
  dfrsim solve adapt scenarios/adapt/cluster.json --budget 25%
  dfrsim solve adapt nodes.csv vms.csv --budget 0 10% 25% 50% all
  dfrsim solve adapt scenarios/adapt/cluster.json --budget 25% all --exact 10
  dfrsim solve adapt scenarios/adapt/cluster.json --keep-yield 0.8
  dfrsim solve adapt scenarios/adapt/cluster.json --keep-yield 0.3 --aim nodes --budget 25%
  dfrsim solve adapt nodes.csv vms.csv --keep-yield 1 --aim nodes --node-price watts
  dfrsim solve adapt nodes.csv vms.csv --keep-yield 1 --aim peak --budget 5% 20% all
  dfrsim solve adapt nodes.csv vms.csv --keep-yield 1 --aim failure
  dfrsim solve adapt scenarios/adapt/cluster.json --budget 2 --cost moves --plan-out plan.json --state-out adapted.json
  dfrsim solve plan --check plan.json"
)]
pub(crate) struct Adapt {
    /// Files of the state (see `dfrsim solve --help`)
    #[arg(value_name = "STATE", value_hint = clap::ValueHint::FilePath)]
    state: Vec<PathBuf>,
    /// Budget of moves: a percentage of the total (25%), an amount, or all
    #[arg(long, value_name = "BUDGET", num_args = 1.., required_unless_present = "keep_yield", value_parser = Budget::parse)]
    budget: Vec<Budget>,
    /// Search for the cheapest moves after which all VMs have at least this yield, instead of for
    /// the best yield
    #[arg(long, value_name = "YIELD", value_parser = parse_yield, conflicts_with = "exact")]
    keep_yield: Option<Yield>,
    /// Objective of the placement within the budget, with --keep-yield
    #[arg(long, value_enum, default_value_t = Objective::Moves, requires = "keep_yield")]
    aim: Objective,
    /// Resource to use as the price of a node with --aim nodes, such as price or watts: its sum over
    /// the nodes in use is minimised; by default their number
    #[arg(long, value_name = "RESOURCE")]
    node_price: Option<String>,
    /// Cost of moves: the memory that is moved, or their number
    #[arg(long, value_enum, default_value_t = Cost::Memory)]
    cost: Cost,
    /// Search for the optimum too, for at most this time at each budget; intended for about a dozen
    /// tasks
    #[arg(long, value_name = "SECONDS", value_parser = parse_time)]
    exact: Option<Duration>,
    /// Time limit of the heuristic at each budget
    #[arg(long, value_name = "SECONDS", value_parser = parse_time, default_value = "600")]
    time_limit: Duration,
    #[command(flatten)]
    written: OutputArguments,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Cost {
    Memory,
    Moves,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Objective {
    /// The cheapest moves
    Moves,
    /// The fewest nodes, or the cheapest ones: the others can be turned off
    Nodes,
    /// The lowest peak: the largest fraction of a resource that is used on any node
    Peak,
    /// The cheapest moves after which any single node may fail: the others have the capacity for its
    /// VMs (N+1)
    Failure,
}

/// Budget of moves.
#[derive(Clone, Debug)]
enum Budget {
    Percent(f64),
    Amount(u64),
    All,
}

impl Budget {
    fn parse(text: &str) -> Result<Budget, String> {
        let wrong =
            || format!("expected a percentage of the total as in 25%, an amount, or all, found `{text}`");
        if text == "all" {
            return Ok(Budget::All);
        }
        let Some(percent) = text.strip_suffix('%') else {
            return text.parse().map(Budget::Amount).map_err(|_| wrong());
        };
        let percent: f64 = percent.parse().map_err(|_| wrong())?;
        if (0.0..=100.0).contains(&percent) { Ok(Budget::Percent(percent)) } else { Err(wrong()) }
    }

    /// Formats the budget as on the command line.
    fn name(&self) -> String {
        match self {
            Budget::Percent(percent) => format!("{percent}%"),
            Budget::Amount(amount) => amount.to_string(),
            Budget::All => "all".to_owned(),
        }
    }

    fn amount(&self, all: u64) -> u64 {
        match self {
            Budget::Percent(percent) => (all as f64 * percent / 100.0) as u64,
            // No budget is large enough to move a pinned VM.
            Budget::Amount(amount) => (*amount).min(all),
            Budget::All => all,
        }
    }
}

impl Adapt {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        self.written.check()?;
        let inputs = open(&self.state)?;
        let loaded = load(&inputs)?;
        let vms = loaded.state.vms.len();
        if vms > MAX_VMS {
            return Err(Failure::input(format!(
                "too many VMs: {vms}; `dfrsim solve adapt` accepts at most {MAX_VMS}"
            )));
        }
        let aim = self.aim(&loaded)?;
        let KeptSoft { found, enforced, is_cut_short } = self.kept_soft(&loaded, &aim)?;
        let Answered { mut answer, after, is_found } = found;
        let after = is_found.then_some(after);
        if !enforced.is_empty() {
            // The present placement breaks no rule that need not hold.
            let problem = Problem::of(&loaded, false, self.counts_moves());
            answer.minimum_yield_now = problem.minimum_yield_now();
            answer.overloaded = problem.overloaded(&loaded);
        }
        let files = match &after {
            None => None,
            Some(after) => {
                answer.moves = Some(moves(&loaded, after));
                let switch = self.written.needs_plan().then(|| Switch::to(&loaded, after)).transpose()?;
                answer.plan = switch.as_ref().and_then(Switch::summary);
                answer.soft = SoftRules::of(&loaded.cluster, (&loaded.before, after), is_cut_short);
                let ruled = loaded.with_rules(&enforced);
                let reasons = switch.as_ref().map(|switch| {
                    Reasons::of_placement(&ruled.cluster, (&loaded.before, after), &switch.pools)
                });
                Some(self.written.files(&loaded, after, switch.as_ref().zip(reasons.as_ref()))?)
            }
        };
        context.print(&answer)?;
        match files {
            Some(files) => files.finish(),
            None => {
                let problem = Problem::of(&loaded, false, self.counts_moves());
                Err(Failure::Result(format!("no placement was found{}", problem.explain_unfit(&loaded))))
            }
        }
    }

    /// Answers with the soft constraints that make no objective worse, and for which no more memory is
    /// moved than they weigh. Searches begin within the time limit.
    fn kept_soft(&self, loaded: &Loaded<'_>, aim: &Aim) -> Result<KeptSoft<Answered>, Failure> {
        let begin = Instant::now();
        let is_late = Cell::new(false);
        let search = |enforced: &[Constraint]| {
            if !enforced.is_empty() && begin.elapsed() >= self.time_limit {
                is_late.set(true);
                return Err(Failure::Result("the time limit is reached".to_owned()));
            }
            let ruled;
            let loaded = if enforced.is_empty() {
                loaded
            } else {
                ruled = loaded.with_rules(enforced);
                &ruled
            };
            let problem = Problem::of(loaded, false, self.counts_moves());
            let (answer, after) = self.answer(loaded, &problem, aim)?;
            let is_found = after.is_some();
            Ok(Answered { answer, after: after.unwrap_or_else(|| loaded.before.clone()), is_found })
        };
        let value = |Answered { answer, after, is_found }: &Answered, penalty: u64| {
            let last = answer.budgets.last();
            let objective = last.and_then(|last| match (self.keep_yield, aim) {
                (None, _) => last.minimum_yield.map(|least| 1.0 - least),
                (_, Aim::Nodes(_)) => last.node_price.map(|it| it as f64).or(last.nodes.map(|it| it as f64)),
                (_, Aim::Peak) => last.peak,
                (_, Aim::Moves | Aim::Failure) => Some(0.0),
            });
            // Objectives of equal quality differ by rounding only.
            let objective = objective.filter(|_| *is_found);
            let objective = objective.map_or(u64::MAX, |value| (value * 1e9).round() as u64);
            let moves = moves(loaded, after);
            let moved: u64 = moves.iter().filter(|one| one.from.is_some()).map(|one| one.memory_mb).sum();
            (objective, moved.saturating_add(penalty), penalty)
        };
        let mut kept = keep_soft(&loaded.cluster, SOFT_SEARCHES, search, |found| &found.after, value)?;
        kept.is_cut_short |= is_late.get();
        Ok(kept)
    }

    fn counts_moves(&self) -> bool {
        matches!(self.cost, Cost::Moves)
    }

    /// Builds the aim, with the price of each node.
    fn aim(&self, loaded: &Loaded<'_>) -> Result<Aim, Failure> {
        let resources = loaded.cluster.resources();
        let prices = match &self.node_price {
            None => vec![1; loaded.state.nodes.len()],
            Some(_) if self.aim != Objective::Nodes => {
                return Err(Failure::input("--node-price requires --aim nodes"));
            }
            Some(name) => match resources.iter().find(|resource| resource.name == *name) {
                Some(resource) => resource.nodes.iter().map(|amount| amount.unsigned_abs()).collect(),
                None => {
                    let names = resources.iter().map(|resource| resource.name.as_str());
                    let unknown = UnknownName::new("resource", name, names);
                    return Err(Failure::input(format!("--node-price: {unknown}")));
                }
            },
        };
        Ok(match self.aim {
            Objective::Moves => Aim::Moves,
            Objective::Nodes => Aim::Nodes(prices),
            Objective::Peak => Aim::Peak,
            Objective::Failure => Aim::Failure,
        })
    }

    /// Runs the heuristic within the time limit and returns its placement and the headroom of that.
    /// If the time is over, it is the best placement so far, which is the current one at first.
    fn solve(&self, problem: &Problem, budget: u64, aim: &Aim) -> Option<(Adapted, Option<Headroom>)> {
        let (counts, adaptation) = (problem.is_node_resource(), problem.adaptation.clone());
        let (wanted, work_aim, rules) = (self.keep_yield, aim.clone(), problem.rules.clone());
        // Budgets count the whole cost.
        let is_limited = budget < adaptation.total_migration_cost();
        let further_homes = if is_limited { Vec::new() } else { problem.further_homes.clone() };
        let (sender, receiver) = channel();
        let work = move || {
            let mut adapter = Adapter::new().annealing(Adapter::MOVES).reporting(sender);
            adapter = adapter.ruled_by(rules).with_further_homes(further_homes);
            let found = match wanted {
                None => adapter.adapt(&adaptation, budget).map(|found| {
                    // The same yield may be possible at a lower cost.
                    let cheaper = adapter.cheapest_for(&adaptation, found.minimum_yield);
                    cheaper.filter(|cheaper| cheaper.moving < found.moving).unwrap_or(found)
                }),
                Some(wanted) => adapter.aim_at(&adaptation, wanted, budget, &work_aim, &counts),
            }?;
            let room = adapter.headroom(&adaptation, &found, wanted.unwrap_or(found.minimum_yield), &counts);
            Some((found, Some(room)))
        };
        if let Some(found) = run_within(self.time_limit.saturating_sub(GRACE), "the heuristic", work) {
            return found;
        }
        let present = current_placement(&problem.adaptation).filter(|_| problem.is_orderly);
        let so_far = receiver.try_iter().chain(present);
        let so_far = so_far.filter(|found| {
            found.moving <= budget && self.keep_yield.is_none_or(|wanted| found.minimum_yield >= wanted)
        });
        let found = self.best_of(so_far, problem, aim)?;
        notice!("the time limit ended the search; the answer is the best placement so far");
        Some((found, None))
    }

    /// Returns the best of several placements; of equal ones the one that moves least.
    fn best_of(&self, all: impl Iterator<Item = Adapted>, problem: &Problem, aim: &Aim) -> Option<Adapted> {
        let counts = problem.is_node_resource();
        let value = |found: &Adapted| match (self.keep_yield, aim) {
            (None, _) => -found.minimum_yield.as_f64(),
            (_, Aim::Nodes(prices)) => {
                used_nodes(&found.mapping).iter().map(|node| prices[node.index()] as f64).sum()
            }
            (Some(wanted), Aim::Peak) => peak(&problem.adaptation, found, wanted, &counts),
            // Placements on the way to one that survives failures do not survive them.
            (_, Aim::Failure) => f64::INFINITY,
            (_, Aim::Moves) => 0.0,
        };
        let all = all.map(|found| (value(&found), found)).filter(|(value, _)| value.is_finite());
        let best = all.min_by(|(one, of_one), (other, of_other)| {
            one.total_cmp(other).then(of_one.moving.cmp(&of_other.moving))
        });
        best.map(|(_, found)| found)
    }

    /// Solves the problem for each budget and returns the results, with the configuration of the
    /// last one.
    fn answer(
        &self,
        loaded: &Loaded<'_>,
        problem: &Problem,
        aim: &Aim,
    ) -> Result<(AdaptAnswer, Option<Configuration>), Failure> {
        let adaptation = &problem.adaptation;
        let all = adaptation.total_migration_cost().saturating_add(problem.unavoidable);
        let (mut last, mut tried, mut earlier) =
            (None, Vec::new(), Vec::<(Adapted, Option<Headroom>)>::new());
        let whole = [Budget::All];
        let budgets = if self.budget.is_empty() { &whole } else { &self.budget[..] };
        for budget in budgets {
            let allowed = budget.amount(all);
            let optimum = self.exact.map(|time| {
                let limits = Limits { time: Some(time), ..Limits::default() };
                Optimum::of(&adapted_optimum(adaptation, allowed, &limits))
            });
            // Some moves are needed for any placement.
            let left = allowed.checked_sub(problem.unavoidable);
            let found = left.and_then(|left| self.solve(problem, left, aim));
            let allowed_now = left.unwrap_or(0);
            // The placement for a smaller budget may be better by chance.
            let others =
                earlier.iter().filter(|other| other.0.moving <= allowed_now && self.keep_yield.is_none());
            let best = others.max_by_key(|(other, _)| (other.minimum_yield, Reverse(other.moving))).cloned();
            let found = if best.as_ref().map(yield_of) > found.as_ref().map(yield_of) { best } else { found };
            earlier.extend(found.clone());
            let (found, room) = found.unzip();
            let room = room.flatten();
            last = None;
            if let Some(found) = &found {
                check(adaptation, found, allowed_now)?;
                last = Some(problem.configuration(loaded, &found.mapping)?);
            }
            let used = found.as_ref().map(|found| used_nodes(&found.mapping));
            let price = |nodes: &BTreeSet<NodeId>| match aim {
                Aim::Nodes(prices) => Some(nodes.iter().map(|node| prices[node.index()]).sum()),
                _ => None,
            };
            let count =
                |after: &Configuration| moves(loaded, after).iter().filter(|one| one.from.is_some()).count();
            tried.push(BudgetResult {
                budget: budget.name(),
                allowed,
                minimum_yield: found.as_ref().map(|found| found.minimum_yield.as_f64()),
                moved: last.as_ref().map(|after| problem.moved(loaded, after, self.counts_moves())),
                moves: last.as_ref().map(count),
                nodes: used.as_ref().map(BTreeSet::len),
                node_price: used.as_ref().and_then(price).filter(|_| self.node_price.is_some()),
                peak: room.as_ref().map(|room| room.peak),
                may_fail: room.as_ref().map(|room| room.tolerated_failures),
                optimum,
            });
        }
        let new = loaded.state.vms.iter().filter(|vm| vm.state == VmState::Waiting).count();
        let answer = AdaptAnswer {
            nodes: loaded.state.nodes.len(),
            vjobs: loaded.state.vjobs.len(),
            vms: loaded.state.vms.len(),
            new_vms: new,
            minimum_yield_now: problem.minimum_yield_now(),
            overloaded: problem.overloaded(loaded),
            nodes_now: used_nodes(&adaptation.current).len(),
            budgets: tried,
            bound: lp_bound(&adaptation.instance).map(Yield::as_f64),
            moves: None,
            plan: None,
            soft: None,
        };
        Ok((answer, last))
    }
}

fn yield_of((found, _): &(Adapted, Option<Headroom>)) -> Yield {
    found.minimum_yield
}

/// Returns the current placement as an answer, if all VMs have a node and every node has enough for
/// its VMs.
fn current_placement(problem: &Adaptation) -> Option<Adapted> {
    let minimum_yield = minimum_yield(&problem.instance, &problem.current)?;
    Some(Adapted { mapping: problem.current.clone(), minimum_yield, moving: 0 })
}

/// Returns the nodes that a mapping uses.
fn used_nodes(mapping: &Mapping) -> BTreeSet<NodeId> {
    mapping.iter().flatten().map(|part| part.node).collect()
}

/// Checks a placement with the independent checker.
fn check(problem: &Adaptation, found: &Adapted, budget: u64) -> Result<(), Failure> {
    let faults = check_minimum_yield(&problem.instance, &found.mapping, found.minimum_yield);
    if let Some(fault) = faults.first() {
        return Err(Failure::Result(format!("the placement fails the independent check: {fault}")));
    }
    let moving = moving_cost(&problem.current, &found.mapping, &problem.cost);
    if moving > u128::from(budget) || moving != u128::from(found.moving) {
        return Err(Failure::Result(format!(
            "the placement fails the independent check: its moves cost {moving}, the budget is {budget}"
        )));
    }
    Ok(())
}
