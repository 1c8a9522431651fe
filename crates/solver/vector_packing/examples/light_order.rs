//! Measures the pass order of `GREEDYLIGHT`: the mean distance of each pass from the bound, over the
//! dissertation's scenarios with samples from a seed that no study uses.
//!
//! `cargo run --release -p dfrsim-vector-packing --example light_order [samples]`

use dfrsim_model::Seed;
use dfrsim_model::offline::Instance;
use dfrsim_vector_packing::greedy::{Greedy, Interpretation, NodeRules, light};
use dfrsim_vector_packing::instances::InstanceSet;
use std::time::Instant;

const SEED: Seed = Seed::new(0x6c69_6768_745f_6f72);

/// Computes the bound of the linear relaxation for identical nodes, at most 1.
///
/// For each fluid resource, it is the capacity left by the minimum yields, divided by the remaining
/// need.
fn bound(instance: &Instance) -> f64 {
    let of_resource = |resource: usize| {
        let capacity: f64 = instance.nodes.iter().map(|node| f64::from(node[resource])).sum();
        let (mut least, mut rest) = (0.0, 0.0);
        for job in &instance.jobs {
            let need = f64::from(job.demand[resource]);
            least += need * job.least_yield.as_f64();
            rest += need * (1.0 - job.least_yield.as_f64());
        }
        (capacity - least) / rest
    };
    (instance.fixed..instance.dimensions()).map(of_resource).fold(1.0, f64::min)
}

fn main() {
    let samples: u32 = std::env::args().nth(1).and_then(|samples| samples.parse().ok()).unwrap_or(5);
    let set = InstanceSet::Dissertation;
    let printed = Interpretation { rules: NodeRules::Published, ..Interpretation::default() };
    let passes = light(printed.rules);
    let mut sums = [(0.0, 0_u32); 9];
    let (mut instances, mut unsolved) = (0, 0);
    let start = Instant::now();
    for (index, scenario) in (0..).zip(set.scenarios()) {
        for sample in 0..samples {
            let seed = set.seed(SEED, index, sample);
            let instance = scenario.instance(seed);
            let solved_by = |greedy: Greedy| greedy.solve_as(printed, &instance, seed, 0).minimum_yield();
            let bound = bound(&instance);
            instances += 1;
            unsolved += u32::from(solved_by(Greedy::Best).is_none());
            for ((order, rule), (sum, solved)) in passes.into_iter().zip(&mut sums) {
                if let Some(minimum) = solved_by(Greedy::Pass(order, rule)) {
                    *sum += bound - minimum.as_f64();
                    *solved += 1;
                }
            }
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("{instances} instances, {unsolved} of them unsolved by all 49, in {seconds:.1} s");
    for ((order, rule), (sum, solved)) in passes.into_iter().zip(sums) {
        let dfb = sum / f64::from(solved);
        let failures = f64::from(instances - solved) / f64::from(instances);
        println!("{}: dfb {dfb:.4}, failures {:.2} %", Greedy::Pass(order, rule), 100.0 * failures);
    }
}
