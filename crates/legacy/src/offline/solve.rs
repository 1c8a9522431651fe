//! All algorithms on one instance.

use super::record::{Cell, Earlier, Raised, Record};
use super::scenario::{Packing, Scenario};
use crate::Key;
use crate::key::Digest;
use dfrsim_audit::packing::check_minimum_yield;
use dfrsim_model::offline::Instance;
use dfrsim_model::{Seed, Yield};
use dfrsim_offline::greedy::{Greedy, Light, NodeRules};
use dfrsim_offline::{Algorithm, ListOrder, Outcome, Probes, Settings, Solved, instances};
use dfrsim_optimum::{
    Backend, Limits, RaiseOrder, Relaxation, Status, average, lp_bound, max_average, raise, utilisation,
};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// The version of what records mean. Bump it when results change: cells of another version are not taken over.
const SEMANTICS_VERSION: u32 = 1;

/// Which instance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub(super) group: u32,
    pub(super) scenario: u32,
    pub(super) sample: u32,
    pub(super) parameters: &'a instances::Scenario,
}

/// What became of an instance in this run.
pub(super) struct Done {
    pub(super) record: Record,
    /// How many cells were not taken over.
    pub(super) computed: usize,
    /// The times of those, by the place of the algorithm.
    pub(super) times: Vec<(usize, Duration)>,
    /// What the checker found.
    pub(super) faults: Vec<String>,
}

/// Runs what is left to run on an instance; nothing if something is left and it is not to be computed.
pub(super) fn solve(
    scenario: &Scenario,
    place: Place<'_>,
    earlier: &Earlier,
    computes: bool,
) -> Option<Done> {
    let group = &scenario.instances[place.group as usize];
    let seed = group.seed(Seed::new(scenario.seed), place.scenario, place.sample);
    let instance = place.parameters.instance_as(seed, group.readings);
    let settings = scenario.packing.settings(seed);
    let key = key(&instance, scenario, &settings, place.sample);
    let known = earlier.get(key);
    let record = Record {
        key,
        group: place.group,
        scenario: place.scenario,
        sample: place.sample,
        bound: lp_bound(&instance),
        cells: vec![Cell::Skipped; scenario.algorithms.len()].into(),
        raised: vec![None; scenario.second.algorithms.len()].into(),
    };
    let mut work = Work {
        scenario,
        place,
        instance: &instance,
        settings: &settings,
        done: Done { record, computed: 0, times: Vec::new(), faults: Vec::new() },
    };
    let tasks: u32 = instance.jobs.iter().map(|job| job.tasks).sum();
    let (best, others): (Vec<usize>, Vec<usize>) = (0..scenario.algorithms.len())
        .filter(|&at| scenario.allows(scenario.algorithms[at], tasks, place.sample))
        .partition(|&at| scenario.algorithms[at] == Algorithm::Greedy(Greedy::Best));
    // The best of the passes comes behind them, as it may then be known.
    for at in others.into_iter().chain(best) {
        let second = scenario.second.place(scenario.algorithms[at]);
        let cell = known.map_or(Cell::Skipped, |known| known.cells[at]);
        let raised = second.and_then(|second| known.and_then(|known| known.raised[second]));
        if cell == Cell::Skipped || (second.is_some() && cell.solved().is_some() && raised.is_none()) {
            if !computes {
                return None;
            }
            work.compute(at, second);
        } else {
            work.done.record.cells[at] = cell;
            if let Some(second) = second {
                work.done.record.raised[second] = raised;
            }
        }
    }
    Some(work.done)
}

struct Work<'a> {
    scenario: &'a Scenario,
    place: Place<'a>,
    instance: &'a Instance,
    settings: &'a Settings,
    done: Done,
}

