//! How far the vector packing algorithms are from the bound on the instances of the dissertation's study, and from the
//! optimum on small ones: `gaps [SEED] [SAMPLES]`, with so many samples of each of the 729 scenarios.

#[path = "../benches/instances/mod.rs"]
mod instances;

use dfrsim_model::offline::Instance;
use dfrsim_model::{Seed, Share, Yield};
use dfrsim_packing::vector::{Algorithm, Options, VectorPacking, yield_bound};
use instances::{Scenario, instance};
use std::cmp::Reverse;
use std::time::{Duration, Instant};

fn main() {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse().expect("a number"));
    let seed = Seed::new(arguments.next().unwrap_or(1));
    let samples = arguments.next().unwrap_or(1);
    let mut packings = Algorithm::ALL.map(|algorithm| VectorPacking::new(algorithm, Options::default()));
    for (nodes, jobs) in [(4, [8, 10, 12]), (64, [100, 200, 500])] {
        println!("\n{nodes} nodes, gaps to LPBOUND:");
        let mut rows = Vec::new();
        for (scenario, number) in scenarios(nodes, jobs).into_iter().zip(0..) {
            for sample in 0..samples {
                let seed = seed.fork("gaps").numbered(number).numbered(sample);
                let instance = instance(scenario, &mut seed.rng());
                rows.extend(
                    yield_bound(&instance).map(|bound| Row::of(scenario, &instance, bound, &mut packings)),
                );
            }
        }
        print(rows.iter().map(|row| (row, Some(row.bound))));
        for jobs in jobs {
            println!("of these {jobs} jobs:");
            print(rows.iter().filter(|row| row.scenario.jobs == jobs).map(|row| (row, Some(row.bound))));
        }
        if nodes == 4 {
            println!("gaps to the optimum:");
            print(rows.iter().map(|row| (row, row.optimum)));
        }
    }
}

fn scenarios(nodes: usize, jobs: [usize; 3]) -> Vec<Scenario> {
    let mut scenarios = Vec::new();
    for jobs in jobs {
        for dimensions in [2, 4, 6] {
            for sigma in [0.25, 0.5, 1.0] {
                for rho in [0.0, 0.25, 0.5] {
                    let slacks = (1..10).map(|tenths| f64::from(tenths) / 10.0);
                    scenarios.extend(slacks.map(|slack| Scenario {
                        nodes,
                        jobs,
                        dimensions,
                        sigma,
                        rho,
                        slack,
                    }));
                }
            }
        }
    }
    scenarios
}

/// What all algorithms made of an instance.
struct Row {
    scenario: Scenario,
    bound: Yield,
    found: Vec<(Option<Yield>, Duration)>,
    /// Only looked for on few nodes.
    optimum: Option<Yield>,
}

impl Row {
    fn of(scenario: Scenario, instance: &Instance, bound: Yield, packings: &mut [VectorPacking]) -> Row {
        let found: Vec<(Option<Yield>, Duration)> = packings
            .iter_mut()
            .map(|packing| {
                let start = Instant::now();
                let solution = packing.solve(instance).expect("few resources");
                (solution.map(|solution| solution.minimum_yield), start.elapsed())
            })
            .collect();
        let best = found.iter().filter_map(|&(found, _)| found).max();
        let optimum = if scenario.nodes == 4 { Exhaustive::optimum(instance, best, bound) } else { None };
        Row { scenario, bound, found, optimum }
    }
}

