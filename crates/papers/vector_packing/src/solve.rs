//! Runs of one algorithm on one instance: its packing, the checker, and the second phase.

use crate::algorithms::genetic::{GeneticParameters, GeneticRepair};
use crate::algorithms::{Algorithm, PaperSettings};
use crate::rows::{Row, decimal};
use dfrsim_lab::{Digester, Failure, Status};
use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, OfflineJob};
use dfrsim_optimum::{
    Limits, RaiseOrder, Relaxation, Status as ProgramStatus, average, max_average, raise, utilisation,
};
use dfrsim_vector_packing::check::check_minimum_yield;
use dfrsim_vector_packing::greedy::{Light, NodeRules};
use dfrsim_vector_packing::{Claimed, ListOrder, Outcome, Settings, Solved, VectorOptions};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// An instance that is ready to be packed.
pub struct Packable {
    pub(crate) instance: Instance,
    pub(crate) settings: PaperSettings,
    /// True if the largest average yield is computed by a linear program where this is needed.
    pub(crate) is_programmed: bool,
    /// Values that all rows of the instance share.
    pub(crate) row: Row,
    /// Memo of the outcomes of the passes of `GREEDY`, which are algorithms too.
    passes: Vec<OnceLock<Checked<Yield>>>,
}

/// Result of an algorithm after the checker, and the time that the algorithm took.
#[derive(Clone)]
struct Checked<T> {
    found: Result<T, Failure>,
    time: Duration,
}

/// Returns the index of an algorithm among the [`passes`], if it is one.
fn pass_index(algorithm: Algorithm) -> Option<usize> {
    passes().position(|pass| pass == algorithm)
}

/// Iterates over the passes of `GREEDY`.
pub(crate) fn passes() -> impl Iterator<Item = Algorithm> {
    Algorithm::all().filter(|algorithm| algorithm.is_greedy_pass())
}

impl Packable {
    pub(crate) fn new(
        instance: Instance,
        settings: PaperSettings,
        is_programmed: bool,
        row: Row,
    ) -> Packable {
        let passes = passes().map(|_| OnceLock::new()).collect();
        Packable { instance, settings, is_programmed, row, passes }
    }

    /// Adds everything that packings depend on, apart from the algorithm.
    pub(crate) fn digest(&self, digester: &mut Digester) {
        let Instance { fixed, fluid, nodes, jobs } = &self.instance;
        let counts = [*fixed, *fluid, nodes.len(), jobs.len()];
        counts.into_iter().for_each(|count| _ = digester.integer(count as u64));
        nodes.iter().for_each(|node| _ = digester.amounts(node));
        for OfflineJob { tasks, demand, least_yield } in jobs {
            digester.amounts(&[*tasks, least_yield.units()]).amounts(demand);
        }
        let Settings {
            seed,
            placements,
            greedy,
            vector: VectorOptions { precision, lists, probes, claimed, effort },
            solver,
            relaxation,
            limits,
        } = self.settings.shared;
        let genetic = self.settings.genetic;
        let Limits { time, nodes, .. } = limits;
        let choices = [
            lists == ListOrder::ByPair,
            claimed == Claimed::Probed,
            genetic.repair == GeneticRepair::LeastLoaded,
            greedy.rules == NodeRules::Simulated,
            greedy.light == Light::Best,
            relaxation == Relaxation::Published,
            self.is_programmed,
        ];
        digester.integer(seed.value()).integer(placements).integer(precision.units());
        let time = time.map_or(u64::MAX, |time| time.as_micros() as u64);
        digester.integer(nodes.unwrap_or(u64::MAX)).integer(time).text(&solver.to_string());
        choices.into_iter().for_each(|choice| _ = digester.integer(choice));
        digester.integer(probes as u64);
        // Scenarios cannot change it, so digests remain valid.
        if effort != 1 {
            digester.integer(effort);
        }
        let usual = GeneticParameters::default();
        if (genetic.population, genetic.generations) != (usual.population, usual.generations) {
            digester.text("GA").integer(genetic.population as u64).integer(genetic.generations);
        }
    }