impl Work<'_> {
    fn compute(&mut self, at: usize, second: Option<usize>) {
        let algorithm = self.scenario.algorithms[at];
        self.done.computed += 1;
        let is_best = algorithm == Algorithm::Greedy(Greedy::Best) && second.is_none();
        if let Some(cell) = is_best.then(|| self.best_pass()).flatten() {
            self.done.record.cells[at] = cell;
            self.done.times.extend(self.time_of_passes().map(|time| (at, time)));
            return;
        }
        let begin = Instant::now();
        let outcome = algorithm.solve(self.instance, self.settings);
        self.done.times.push((at, begin.elapsed()));
        self.done.record.cells[at] = match outcome {
            Outcome::Failed => Cell::Failed,
            Outcome::Infeasible => Cell::Infeasible,
            Outcome::TimedOut => Cell::TimedOut,
            Outcome::Solved(solved) => {
                let faults = check_minimum_yield(self.instance, &solved.mapping, solved.minimum_yield);
                match faults.first() {
                    Some(fault) => {
                        let Place { group, scenario, sample, .. } = self.place;
                        let group = &self.scenario.instances[group as usize].name;
                        self.done.faults.push(format!(
                            "{algorithm}, {group}, scenario {scenario}, sample {sample}: {fault}"
                        ));
                        Cell::Invalid
                    }
                    None => {
                        if let Some(second) = second {
                            self.done.record.raised[second] = Some(self.raise(&solved));
                        }
                        Cell::Solved(solved.minimum_yield)
                    }
                }
            }
        };
    }

    /// What GREEDY makes of the instance, if all of its passes are there.
    fn best_pass(&self) -> Option<Cell> {
        let mut best: Option<Yield> = None;
        for pass in Greedy::all().filter(|each| matches!(each, Greedy::Pass(..))).map(Algorithm::Greedy) {
            let at = self.scenario.algorithms.iter().position(|&algorithm| algorithm == pass)?;
            match self.done.record.cells[at] {
                Cell::Solved(minimum) => best = best.max(Some(minimum)),
                Cell::Failed => {}
                _ => return None,
            }
        }
        Some(best.map_or(Cell::Failed, Cell::Solved))
    }

    /// How long the passes of GREEDY took, if all of them ran just now.
    fn time_of_passes(&self) -> Option<Duration> {
        let is_pass = |at: usize| matches!(self.scenario.algorithms[at], Algorithm::Greedy(Greedy::Pass(..)));
        let times = || self.done.times.iter().filter(|(at, _)| is_pass(*at)).map(|(_, time)| *time);
        let passes = (0..self.scenario.algorithms.len()).filter(|&at| is_pass(at));
        (times().count() == passes.count()).then(|| times().sum())
    }

    /// The second phase of a packing.
    fn raise(&self, solved: &Solved) -> Raised {
        let instance = self.instance;
        let Solved { mapping, minimum_yield } = solved;
        let serial = instance.jobs.iter().all(|job| job.tasks == 1);
        let raised = |order| raise(instance, mapping, *minimum_yield, order);
        let by_rule = serial.then(|| raised(RaiseOrder::HighestIncrease)).flatten();
        let greatest = if serial && instance.fluid == 1 {
            raised(RaiseOrder::SmallestFirst)
        } else {
            self.greatest_average(solved)
        };
        let used = |yields: &[Yield]| utilisation(instance, yields);
        Raised {
            average: greatest.as_deref().map(average),
            average_by_rule: by_rule.as_deref().map(average),
            utilisation: used(&vec![*minimum_yield; mapping.len()]),
            raised_utilisation: by_rule.as_deref().or(greatest.as_deref()).map(used),
        }
    }

    /// The yields of greatest average, by a linear program, if the scenario has it solved for this sample.
    fn greatest_average(&self, solved: &Solved) -> Option<Vec<Yield>> {
        if self.place.sample >= self.scenario.second.program_samples {
            return None;
        }
        let solver = self.settings.solver.solver();
        let limits = Limits { time: self.settings.limits.time, ..Limits::default() };
        let Solved { mapping, minimum_yield } = solved;
        let phase = max_average(self.instance, mapping, *minimum_yield, solver, &limits).ok()??;
        (phase.status == Status::Optimal).then_some(phase.yields)
    }
}

/// The key of an instance: all that what algorithms make of it depends on.
fn key(instance: &Instance, scenario: &Scenario, settings: &Settings, sample: u32) -> Key {
    let Packing {
        precision,
        lists,
        probes,
        greedy,
        placements,
        search_nodes,
        time_limit,
        solver,
        relaxation,
    } = &scenario.packing;
    let mut text = format!(
        "offline semantics {SEMANTICS_VERSION}\ninstance {}\nseed {}\nprecision {}\nplacements {placements}\n\
         search nodes {search_nodes}\n",
        Digest::of_instance(instance),
        settings.seed.value(),
        precision.units(),
    );
    let mut line = |part: std::fmt::Arguments<'_>| writeln!(text, "{part}").expect("a string takes any text");
    if let Some(limit) = time_limit {
        line(format_args!("time limit {}", limit.as_nanos()));
    }
    if *solver != Backend::default() {
        line(format_args!("solver {solver}"));
    }
    if *relaxation == Relaxation::Printed {
        line(format_args!("relaxation printed"));
    }
    if *lists == ListOrder::ByPair {
        line(format_args!("lists by pair"));
    }
    if *probes == Probes::Halving {
        line(format_args!("probes by halving"));
    }
    if greedy.rules == NodeRules::Simulated {
        line(format_args!("node rules simulated"));
    }
    if greedy.light == Light::Best {
        line(format_args!("the best of GREEDYLIGHT"));
    }
    if !scenario.second.algorithms.is_empty() && sample < scenario.second.program_samples {
        line(format_args!("second phase by programs"));
    }
    Key::of(&text)
}
