//! VP_EJECT beside VP_CPSUM from 4 x 8 to 1,024 x 8,192: times (the shortest of five), and gaps to the optimum (4 nodes), to
//! the bound of patterns (up to 100 jobs) or to LPBOUND, over the same instances: `cargo run --release -p dfrsim-offline --example eject [SEED]`.

use dfrsim_model::offline::Instance;
use dfrsim_model::{Seed, Yield};
use dfrsim_offline::instances::DissertationScenario;
use dfrsim_optimum::{Limits, lp_bound, optimum, pattern_bound};
use dfrsim_packing::vector::{Options, VectorPacking};
use std::time::{Duration, Instant};

/// Nodes, jobs and instances of each combination of parameters.
const SIZES: [(u32, u32, u64); 10] = [
    (4, 8, 20),
    (4, 12, 20),
    (8, 20, 4),
    (16, 40, 2),
    (64, 100, 2),
    (64, 200, 2),
    (64, 500, 2),
    (256, 1024, 1),
    (512, 4096, 1),
    (1024, 8192, 1),
];

fn main() {
    let seed = std::env::args().nth(1).map_or(1, |text| text.parse().expect("a seed is a number"));
    println!(
        "| nodes x jobs | D | instances | VP_CPSUM (us) | VP_EJECT (us) | ratio | gap of VP_CPSUM | gap of VP_EJECT | ratio | failures |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for (nodes, jobs, count) in SIZES {
        for dimensions in [2, 4, 6] {
            line(Seed::new(seed), nodes, jobs, dimensions, count);
        }
    }
}

fn line(seed: Seed, nodes: u32, jobs: u32, dimensions: u32, count: u64) {
    let mut packings = ["VP_CPSUM", "VP_EJECT"]
        .map(|name| VectorPacking::new(name.parse().expect("a name"), Options::default()));
    let mut times = [Duration::ZERO; 2];
    let mut gaps = [0.0; 2];
    let (mut solved, mut instances) = (0, 0);
    let mut failed = [0; 2];
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
                let found: [Option<Yield>; 2] = std::array::from_fn(|which| {
                    let runs: Vec<_> = (0..5)
                        .map(|_| {
                            let begin = Instant::now();
                            let found = packings[which].solve(&instance).expect("six resources at most");
                            (begin.elapsed(), found)
                        })
                        .collect();
                    times[which] += runs.iter().map(|run| run.0).min().unwrap_or_default();
                    runs[0].1.as_ref().map(|solution| solution.minimum_yield)
                });
                let Some(best) = reference(&instance, found[1]) else { continue };
                instances += 1;
                for (failed, found) in failed.iter_mut().zip(found) {
                    *failed += u32::from(found.is_none());
                }
                if let [Some(one), Some(other)] = found
                    && best > Yield::ZERO
                {
                    solved += 1;
                    for (gap, found) in gaps.iter_mut().zip([one, other]) {
                        *gap += 1.0 - found.as_f64() / best.as_f64();
                    }
                }
            }
        }
    }
    let micros = times.map(|time| time.as_secs_f64() * 1e6 / f64::from(instances));
    let gaps = gaps.map(|gap| 100.0 * gap / f64::from(solved));
    println!(
        "| {nodes} x {jobs} | {dimensions} | {instances} | {:.1} | {:.1} | {:.2} | {:.2} % | {:.2} % | {:.2} | {}, {} |",
        micros[0],
        micros[1],
        micros[1] / micros[0],
        gaps[0],
        gaps[1],
        gaps[1] / gaps[0],
        failed[0],
        failed[1]
    );
}

/// The optimum on 4 nodes, else a bound; none where there is no packing.
fn reference(instance: &Instance, known: Option<Yield>) -> Option<Yield> {
    if instance.jobs.len() > 100 {
        return lp_bound(instance);
    }
    if instance.nodes.len() > 4 {
        return pattern_bound(instance, known.unwrap_or(Yield::ZERO), 60);
    }
    optimum(instance, &Limits::default()).best.map(|best| best.min_yield)
}
