//! VP_EJECT beside VP_CPSUM from 4 x 8 to 1,024 x 8,192: times (the shortest of five), and gaps to a reference, over the same
//! instances: `cargo run --release -p dfrsim-offline --example eject [SEED [JOBS]]`, some minutes for all sizes.
//!
//! The reference is the optimum up to 20 jobs, if it is proven, else the bound of patterns up to 200 jobs, else LPBOUND; where it
//! is a bound, both gaps contain its own distance from the optimum. The last columns are of the same gaps to the best mapping
//! that VP_EJECT finds in about a hundred times the time, so that the ratio of the gaps to the optimum lies between the two. A line
//! "all" is of means over the numbers of resources.

use dfrsim_model::offline::Instance;
use dfrsim_model::{Seed, Yield};
use dfrsim_offline::instances::DissertationScenario;
use dfrsim_optimum::{Limits, Status, lp_bound, optimum, pattern_bound};
use dfrsim_packing::vector::{Algorithm, Options, VectorPacking};
use std::time::{Duration, Instant};

/// Nodes, jobs and instances of each combination of parameters.
const SIZES: [(u32, u32, u64); 10] = [
    (4, 8, 20),
    (4, 12, 20),
    (8, 20, 8),
    (16, 40, 6),
    (64, 100, 3),
    (64, 200, 1),
    (64, 500, 2),
    (256, 1024, 1),
    (512, 4096, 1),
    (1024, 8192, 1),
];

/// For the best known mapping.
const EFFORT: u32 = 50;

const DIMENSIONS: [u32; 3] = [2, 4, 6];

/// Means of both algorithms, VP_CPSUM first.
#[derive(Clone, Copy, Default)]
struct Means {
    /// In microseconds.
    times: [f64; 2],
    /// In percent of the reference.
    gaps: [f64; 2],
    /// In percent of the best known mapping.
    to_known: [f64; 2],
    failures: [u32; 2],
    instances: u32,
}

fn main() {
    let number = |at: usize| -> Option<u64> {
        std::env::args().nth(at).map(|text| text.parse().expect("seeds and jobs are numbers"))
    };
    let (seed, only) = (number(1).unwrap_or(1), number(2));
    println!(
        "| nodes x jobs | D | instances | VP_CPSUM (us) | VP_EJECT (us) | ratio | gap of VP_CPSUM | gap of VP_EJECT | ratio | failures | to the best known | | ratio |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let is_wanted = |jobs: u32| only.is_none_or(|only| only == u64::from(jobs));
    for (nodes, jobs, count) in SIZES.into_iter().filter(|&(_, jobs, _)| is_wanted(jobs)) {
        let mut all = Means::default();
        for dimensions in DIMENSIONS {
            let own = means(Seed::new(seed), nodes, jobs, dimensions, count);
            print(nodes, jobs, &dimensions.to_string(), &own);
            for which in 0..2 {
                all.times[which] += own.times[which] / DIMENSIONS.len() as f64;
                all.gaps[which] += own.gaps[which] / DIMENSIONS.len() as f64;
                all.to_known[which] += own.to_known[which] / DIMENSIONS.len() as f64;
                all.failures[which] += own.failures[which];
            }
            all.instances += own.instances;
        }
        print(nodes, jobs, "all", &all);
    }
}

fn print(nodes: u32, jobs: u32, dimensions: &str, means: &Means) {
    let Means { times, gaps, to_known, failures, instances } = means;
    println!(
        "| {nodes} x {jobs} | {dimensions} | {instances} | {:.1} | {:.1} | {:.2} | {:.2} % | {:.2} % | {:.2} | {}, {} | {:.2} % | {:.2} % | {:.2} |",
        times[0],
        times[1],
        times[1] / times[0],
        gaps[0],
        gaps[1],
        gaps[1] / gaps[0],
        failures[0],
        failures[1],
        to_known[0],
        to_known[1],
        to_known[1] / to_known[0]
    );
}

fn means(seed: Seed, nodes: u32, jobs: u32, dimensions: u32, count: u64) -> Means {
    let mut packings = ["VP_CPSUM", "VP_EJECT"]
        .map(|name| VectorPacking::new(name.parse().expect("a name"), Options::default()));
    let long = Options { effort: EFFORT, ..Options::default() };
    let mut long = VectorPacking::new(Algorithm::EJECT, long);
    let (mut means, mut solved) = (Means::default(), 0);
    for rho in [0.0, 0.25] {
        for tenths in [1_u32, 3, 5, 7, 9] {
            let slack = f64::from(tenths) / 10.0;
            let scenario = DissertationScenario { nodes, jobs, dimensions, sigma: 0.5, rho, slack };
            for number in 0..count {
                let place = seed.fork("eject").numbered(u64::from(tenths)).numbered((rho * 4.0) as u64);
                let instance = scenario.instance(place.numbered(number));
                if lp_bound(&instance).is_none() {
                    continue;
                }
                let runs = packings.each_mut().map(|packing| shortest(packing, &instance));
                let found = runs.map(|(_, found)| found);
                let (_, known) = run(&mut long, &instance);
                let known = known.max(found[0]).max(found[1]);
                let Some(best) = reference(&instance, known) else { continue };
                means.instances += 1;
                for (which, (time, found)) in runs.into_iter().enumerate() {
                    means.times[which] += time.as_secs_f64() * 1e6;
                    means.failures[which] += u32::from(found.is_none());
                }
                if let [Some(one), Some(other)] = found
                    && best > Yield::ZERO
                {
                    solved += 1;
                    let known = known.unwrap_or(best);
                    for (which, found) in [one, other].into_iter().enumerate() {
                        let percent_below = |best: Yield| 100.0 * (1.0 - found.as_f64() / best.as_f64());
                        means.gaps[which] += percent_below(best);
                        means.to_known[which] += percent_below(known);
                    }
                }
            }
        }
    }
    means.times = means.times.map(|time| time / f64::from(means.instances));
    means.gaps = means.gaps.map(|gap| gap / f64::from(solved));
    means.to_known = means.to_known.map(|gap| gap / f64::from(solved));
    means
}

/// The shortest time of five, and the yield.
fn shortest(packing: &mut VectorPacking, instance: &Instance) -> (Duration, Option<Yield>) {
    (0..5).map(|_| run(packing, instance)).min_by_key(|(time, _)| *time).expect("there are five")
}

fn run(packing: &mut VectorPacking, instance: &Instance) -> (Duration, Option<Yield>) {
    let begin = Instant::now();
    let found = packing.solve(instance).expect("six resources at most");
    (begin.elapsed(), found.map(|solution| solution.minimum_yield))
}

/// What no yield is above; none where there is no packing.
fn reference(instance: &Instance, known: Option<Yield>) -> Option<Yield> {
    let mut known = known.unwrap_or(Yield::ZERO);
    let rounds = match instance.jobs.len() {
        0..=20 => {
            let outcome = optimum(instance, &Limits { nodes: Some(20_000_000), ..Limits::default() });
            let best = outcome.best.map(|best| best.min_yield);
            if matches!(outcome.status, Status::Optimal | Status::Infeasible) {
                return best;
            }
            known = known.max(best.unwrap_or(Yield::ZERO));
            30
        }
        21..=100 => 30,
        // Programs of more sets take long.
        101..=200 => 8,
        _ => return lp_bound(instance),
    };
    pattern_bound(instance, known, rounds)
}
