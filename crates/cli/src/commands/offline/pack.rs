//! `dfrsim offline pack`

use super::answer::{Answered, Came, Tried};
use super::fewest::{admitted, fewest};
use super::replayed::Replayed;
use crate::failure::Failure;
use crate::output::{OutputFile, Printing};
use clap::Args;
use dfrsim_audit::packing::check_minimum_yield;
use dfrsim_model::named::UnknownName;
use dfrsim_model::offline::Instance;
use dfrsim_model::{Seed, Yield};
use dfrsim_offline::file::{Solution, instance_from_json, instance_from_vbp, read, solution_to_json};
use dfrsim_offline::{Algorithm, Outcome, Settings, Solved};
use dfrsim_optimum::{Backend, Limits, RaiseOrder, average, lp_bound, max_average, raise, utilisation};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Pack the jobs of an instance file onto its nodes for the best minimum yield
///
/// Prints a line for each algorithm: the minimum scaled yield, the average yield after the second phase (the mapping
/// kept), the part of the fluid resources that is then used, how far the minimum is below the bound, and the time.
/// Every packing is examined by the independent checker. Nodes may differ. The file is JSON: the numbers of `fixed`
/// and `fluid` resources,
/// `nodes` (how many, or a list of capacities) and `jobs` with `requirements`, `needs`, `tasks` and `qos`; or, with the ending
/// .vbp, an instance of vector bin packing in the format of VPSolver, for which the fewest bins are searched.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim offline pack --list
  dfrsim offline pack cluster.json
  dfrsim offline pack cluster.json --fewest-nodes 0.8 --algorithm VP_CPSUM VP_EJECT --optimum
  dfrsim offline pack items.vbp --algorithm VP_FFSUM VP_BFSUM VP_DOTPRODUCT VP_NORM
  dfrsim offline pack --as-run results/scenario.toml --group small --scenario 40 --replication 7 --algorithm GREEDY
  dfrsim offline pack cluster.json --algorithm VP_CPSUM MCB8 GREEDY --optimum --mapping-out packing.json")]
pub(crate) struct Pack {
    /// The instance
    #[arg(value_name = "INSTANCE.json", required_unless_present_any = ["list", "as_run"], conflicts_with = "as_run", value_hint = clap::ValueHint::FilePath)]
    instance: Option<PathBuf>,
    /// The names of the algorithms (see `--list`)
    #[arg(long, short, value_name = "NAME", num_args = 1.., value_parser = algorithm, default_value = "VP_CPSUM")]
    algorithm: Vec<Algorithm>,
    /// Find the optimum too
    #[arg(long)]
    optimum: bool,
    /// How long linear programs and the search for the optimum may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    time_limit: f64,
    /// The solver of linear programs: microlp, or highs in builds with that feature
    #[arg(long, value_name = "NAME", default_value_t = Backend::default())]
    solver: Backend,
    /// The precision of the yield in the search of vector packing
    #[arg(long, value_name = "YIELD", default_value_t = 0.001)]
    precision: f64,
    /// The seed of algorithms that draw at random
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// How many times as long as usual VP_EJECT searches, for a better packing
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    effort: u32,
    #[command(flatten)]
    replayed: Replayed,
    /// Find the fewest of the first nodes that keep this minimum yield; the others can be turned off
    #[arg(long, value_name = "YIELD", value_parser = part, conflicts_with = "mapping_out")]
    fewest_nodes: Option<Yield>,
    /// Admit jobs in the order of the file, but none with which the minimum yield would be below this
    #[arg(long, value_name = "YIELD", value_parser = part, conflicts_with_all = ["mapping_out", "fewest_nodes"])]
    admit: Option<Yield>,
    /// Write the best packing: where each job is, and its yield after the second phase
    #[arg(long, value_name = "FILE.json", value_hint = clap::ValueHint::AnyPath)]
    mapping_out: Option<PathBuf>,
    /// List the names of all algorithms
    #[arg(long, conflicts_with_all = ["instance", "as_run"])]
    list: bool,
    #[command(flatten)]
    printing: Printing,
}

fn algorithm(name: &str) -> Result<Algorithm, UnknownName> {
    name.parse()
}

fn part(text: &str) -> Result<Yield, String> {
    let part: Option<f64> = text.parse().ok().filter(|part| (0.0..=1.0).contains(part));
    part.map(Yield::nearest).ok_or_else(|| format!("expected a yield from 0 to 1, found `{text}`"))
}

/// A packing with what the second phase makes of it.
struct Packed {
    solved: Solved,
    /// The scaled yields.
    yields: Vec<Yield>,
}