    /// Returns the row of an algorithm and the time that it took.
    pub(crate) fn row(&self, algorithm: Algorithm, second_phase: bool) -> (Result<Row, Failure>, Duration) {
        let row = |found: Yield| Row { minimum_yield: decimal(found), ..self.row.clone() };
        if second_phase {
            let Checked { found, time } = self.solve_and_check(algorithm);
            let raised = |solved: Solved| self.raise(&solved, row(solved.minimum_yield));
            return (found.map(raised), time);
        }
        let Checked { found, time } = match pass_index(algorithm) {
            Some(place) => self.run_pass(place, algorithm),
            None => self.minimum_yield(algorithm),
        };
        (found.map(row), time)
    }

    /// Returns the row of `GREEDY` from its passes; `None` if the checker rejects one of them.
    pub(crate) fn best_pass(&self) -> Option<(Result<Row, Failure>, Duration)> {
        let (mut best, mut time) = (None, Duration::ZERO);
        for (place, algorithm) in passes().enumerate() {
            let pass = self.run_pass(place, algorithm);
            time += pass.time;
            match pass.found {
                Ok(found) => best = best.max(Some(found)),
                Err(failure) if failure.status == Status::Unsolved => {}
                Err(_) => return None,
            }
        }
        let row = |best| Row { minimum_yield: decimal(best), ..self.row.clone() };
        Some((best.map(row).ok_or_else(|| Failure::new(Status::Unsolved, "")), time))
    }

    fn run_pass(&self, place: usize, algorithm: Algorithm) -> Checked<Yield> {
        self.passes[place].get_or_init(|| self.minimum_yield(algorithm)).clone()
    }

    fn minimum_yield(&self, algorithm: Algorithm) -> Checked<Yield> {
        let Checked { found, time } = self.solve_and_check(algorithm);
        Checked { found: found.map(|solved| solved.minimum_yield), time }
    }

    fn solve_and_check(&self, algorithm: Algorithm) -> Checked<Solved> {
        let begin = Instant::now();
        let outcome = algorithm.solve(&self.instance, &self.settings);
        let time = begin.elapsed();
        let found = match outcome {
            Outcome::Failed => Err(Failure::new(Status::Unsolved, "")),
            Outcome::Infeasible => Err(Failure::new(Status::Infeasible, "")),
            Outcome::TimedOut => Err(Failure::new(Status::TimedOut, "")),
            Outcome::Solved(solved) => {
                let faults = check_minimum_yield(&self.instance, &solved.mapping, solved.minimum_yield);
                match faults.first() {
                    Some(fault) => Err(Failure::invalid(fault)),
                    None => Ok(solved),
                }
            }
        };
        Checked { found, time }
    }

    /// Returns the row of a packing after its second phase.
    fn raise(&self, solved: &Solved, row: Row) -> Row {
        let Solved { mapping, minimum_yield } = solved;
        let is_serial = self.instance.jobs.iter().all(|job| job.tasks == 1);
        let raised = |order| raise(&self.instance, mapping, *minimum_yield, order);
        let by_rule = is_serial.then(|| raised(RaiseOrder::HighestIncrease)).flatten();
        let greatest = if is_serial && self.instance.fluid == 1 {
            raised(RaiseOrder::SmallestFirst)
        } else {
            self.greatest_average(solved)
        };
        let used = |yields: &[Yield]| utilisation(&self.instance, yields);
        Row {
            average_yield: greatest.as_deref().map(average),
            average_yield_by_rule: by_rule.as_deref().map(average),
            utilisation: Some(used(&vec![*minimum_yield; mapping.len()])),
            raised_utilisation: by_rule.as_deref().or(greatest.as_deref()).map(used),
            ..row
        }
    }

    /// Computes the yields with the largest average by a linear program, if the scenario requests it
    /// for this replication.
    fn greatest_average(&self, solved: &Solved) -> Option<Vec<Yield>> {
        if !self.is_programmed {
            return None;
        }
        let limits = Limits { time: self.settings.shared.limits.time, ..Limits::default() };
        let Solved { mapping, minimum_yield } = solved;
        let solver = self.settings.shared.solver.solver();
        let phase = max_average(&self.instance, mapping, *minimum_yield, solver, &limits).ok()??;
        (phase.status == ProgramStatus::Optimal).then_some(phase.yields)
    }
}
