//! `dfrsim offline pack`

use super::fewest::{print_admitted, print_fewest};
use super::replayed::Replayed;
use crate::failure::Failure;
use crate::output::{self, OutputFile, Places};
use clap::Args;
use dfrsim_audit::packing::check_minimum_yield;
use dfrsim_model::named::UnknownName;
use dfrsim_model::offline::Instance;
use dfrsim_model::{Seed, Yield};
use dfrsim_offline::file::{Solution, instance_from_json, instance_from_vbp, read, solution_to_json};
use dfrsim_offline::{Algorithm, Outcome, Settings, Solved};
use dfrsim_optimum::{Backend, Limits, RaiseOrder, average, lp_bound, max_average, raise, utilisation};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Pack the jobs of an instance file onto its nodes for the best minimum yield
///
/// Prints a line for each algorithm: the minimum scaled yield, the average yield after the second phase (the mapping
/// kept), the part of the fluid resources that is then used, how far the minimum is below the bound, and the time.
/// Every packing is examined by the independent checker. Nodes may differ. The file is JSON: the numbers of `fixed`
/// and `fluid` resources,
/// `nodes` (how many, or a list of capacities) and `jobs` with `requirements`, `needs`, `tasks` and `qos`; or, with the ending
/// .vbp, an instance of vector bin packing in the format of VPSolver, of which the fewest bins are sought.
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
    #[arg(value_name = "INSTANCE.json", required_unless_present_any = ["list", "as_run"], conflicts_with = "as_run")]
    instance: Option<PathBuf>,
    /// The algorithms, by their names in the texts (`--list`)
    #[arg(long, short, value_name = "NAME", num_args = 1.., value_parser = algorithm, default_value = "VP_CPSUM")]
    algorithm: Vec<Algorithm>,
    /// Find the optimum too
    #[arg(long)]
    optimum: bool,
    /// How long linear programs and the search for the optimum may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    time_limit: f64,
    /// What solves linear programs: microlp, or highs in builds with that feature
    #[arg(long, value_name = "NAME", default_value_t = Backend::default())]
    solver: Backend,
    /// How near success and failure come to each other in the search of vector packing
    #[arg(long, value_name = "YIELD", default_value_t = 0.001)]
    precision: f64,
    /// The seed of algorithms that draw at random
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// How many times as much as usual VP_EJECT tries, for a better packing in a longer time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    effort: u32,
    #[command(flatten)]
    replayed: Replayed,
    /// Look for the fewest of the first nodes that keep this minimum yield; the others can be turned off
    #[arg(long, value_name = "YIELD", value_parser = part, conflicts_with = "mapping_out")]
    fewest_nodes: Option<Yield>,
    /// Admit jobs in the order of the file, but none with which the minimum yield would be below this
    #[arg(long, value_name = "YIELD", value_parser = part, conflicts_with_all = ["mapping_out", "fewest_nodes"])]
    admit: Option<Yield>,
    /// Write the best packing: where each job is, and its yield after the second phase
    #[arg(long, value_name = "FILE.json")]
    mapping_out: Option<PathBuf>,
    /// List the names of all algorithms
    #[arg(long, exclusive = true)]
    list: bool,
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
            let names = Algorithm::all().map(|algorithm| format!("{algorithm}\n"));
            return output::print(&names.collect::<String>());
        };
        Places::default().reads("the instance", path).writes("--mapping-out", self.mapping_out.as_deref())?;
        let text = read(path).map_err(|error| {
            let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
            Failure::input(format!("{error}{}", cause.unwrap_or_default()))
        })?;
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
        fewest: Option<Yield>,
    ) -> Result<(), Failure> {
        match (self.admit, fewest) {
            (Some(wanted), _) => print_admitted(instance, algorithms, settings, wanted),
            (None, Some(wanted)) => print_fewest(instance, algorithms, settings, wanted),
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
        let width = algorithms.iter().map(|each| each.to_string().len()).max().unwrap_or(0).max(9);
        let mut text = format!("{}\n", bound_line(bound));
        let mut line = |parts: [&str; 6]| {
            let [name, minimum, average, used, below, time] = parts;
            writeln!(text, "{name:width$}  {minimum:>10}  {average:>8}  {used:>11}  {below:>11}  {time:>10}")
                .expect("a string takes any text");
        };
        line(["algorithm", "min yield", "average", "utilisation", "below bound", "time"]);
        let mut best: Option<Packed> = None;
        for algorithm in algorithms {
            let begin = Instant::now();
            let outcome = algorithm.solve(instance, settings);
            let time = format!("{:.3} ms", begin.elapsed().as_secs_f64() * 1e3);
            let name = algorithm.to_string();
            let solved = match outcome {
                Outcome::Solved(solved) => solved,
                Outcome::Failed => {
                    line([&name, "failed", "", "", "", &time]);
                    continue;
                }
                Outcome::Infeasible => {
                    line([&name, "infeasible", "", "", "", &time]);
                    continue;
                }
                Outcome::TimedOut => {
                    line([&name, "timed out", "", "", "", &time]);
                    continue;
                }
            };
            let faults = check_minimum_yield(instance, &solved.mapping, solved.minimum_yield);
            if let Some(fault) = faults.first() {
                return Err(Failure::Result(format!("{name}: the packing is wrong: {fault}")));
            }
            let yields = raised(instance, &solved, settings);
            let minimum = solved.minimum_yield;
            let mean = average(&yields);
            let used = utilisation(instance, &yields);
            let below = bound.map_or(0.0, |bound| bound.as_f64() - minimum.as_f64());
            line([
                &name,
                &format!("{:.6}", minimum.as_f64()),
                &format!("{mean:.4}"),
                &format!("{:.2} %", 100.0 * used),
                &format!("{below:.6}"),
                &time,
            ]);
            if best.as_ref().is_none_or(|best| minimum > best.solved.minimum_yield) {
                best = Some(Packed { solved, yields });
            }
        }
        output::print(&text)?;
        match (best, &self.mapping_out) {
            (None, _) => Err(Failure::Result("no algorithm packed the jobs".to_owned())),
            (Some(packed), Some(path)) => write_mapping(instance, packed, path),
            (Some(_), None) => Ok(()),
        }
    }
}

fn bound_line(bound: Option<Yield>) -> String {
    match bound {
        Some(bound) => format!("LPBOUND {:.6}", bound.as_f64()),
        None => "LPBOUND: the jobs ask for more than all nodes have".to_owned(),
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