impl Pack {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let mut algorithms = self.algorithm.clone();
        if self.optimum && !algorithms.contains(&Algorithm::Optimum) {
            algorithms.push(Algorithm::Optimum);
        }
        if let Some((instance, settings)) = self.replayed.read()? {
            return self.answer(&instance, &algorithms, &settings, self.fewest_nodes);
        }
        let Some(path) = &self.instance else {
            let names = Algorithm::all().map(|algorithm| algorithm.to_string());
            return self.printing.print(&Answered::Names { algorithms: names.collect() });
        };
        let text = read(path).map_err(Failure::input)?;
        let name = path.display().to_string();
        let is_vbp = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("vbp"));
        let (instance, fewest) = if is_vbp {
            (instance_from_vbp(&name, &text), self.fewest_nodes.or(Some(Yield::ONE)))
        } else {
            (instance_from_json(&name, &text), self.fewest_nodes)
        };
        let settings = self.settings()?;
        self.answer(&instance.map_err(Failure::input)?, &algorithms, &settings, fewest)
    }

    /// Answers what is asked of an instance.
    fn answer(
        &self,
        instance: &Instance,
        algorithms: &[Algorithm],
        settings: &Settings,
        fewest_nodes: Option<Yield>,
    ) -> Result<(), Failure> {
        match (self.admit, fewest_nodes) {
            (Some(wanted), _) => self.printing.print(&admitted(instance, algorithms, settings, wanted)?),
            (None, Some(wanted)) => {
                let (answer, is_any) = fewest(instance, algorithms, settings, wanted)?;
                self.printing.print(&answer)?;
                let failure = || Failure::Result("no algorithm keeps the yield on all nodes".to_owned());
                is_any.then_some(()).ok_or_else(failure)
            }
            (None, None) => self.pack(instance, algorithms, settings),
        }
    }

    fn settings(&self) -> Result<Settings, Failure> {
        let time = Duration::try_from_secs_f64(self.time_limit).map_err(|_| {
            Failure::input(format!("--time-limit: expected seconds, found {}", self.time_limit))
        })?;
        if !(self.precision > 0.0 && self.precision <= 1.0) {
            return Err(Failure::input(format!(
                "--precision: expected a yield above 0, found {}",
                self.precision
            )));
        }
        Ok(Settings {
            precision: Yield::from_f64(self.precision),
            limits: Limits { time: Some(time), ..Limits::default() },
            solver: self.solver,
            effort: self.effort,
            ..Settings::new(Seed::new(self.seed))
        })
    }

    fn pack(
        &self,
        instance: &Instance,
        algorithms: &[Algorithm],
        settings: &Settings,
    ) -> Result<(), Failure> {
        let bound = lp_bound(instance);
        let (mut tried, mut best) = (Vec::new(), None::<Packed>);
        for algorithm in algorithms {
            let begin = Instant::now();
            let outcome = algorithm.solve(instance, settings);
            let time_ms = begin.elapsed().as_secs_f64() * 1e3;
            let name = algorithm.to_string();
            let solved = match outcome {
                Outcome::Solved(solved) => Ok(solved),
                Outcome::Failed => Err(Came::Failed),
                Outcome::Infeasible => Err(Came::Infeasible),
                Outcome::TimedOut => Err(Came::TimedOut),
            };
            let solved = match solved {
                Ok(solved) => solved,
                Err(came) => {
                    tried.push(Tried::without_packing(name, came, time_ms));
                    continue;
                }
            };
            let faults = check_minimum_yield(instance, &solved.mapping, solved.minimum_yield);
            if let Some(fault) = faults.first() {
                return Err(Failure::Result(format!("{name}: the packing is wrong: {fault}")));
            }
            let yields = raised(instance, &solved, settings);
            let minimum = solved.minimum_yield;
            tried.push(Tried {
                minimum_yield: Some(minimum.as_f64()),
                average_yield: Some(average(&yields)),
                utilisation: Some(utilisation(instance, &yields)),
                below_bound: Some(bound.map_or(0.0, |bound| bound.as_f64() - minimum.as_f64())),
                ..Tried::without_packing(name, Came::Solved, time_ms)
            });
            if best.as_ref().is_none_or(|best| minimum > best.solved.minimum_yield) {
                best = Some(Packed { solved, yields });
            }
        }
        let bound = bound.map(Yield::as_f64);
        self.printing.print(&Answered::Packings { bound, algorithms: tried })?;
        match (best, &self.mapping_out) {
            (None, _) => Err(Failure::Result("no algorithm packed the jobs".to_owned())),
            (Some(packed), Some(path)) => write_mapping(instance, packed, path),
            (Some(_), None) => Ok(()),
        }
    }
}

/// The yields after the second phase: the smallest needs first where that gives the greatest average, else by the linear
/// program.
fn raised(instance: &Instance, solved: &Solved, settings: &Settings) -> Vec<Yield> {
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

fn write_mapping(instance: &Instance, packed: Packed, path: &Path) -> Result<(), Failure> {
    let Packed { solved: Solved { mapping, minimum_yield }, yields } = packed;
    let yields = instance.jobs.iter().zip(yields).map(|(job, scaled)| job.unscaled(scaled)).collect();
    OutputFile::write_text(path, &solution_to_json(&Solution { minimum_yield, mapping, yields }))
}
