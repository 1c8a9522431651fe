//! Compares VP_EJECT with VP_CPSUM for sizes from 4 x 8 to 1,024 x 8,192 nodes x jobs, on identical
//! and on unequal nodes, with 2 to 12 resources. It prints times (the shortest of five) and gaps to
//! the best known mapping: `cargo run --release -p dfrsim-vector-packing --example eject [SEED [JOBS
//! [EFFORT]]]`. All sizes take some minutes.
//!
//! A row is a size, a kind of nodes and a number of resources. Its means are over sigma of 0.25, 0.5
//! and 1, rho of 0, 0.25 and 0.5, and slack of 0.1, 0.3, 0.5 and 0.8. The best known mapping is that
//! of VP_EJECT with more effort (20 by default). Instances that neither algorithm can pack are
//! counted separately, with their ratio of times. The last column counts the instances on which the
//! yield of VP_EJECT is lower than that of VP_CPSUM.

use dfrsim_model::offline::Instance;
use dfrsim_model::{Seed, Yield};
use dfrsim_optimum::lp_bound;
use dfrsim_vector_packing::instances::DissertationScenario;
use dfrsim_vector_packing::vector::{Algorithm, Options, VectorPacking};
use std::time::{Duration, Instant};

/// Number of nodes, number of jobs, and instances per combination of parameters.
const SIZES: [(u32, u32, u64); 8] = [
    (4, 8, 4),
    (4, 12, 4),
    (16, 40, 2),
    (64, 100, 1),
    (64, 200, 1),
    (64, 500, 1),
    (256, 1024, 1),
    (1024, 8192, 1),
];

const DIMENSIONS: [u32; 6] = [2, 4, 6, 8, 10, 12];

/// Sums over the instances of a row, for VP_CPSUM and VP_EJECT in this order.
#[derive(Clone, Copy, Default)]
struct Point {
    /// Total time in microseconds, over instances that at least one algorithm packs.
    times: [f64; 2],
    /// Total gap to the best known yield in percent, over instances that both algorithms pack.
    gaps: [f64; 2],
    failures: [u32; 2],
    instances: u32,
    both: u32,
    /// Number of instances that neither algorithm packs.
    empty: u32,
    empty_times: [f64; 2],
    below: u32,
}

fn main() {
    let number = |at: usize| -> Option<u64> {
        std::env::args().nth(at).map(|text| text.parse().expect("seed, jobs and effort are numbers"))
    };
    let (seed, only, effort) = (number(1).unwrap_or(1), number(2), number(3).unwrap_or(20) as u32);
    println!(
        "| nodes x jobs | nodes | D | instances | VP_CPSUM (us) | VP_EJECT (us) | ratio | failures | gap of VP_CPSUM | gap of VP_EJECT | ratio | none fits | ratio | below |"
    );
    println!("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let is_wanted = |jobs: u32| only.is_none_or(|only| only == u64::from(jobs));
    for (nodes, jobs, count) in SIZES.into_iter().filter(|&(_, jobs, _)| is_wanted(jobs)) {
        for (are_alike, kind) in [(true, "equal"), (false, "unequal")] {
            for dimensions in DIMENSIONS {
                let point = measure(Seed::new(seed), nodes, jobs, dimensions, count, are_alike, effort);
                println!("| {nodes} x {jobs} | {kind} | {dimensions} | {}", point.cells());
            }
        }
    }
}

impl Point {
    fn cells(&self) -> String {
        let Point { times, gaps, failures, instances, both, empty, empty_times, below } = *self;
        let times = times.map(|time| time / f64::from(instances - empty));
        let gaps = gaps.map(|gap| gap / f64::from(both));
        format!(
            "{instances} | {:.1} | {:.1} | {:.2} | {}, {} | {:.2} % | {:.2} % | {:.2} | {empty} | {:.2} | {below} |",
            times[0],
            times[1],
            times[1] / times[0],
            failures[0],
            failures[1],
            gaps[0],
            gaps[1],
            gaps[1] / gaps[0],
            empty_times[1] / empty_times[0],
        )
    }
}

/// Scales the resources of the nodes by 0.5, 1 and 1.5 in turn.
fn unequal(mut instance: Instance) -> Instance {
    for (number, node) in instance.nodes.iter_mut().enumerate() {
        for (resource, amount) in node.iter_mut().enumerate() {
            *amount = *amount / 2 * (1 + ((number + resource) % 3) as u32);
        }
    }
    instance
}

fn measure(
    seed: Seed,
    nodes: u32,
    jobs: u32,
    dimensions: u32,
    count: u64,
    are_alike: bool,
    effort: u32,
) -> Point {
    let with = |effort| Options { effort, ..Options::default() };
    let mut packings = [("VP_CPSUM", 1), ("VP_EJECT", 1), ("VP_EJECT", effort)]
        .map(|(name, effort)| VectorPacking::new(name.parse::<Algorithm>().expect("a name"), with(effort)));
    let mut point = Point::default();
    let mut place = 0;
    for sigma in [0.25, 0.5, 1.0] {
        for rho in [0.0, 0.25, 0.5] {
            for slack in [0.1, 0.3, 0.5, 0.8] {
                place += 1;
                let scenario = DissertationScenario { nodes, jobs, dimensions, sigma, rho, slack };
                for number in 0..count {
                    let seed = seed.fork("eject").numbered(place).numbered(number);
                    let instance = scenario.instance(seed);
                    let instance = if are_alike { instance } else { unequal(instance) };
                    if lp_bound(&instance).is_some() {
                        point.add(&instance, &mut packings);
                    }
                }
            }
        }
    }
    point
}

impl Point {
    fn add(&mut self, instance: &Instance, packings: &mut [VectorPacking; 3]) {
        let [floor, eject, long] = packings;
        // The algorithms run alternately, so that disturbances affect both.
        let mut runs = [(Duration::MAX, None); 2];
        for _ in 0..5 {
            for (shortest, packing) in runs.iter_mut().zip([&mut *floor, &mut *eject]) {
                let (time, found) = run(packing, instance);
                *shortest = (shortest.0.min(time), found);
            }
        }
        let [(_, one), (_, other)] = runs;
        self.instances += 1;
        self.below += u32::from(other < one);
        let times = if one.or(other).is_some() {
            &mut self.times
        } else {
            self.empty += 1;
            &mut self.empty_times
        };
        for (sum, (time, _)) in times.iter_mut().zip(runs) {
            *sum += time.as_secs_f64() * 1e6;
        }
        for (failures, (_, found)) in self.failures.iter_mut().zip(runs) {
            *failures += u32::from(found.is_none());
        }
        let (_, known) = run(long, instance);
        let known = known.max(other);
        if let (Some(one), Some(other), Some(known)) = (one, other, known)
            && known > Yield::ZERO
        {
            self.both += 1;
            for (sum, found) in self.gaps.iter_mut().zip([one, other]) {
                *sum += 100.0 * (1.0 - found.as_f64() / known.as_f64());
            }
        }
    }
}

fn run(packing: &mut VectorPacking, instance: &Instance) -> (Duration, Option<Yield>) {
    let begin = Instant::now();
    let found = packing.solve(instance).expect("twelve resources at most");
    (begin.elapsed(), found.map(|solution| solution.minimum_yield))
}
