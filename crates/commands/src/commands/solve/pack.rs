//! `dfrsim solve pack`

mod answer;
mod ended;
mod fewest;
mod replayed;

use super::problem::Problem;
use super::reasons::Reasons;
use super::soft::SoftRules;
use super::state::{Loaded, load, open};
use super::switch::{Moved, Switch, moves};
use super::time_limit::parse_time;
use super::written::OutputArguments;
use crate::arguments::parse_yield;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{OutputFiles, notice};
pub(crate) use answer::PackAnswer;
use answer::PackingResult;
use clap::Args;
use dfrsim_adaptation::{RepairPacker, Rules};
use dfrsim_context_switch::{Configuration, Constraint, KeptSoft, keep_soft};
use dfrsim_input::read_text;
use dfrsim_model::offline::{Instance, Mapping};
use dfrsim_model::{Seed, Yield};
use dfrsim_optimum::{Backend, Limits, RaiseOrder, average, lp_bound, max_average, raise, utilisation};
use dfrsim_vector_packing::check::{check_minimum_yield, check_solution};
use dfrsim_vector_packing::file::{
    Solution, instance_from_vbp, instance_of, solution_from_json, solution_to_json,
};
use dfrsim_vector_packing::vector::MAX_DIMENSIONS;
use dfrsim_vector_packing::{
    Algorithm, Offered, OfferedAlgorithms, PackingProblem, Settings, Solved, VectorOptions,
};
use ended::AlgorithmOutcome;
use fewest::Goal;
use replayed::ReplayArguments;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Pack VMs or jobs onto nodes for the best minimum yield
///
/// Prints a line for each algorithm: the minimum scaled yield, the average yield after the second
/// phase (with the same mapping), the fraction of the fluid resources that is then used, the gap
/// between the minimum yield and the bound, and the time. Every packing is verified by the
/// independent checker. Nodes may differ.
///
/// Instead of a state, whose VMs share CPU and hold all other resources exclusively, the file may be
/// an instance of the study, JSON: the numbers of `fixed` and `fluid` resources, `nodes` (a number,
/// or a list of capacities) and `jobs` with `requirements`, `needs`, `tasks` and `qos`; or, with the
/// extension .vbp, an instance of vector bin packing in the format of VPSolver, for which the number
/// of bins is minimised.
#[derive(Args, Debug)]
#[command(
    override_usage = "dfrsim solve pack [STATE]... [OPTIONS]",
    after_help = "\
Examples:
  dfrsim solve pack --list
  dfrsim solve pack nodes.csv vms.csv --state-out packed.json
  dfrsim solve pack state.json --fewest-nodes 0.8 --algorithm VP_CPSUM VP_EJECT --optimum
  dfrsim solve pack items.vbp --algorithm VP_FFSUM VP_BFSUM VP_DOTPRODUCT VP_NORM
  dfrsim solve pack --as-run results/scenario.toml --group small --scenario 40 --replication 7 --algorithm GREEDY
  dfrsim solve pack instance.json --algorithm VP_CPSUM MCB8 GREEDY --optimum --mapping-out packing.json
  dfrsim solve pack instance.json --check packing.json"
)]
pub(crate) struct Pack {
    /// Files of the state (see `dfrsim solve --help`), or an instance
    #[arg(value_hint = clap::ValueHint::FilePath, value_name = "STATE", conflicts_with = "as_run")]
    state: Vec<PathBuf>,
    /// Names of the algorithms (see `--list`); by default VP_EJECT for states and VP_CPSUM for
    /// instances
    #[arg(long, short, value_name = "NAME", num_args = 1..)]
    algorithm: Vec<String>,
    /// Find the optimum too; if the time limit is reached first, the best packing found and a bound
    #[arg(long)]
    optimum: bool,
    /// Time limit of each algorithm, including everything that it tries
    #[arg(long, value_name = "SECONDS", value_parser = parse_time, default_value = "60")]
    time_limit: Duration,
    /// Solver of linear programs
    #[arg(long, value_name = "NAME", default_value_t = Backend::default())]
    solver: Backend,
    /// Precision of the yield in the search of vector packing
    #[arg(long, value_name = "YIELD", default_value_t = 0.001)]
    precision: f64,
    /// Seed of randomised algorithms
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Factor by which VP_EJECT extends its search, for a better packing
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    effort: u32,
    #[command(flatten)]
    replayed: ReplayArguments,
    /// Find the minimum number of nodes with which this minimum yield is possible, and these nodes;
    /// the others can be turned off
    #[arg(long, value_name = "YIELD", value_parser = parse_yield)]
    fewest_nodes: Option<Yield>,
    /// Admit jobs in the order of the file, except those that would lower the minimum yield below
    /// this
    #[arg(long, value_name = "YIELD", value_parser = parse_yield, conflicts_with_all = ["mapping_out", "fewest_nodes", "state_out", "plan_out", "picture"])]
    admit: Option<Yield>,
    #[command(flatten)]
    written: OutputArguments,
    /// Write the best packing: the nodes of each job by number, and its yield after the second phase
    #[arg(long, value_name = "FILE.json", value_hint = clap::ValueHint::AnyPath)]
    mapping_out: Option<PathBuf>,
    /// Check a packing in the format of `--mapping-out`: tasks, capacities, and the yields that it
    /// claims. Exit code 1 if a violation is found
    #[arg(long, value_name = "PACKING.json", value_hint = clap::ValueHint::FilePath,
          conflicts_with_all = ["algorithm", "optimum", "fewest_nodes", "admit", "mapping_out", "state_out", "plan_out", "picture"])]
    check: Option<PathBuf>,
    /// List the names of all algorithms
    #[arg(long, conflicts_with_all = ["state", "as_run"])]
    list: bool,
}