/// Prints each algorithm's gap to a reference: on average over the instances that it and VP_CPSUM solved, beside that of
/// VP_CPSUM on the same. An instance that no algorithm solved is no failure.
fn print<'a>(rows: impl Iterator<Item = (&'a Row, Option<Yield>)>) {
    let rows: Vec<(&Row, Option<Yield>)> =
        rows.filter(|(row, _)| row.found.iter().any(|(found, _)| found.is_some())).collect();
    let all = Algorithm::ALL;
    let cpsum = all.iter().position(|algorithm| algorithm.name() == "VP_CPSUM").expect("it is one of them");
    println!("algorithm    relative (CPSUM)    absolute (CPSUM)   failed    time");
    for (at, algorithm) in all.into_iter().enumerate() {
        let common: Vec<[f64; 3]> = rows
            .iter()
            .filter_map(|(row, reference)| Some([row.found[at].0?, row.found[cpsum].0?, (*reference)?]))
            .map(|yields| yields.map(Yield::as_f64))
            .filter(|&[_, _, reference]| reference > 0.0)
            .collect();
        let mean = |gap: &dyn Fn(&[f64; 3]) -> f64| common.iter().map(gap).sum::<f64>() / common.len() as f64;
        let failed = rows.iter().filter(|(row, _)| row.found[at].0.is_none()).count();
        let time: Duration = rows.iter().map(|(row, _)| row.found[at].1).sum();
        println!(
            "{algorithm:<11} {:6.2} % ({:5.2} %)    {:.4} ({:.4})   {:5.2} %  {:7.1} us",
            100.0 * mean(&|[own, _, reference]| 1.0 - own / reference),
            100.0 * mean(&|[_, cpsum, reference]| 1.0 - cpsum / reference),
            mean(&|[own, _, reference]| reference - own),
            mean(&|[_, cpsum, reference]| reference - cpsum),
            100.0 * failed as f64 / rows.len() as f64,
            time.as_secs_f64() * 1e6 / rows.len() as f64,
        );
    }
}

/// Tries all mappings of one-task jobs onto identical nodes, but nodes that are still empty only once, and nothing that
/// cannot be better than the best so far.
struct Exhaustive<'a> {
    instance: &'a Instance,
    order: Vec<usize>,
    /// What each node has to give at a yield of 0 and what more at 1, resource by resource.
    demands: Vec<Vec<[f64; 2]>>,
    best: f64,
    /// The bound, where the search can stop.
    enough: f64,
}

impl Exhaustive<'_> {
    fn optimum(instance: &Instance, found: Option<Yield>, bound: Yield) -> Option<Yield> {
        let mut order: Vec<usize> = (0..instance.jobs.len()).collect();
        order.sort_by_key(|&job| {
            Reverse(instance.jobs[job].demand.iter().map(|&amount| u64::from(amount)).sum::<u64>())
        });
        let demands = vec![vec![[0.0; 2]; instance.dimensions()]; instance.nodes.len()];
        let before = found.map_or(-1e-5, Yield::as_f64);
        let mut search = Exhaustive { instance, order, demands, best: before, enough: bound.as_f64() - 1e-6 };
        search.place(0, 0, 1.0);
        if search.best > before { Some(Yield::from_f64(search.best)) } else { found }
    }

    fn place(&mut self, depth: usize, opened: usize, lowest: f64) {
        let Some(&job) = self.order.get(depth) else {
            self.best = lowest;
            return;
        };
        let job = &self.instance.jobs[job];
        for node in 0..(opened + 1).min(self.instance.nodes.len()) {
            let before = self.demands[node].clone();
            for (d, demand) in self.demands[node].iter_mut().enumerate() {
                let least = if d < self.instance.fixed { 1.0 } else { job.least_yield.as_f64() };
                demand[0] += f64::from(job.demand[d]) * least;
                demand[1] += f64::from(job.demand[d]) * (1.0 - least);
            }
            let lowest = lowest.min(self.node_yield(node));
            if lowest > self.best + 1e-6 && self.best < self.enough {
                self.place(depth + 1, opened.max(node + 1), lowest);
            }
            self.demands[node] = before;
        }
    }

    /// The largest yield that a node allows; negative if it does not even allow 0.
    fn node_yield(&self, node: usize) -> f64 {
        let one = f64::from(Share::ONE.units());
        let of = |&[always, fluid]: &[f64; 2]| match () {
            () if always > one => -1.0,
            () if fluid == 0.0 => 1.0,
            () => (one - always) / fluid,
        };
        self.demands[node].iter().map(of).fold(1.0, f64::min)
    }
}