/// Largest number of searches with soft constraints.
const SOFT_SEARCHES: usize = 16;

/// Packing after the second phase.
struct Packed {
    solved: Solved,
    /// Scaled yields of the jobs.
    yields: Vec<Yield>,
}

impl Pack {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let mut offered =
            context.registry.environment().get::<OfferedAlgorithms>().cloned().unwrap_or_default();
        offered.0.push(repair(None));
        if self.list {
            let names = offered.0.iter().map(ToString::to_string);
            return context.print(&PackAnswer::Names { algorithms: names.collect() });
        }
        let named = self.algorithms(&offered)?;
        if let Some(PackingProblem { instance, settings, algorithms }) =
            self.replayed.read(context.registry)?
        {
            let named = self.algorithms(&algorithms)?;
            return self.answer(context, (&instance, named), None, &settings, self.fewest_nodes);
        }
        self.written.check()?;
        let settings = self.settings()?;
        if let [path] = &self.state[..]
            && path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("vbp"))
        {
            let text = read_text(path).map_err(Failure::input)?;
            let instance = instance_from_vbp(&path.display().to_string(), &text).map_err(Failure::input)?;
            let wanted = self.fewest_nodes.or(Some(Yield::ONE));
            return self.answer(context, (&instance, named), None, &settings, wanted);
        }
        let inputs = open(&self.state)?;
        if let [input] = &inputs[..]
            && let Some(root) = input.root().object()
            && ["fixed", "fluid"].iter().any(|name| root.get(name).is_some())
        {
            let instance = instance_of(input).map_err(Failure::input)?;
            return self.answer(context, (&instance, named), None, &settings, self.fewest_nodes);
        }
        let loaded = load(&inputs)?;
        let loaded = self.with_soft_rules(loaded, &named, &settings)?;
        let problem = Problem::of(&loaded, true, false);
        let instance = &problem.adaptation.instance;
        let named = algorithms_for(&problem, named, self.optimum)?;
        self.answer(context, (instance, named), Some((&loaded, &problem)), &settings, self.fewest_nodes)
    }

    /// Returns the state with those soft rules enforced that make the packing no worse. They are tried
    /// before the packing that is printed.
    fn with_soft_rules<'a>(
        &self,
        loaded: Loaded<'a>,
        named: &[Offered],
        settings: &Settings,
    ) -> Result<Loaded<'a>, Failure> {
        if loaded.cluster.soft().is_empty() || self.check.is_some() {
            return Ok(loaded);
        }
        if self.admit.is_some() {
            notice!("--admit does not search for soft rules");
            return Ok(loaded);
        }
        let search = |enforced: &[Constraint]| -> Result<(u64, Configuration), Failure> {
            let ruled = loaded.with_rules(enforced);
            let problem = Problem::of(&ruled, true, false);
            let instance = &problem.adaptation.instance;
            let mut algorithms = algorithms_for(&problem, named.to_vec(), false)?;
            if algorithms.is_empty() {
                algorithms.push(Offered::Own("VP_EJECT".parse().expect("this algorithm exists")));
            }
            let none = || Failure::Result("no algorithm packed the jobs".to_owned());
            let (objective, mapping) = match self.fewest_nodes {
                Some(wanted) => {
                    let goal = Goal { wanted, settings: *settings, limit: self.time_limit };
                    let (_, best, _) = goal.fewest(instance, Some(&ruled), &algorithms)?;
                    let mapping = best.ok_or_else(none)?.mapping;
                    let nodes: BTreeSet<_> = mapping.iter().flatten().map(|part| part.node).collect();
                    (nodes.len() as u64, mapping)
                }
                None => {
                    let (_, best) = self.pack(instance, &algorithms, settings, None)?;
                    let solved = best.ok_or_else(none)?.solved;
                    let loss = Yield::ONE.units() - solved.minimum_yield.units();
                    (loss.into(), solved.mapping)
                }
            };
            Ok((objective, problem.configuration(&ruled, &mapping)?))
        };
        let value = |(objective, _): &(u64, Configuration), penalty: u64| (*objective, penalty);
        let kept = keep_soft(&loaded.cluster, SOFT_SEARCHES, search, |(_, after)| after, value);
        // Without a packing, the answer explains why.
        let Ok(KeptSoft { found: (_, after), enforced, is_cut_short }) = kept else { return Ok(loaded) };
        let soft = SoftRules::of(&loaded.cluster, (&loaded.before, &after), is_cut_short);
        soft.iter().flat_map(SoftRules::lines).for_each(|line| notice!("{line}"));
        Ok(loaded.with_rules(&enforced))
    }

    /// Returns the algorithms of `--algorithm`, among those that the program offers.
    fn algorithms(&self, offered: &OfferedAlgorithms) -> Result<Vec<Offered>, Failure> {
        let find = |name: &String| {
            offered.find(name).map_err(|unknown| Failure::input(format!("--algorithm: {unknown}")))
        };
        self.algorithm.iter().map(find).collect()
    }

    /// Solves an instance by the named algorithms, or those of the options, and prints the answer.
    fn answer(
        &self,
        context: &Context<'_>,
        (instance, mut algorithms): (&Instance, Vec<Offered>),
        state: Option<(&Loaded<'_>, &Problem)>,
        settings: &Settings,
        fewest_nodes: Option<Yield>,
    ) -> Result<(), Failure> {
        if let Some(path) = &self.check {
            return self.check(context, path, instance);
        }
        if algorithms.is_empty() {
            let name = if state.is_some() { "VP_EJECT" } else { "VP_CPSUM" };
            algorithms.push(Offered::Own(name.parse().expect("this algorithm exists")));
        }
        if self.optimum && !algorithms.iter().any(|algorithm| algorithm.is(Algorithm::Optimum)) {
            algorithms.push(Offered::Own(Algorithm::Optimum));
        }
        if state.is_none() && self.written.is_any_requested() {
            return Err(Failure::input(
                "--state-out, --plan-out and --picture require a state, not an instance",
            ));
        }
        let algorithms = &algorithms[..];
        let goal = |wanted| Goal { wanted, settings: *settings, limit: self.time_limit };
        match (self.admit, fewest_nodes) {
            (Some(wanted), _) => context.print(&goal(wanted).admit(instance, algorithms)?),
            (None, Some(wanted)) => {
                let loaded = state.map(|(loaded, _)| loaded);
                let (tried, best, missed) = goal(wanted).fewest(instance, loaded, algorithms)?;
                let best =
                    best.map(|solved| Packed { yields: raise_yields(instance, &solved, settings), solved });
                let (wanted, algorithms) = (wanted.as_f64(), tried);
                let answer = |moves| PackAnswer::FewestNodes { wanted, algorithms, moves };
                self.finish(context, instance, state, best.as_ref(), answer, missed)
            }
            (None, None) => {
                let bound = lp_bound(instance);
                let (algorithms, best) = self.pack(instance, algorithms, settings, bound)?;
                let bound = bound.map(Yield::as_f64);
                let answer = |moves| PackAnswer::Packings { bound, algorithms, moves };
                self.finish(context, instance, state, best.as_ref(), answer, "no algorithm packed the jobs")
            }
        }
    }

    /// Checks a packing with the independent checker and prints the violations.
    fn check(&self, context: &Context<'_>, path: &Path, instance: &Instance) -> Result<(), Failure> {
        let (file, text) = (path.display().to_string(), read_text(path).map_err(Failure::input)?);
        let found = solution_from_json(&file, &text, instance).map_err(Failure::input)?;
        let Solution { minimum_yield, mapping, yields } = found;
        let faults = check_solution(instance, &mapping, minimum_yield, &yields);
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        let lines = faults.iter().map(|fault| format!("{file}: {fault}")).collect::<Vec<_>>().join("\n");
        context.print(&PackAnswer::Checked { file, minimum_yield: minimum_yield.as_f64(), faults })?;
        if lines.is_empty() { Ok(()) } else { Err(Failure::Result(lines)) }
    }

    fn settings(&self) -> Result<Settings, Failure> {
        if !(self.precision > 0.0 && self.precision <= 1.0) {
            return Err(Failure::input(format!(
                "--precision: expected a yield above 0 and at most 1, found {}",
                self.precision
            )));
        }
        Ok(Settings {
            vector: VectorOptions {
                precision: Yield::from_f64(self.precision),
                effort: self.effort,
                ..VectorOptions::default()
            },
            limits: Limits { time: Some(self.time_limit), ..Limits::default() },
            solver: self.solver,
            ..Settings::new(Seed::new(self.seed))
        })
    }

    /// Runs each algorithm and returns its results, together with the best packing. `bound` is an
    /// upper bound on the minimum yield.
    fn pack(
        &self,
        instance: &Instance,
        algorithms: &[Offered],
        settings: &Settings,
        bound: Option<Yield>,
    ) -> Result<(Vec<PackingResult>, Option<Packed>), Failure> {
        let (mut tried, mut best) = (Vec::new(), None::<Packed>);
        for algorithm in algorithms {
            let begin = Instant::now();
            let AlgorithmOutcome { came, solved, bound: proven } =
                AlgorithmOutcome::of(algorithm, instance, settings, self.time_limit);
            let mut line = PackingResult {
                algorithm: algorithm.to_string(),
                outcome: came,
                bound: proven.map(Yield::as_f64),
                time_ms: begin.elapsed().as_secs_f64() * 1e3,
                ..PackingResult::default()
            };
            if let Some(solved) = solved {
                let minimum = solved.minimum_yield;
                check_packing(algorithm, instance, &solved.mapping, minimum)?;
                let yields = raise_yields(instance, &solved, settings);
                line.minimum_yield = Some(minimum.as_f64());
                line.average_yield = Some(average(&yields));
                line.utilisation = Some(utilisation(instance, &yields));
                line.below_bound = Some(bound.map_or(0.0, |bound| bound.as_f64() - minimum.as_f64()));
                if best.as_ref().is_none_or(|best| minimum > best.solved.minimum_yield) {
                    best = Some(Packed { solved, yields });
                }
            }
            tried.push(line);
        }
        Ok((tried, best))
    }

    /// Prints the answer and writes the best packing with its moves; without a packing, fails with
    /// the reason.
    fn finish(
        &self,
        context: &Context<'_>,
        instance: &Instance,
        state: Option<(&Loaded<'_>, &Problem)>,
        best: Option<&Packed>,
        answer: impl FnOnce(Option<Vec<Moved>>) -> PackAnswer,
        missed: &str,
    ) -> Result<(), Failure> {
        let (mut files, mut moved) = (OutputFiles::default(), None);
        if let Some((packed, (loaded, problem))) = best.zip(state) {
            let after = problem.configuration(loaded, &packed.solved.mapping)?;
            let switch = self.written.needs_plan().then(|| Switch::to(loaded, &after)).transpose()?;
            let reasons = switch.as_ref().map(|switch| {
                Reasons::of_placement(&loaded.cluster, (&loaded.before, &after), &switch.pools)
            });
            files = self.written.files(loaded, &after, switch.as_ref().zip(reasons.as_ref()))?;
            moved = Some(moves(loaded, &after));
        }
        if let Some((packed, path)) = best.zip(self.mapping_out.as_ref()) {
            files.add_bytes(path, packing_to_json(instance, packed))?;
        }
        context.print(&answer(moved))?;
        let unfit = || state.map(|(loaded, problem)| problem.explain_unfit(loaded)).unwrap_or_default();
        match best {
            None => Err(Failure::Result(format!("{missed}{}", unfit()))),
            Some(_) => files.finish(),
        }
    }
}

/// Returns the algorithm that packs any number of resources and rules.
fn repair(rules: Option<Box<dyn Rules>>) -> Offered {
    Offered::Added(Arc::new(RepairPacker { rules }))
}

/// Returns the algorithms for a problem: those that are named or, beyond the number of resources
/// that vector packing supports and for rules that are no resources, repairs.
///
/// # Errors
/// A named algorithm, or the search for optima, does not support the resources and rules.
fn algorithms_for(
    problem: &Problem,
    named: Vec<Offered>,
    needs_optimum: bool,
) -> Result<Vec<Offered>, Failure> {
    let resources = problem.adaptation.instance.dimensions();
    let own = named.iter().find(|named| matches!(named, Offered::Own(_))).map(ToString::to_string);
    let other = own.or_else(|| needs_optimum.then(|| Algorithm::Optimum.to_string()));
    let repair = || repair(problem.rules.clone());
    let with_rules = |named: Vec<Offered>| -> Vec<Offered> {
        let name = repair().to_string();
        named.into_iter().map(|one| if one.to_string() == name { repair() } else { one }).collect()
    };
    match other {
        None if named.is_empty() && (resources > MAX_DIMENSIONS || problem.rules.is_some()) => {
            Ok(vec![repair()])
        }
        Some(other) if resources > MAX_DIMENSIONS => Err(Failure::input(format!(
            "{other} packs at most {MAX_DIMENSIONS} resources and rules, and this state has {resources}: \
             use --algorithm {}, which has no limit",
            repair()
        ))),
        // The result is checked: an algorithm that knows no rules may keep them by chance.
        _ => Ok(with_rules(named)),
    }
}

/// Checks the packing of an algorithm with the independent checker.
fn check_packing(
    algorithm: &Offered,
    instance: &Instance,
    mapping: &Mapping,
    claimed: Yield,
) -> Result<(), Failure> {
    match check_minimum_yield(instance, mapping, claimed).first() {
        None => Ok(()),
        Some(fault) => {
            Err(Failure::Result(format!("{algorithm}: the packing fails the independent check: {fault}")))
        }
    }
}

/// Computes the yields after the second phase: greedily by increasing need if that maximises the
/// average, else by the linear program.
fn raise_yields(instance: &Instance, solved: &Solved, settings: &Settings) -> Vec<Yield> {
    let Solved { mapping, minimum_yield } = solved;
    let program = || {
        let solver = settings.solver.solver();
        Some(max_average(instance, mapping, *minimum_yield, solver, &settings.limits).ok()??.yields)
    };
    let yields = if instance.fluid == 1 && instance.jobs.iter().all(|job| job.tasks == 1) {
        raise(instance, mapping, *minimum_yield, RaiseOrder::SmallestFirst)
    } else {
        program()
    };
    yields.unwrap_or_else(|| vec![*minimum_yield; mapping.len()])
}

/// Formats a packing as a JSON file.
fn packing_to_json(instance: &Instance, packed: &Packed) -> String {
    let Packed { solved: Solved { mapping, minimum_yield }, yields } = packed;
    let yields = instance.jobs.iter().zip(yields).map(|(job, scaled)| job.unscaled(*scaled)).collect();
    solution_to_json(&Solution { minimum_yield: *minimum_yield, mapping: mapping.clone(), yields })
}
