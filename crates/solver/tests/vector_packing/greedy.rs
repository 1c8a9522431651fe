//! Tests the greedy passes against a literal implementation of their definition.

use crate::strategy::instance;
use dfrsim_model::offline::{Instance, Mapping, OfflineJob};
use dfrsim_model::{NodeId, NodeTasks, Seed, Share, Yield};
use dfrsim_vector_packing::check::check_minimum_yield;
use dfrsim_vector_packing::greedy::{self, Greedy, Interpretation, Light, NodeRule, NodeRules, SortOrder};
use dfrsim_vector_packing::instances::InstanceSet;
use dfrsim_vector_packing::{Algorithm, Outcome, Settings, minimum_yield};
use proptest::prelude::*;
use rand::seq::SliceRandom as _;
use std::cmp::Ordering;

const PLACEMENTS: u64 = 2_000;

const PRINTED: Interpretation = Interpretation { rules: NodeRules::Published, light: Light::First };

/// Node rules P1 to P7 as simulated.
const SIMULATED: [NodeRule; 7] = [
    NodeRule::LeastSumNeeds,
    NodeRule::LeastTotalNeeds,
    NodeRule::BestFitSum,
    NodeRule::BestFitTotal,
    NodeRule::WorstFitSum,
    NodeRule::WorstFitTotal,
    NodeRule::FirstFit,
];

/// An exact fraction.
#[derive(Clone, Copy)]
struct Ratio(u128, u128);

impl Ratio {
    /// Compares two ratios: 0 / 0 is 0, and a positive amount / 0 is larger than all other ratios.
    fn compare(self, other: Ratio) -> Ordering {
        match (self, other) {
            (Ratio(0, _), Ratio(b, _)) => 0.cmp(&b),
            (Ratio(_, _), Ratio(0, _)) => Ordering::Greater,
            (Ratio(_, 0), Ratio(_, 0)) => Ordering::Equal,
            (Ratio(a, x), Ratio(b, y)) => (a * y).cmp(&(b * x)),
        }
    }
}

/// Returns the fixed requirement or the constrained need, in units of 2^-20 amounts.
fn rigid(instance: &Instance, job: usize, dimension: usize) -> u128 {
    let OfflineJob { demand, least_yield, .. } = &instance.jobs[job];
    let per_unit = if dimension < instance.fixed { Yield::ONE } else { *least_yield };
    u128::from(demand[dimension]) * u128::from(per_unit.units())
}

fn sorted(instance: &Instance, order: SortOrder, seed: Seed) -> Vec<usize> {
    let Instance { fixed, .. } = *instance;
    let all = 0..instance.dimensions();
    let full = |job: usize, dimension: usize| u128::from(instance.jobs[job].demand[dimension]);
    let key = |job: usize| -> u128 {
        match order {
            SortOrder::Random | SortOrder::Given => 0,
            SortOrder::MaxNeed => all.clone().skip(fixed).map(|d| full(job, d)).max().unwrap(),
            SortOrder::SumNeeds => all.clone().skip(fixed).map(|d| full(job, d)).sum(),
            SortOrder::MaxRigid => all.clone().map(|d| rigid(instance, job, d)).max().unwrap(),
            SortOrder::SumRigid => all.clone().map(|d| rigid(instance, job, d)).sum(),
            SortOrder::MaxFull => all.clone().map(|d| full(job, d)).max().unwrap(),
            SortOrder::SumFull => all.clone().map(|d| full(job, d)).sum(),
            SortOrder::MaxFixed => all.clone().take(fixed).map(|d| full(job, d)).max().unwrap_or(0),
        }
    };
    let mut tasks = Vec::new();
    for (job, OfflineJob { tasks: count, .. }) in instance.jobs.iter().enumerate() {
        tasks.extend(std::iter::repeat_n(job, *count as usize));
    }
    if order == SortOrder::Random {
        tasks.shuffle(&mut seed.fork("random order").rng());
    } else {
        // Insertion sort, after all tasks that are as large.
        let mut sorted: Vec<usize> = Vec::new();
        for task in tasks {
            let at = sorted.iter().position(|&other| key(other) < key(task)).unwrap_or(sorted.len());
            sorted.insert(at, task);
        }
        tasks = sorted;
    }
    tasks
}

fn holds(instance: &Instance, here: &[usize], job: usize, node: usize) -> bool {
    (0..instance.dimensions()).all(|d| {
        let sum: u128 = here.iter().chain([&job]).map(|&job| rigid(instance, job, d)).sum();
        sum <= u128::from(instance.nodes[node][d]) * u128::from(Yield::ONE.units())
    })
}

/// Returns the first dimension in which the job's demand is largest.
fn argmax(dimensions: std::ops::Range<usize>, amount: impl Fn(usize) -> u128) -> usize {
    let start = dimensions.start;
    dimensions.fold(start, |best, next| if amount(next) > amount(best) { next } else { best })
}

fn load(instance: &Instance, here: &[usize], job: usize, node: usize, rule: NodeRule) -> Ratio {
    let need = |job: usize, d: usize| u128::from(instance.jobs[job].demand[d]) << 20;
    let rigid = |job: usize, d: usize| rigid(instance, job, d);
    let d_f = argmax(instance.fixed..instance.dimensions(), |d| need(job, d));
    let d_r = argmax(0..instance.dimensions(), |d| rigid(job, d));
    let capacity = |d: usize| u128::from(instance.nodes[node][d]) << 20;
    let max = |amount: &dyn Fn(usize) -> u128| here.iter().map(|&job| amount(job)).max().unwrap_or(0);
    let sum = |amount: &dyn Fn(usize) -> u128| here.iter().map(|&job| amount(job)).sum::<u128>();
    match rule {
        NodeRule::LeastMaxNeed => Ratio(max(&|job| need(job, d_f)), capacity(d_f)),
        NodeRule::LeastSumNeeds => Ratio(sum(&|job| need(job, d_f)), capacity(d_f)),
        NodeRule::BestFitMax | NodeRule::WorstFitMax => Ratio(max(&|job| rigid(job, d_r)), capacity(d_r)),
        NodeRule::BestFitSum | NodeRule::WorstFitSum => Ratio(sum(&|job| rigid(job, d_r)), capacity(d_r)),
        NodeRule::FirstFit => Ratio(0, 1),
        NodeRule::LeastTotalNeeds => relative_total(instance, here, node, instance.fixed, &need),
        NodeRule::BestFitTotal | NodeRule::WorstFitTotal => relative_total(instance, here, node, 0, &rigid),
    }
}

/// Returns the sum over the jobs and over the dimensions from `first` on. If nodes differ, each
/// dimension is relative to the node's capacity and rounded down to 2^-40 of it, and at most 2^63 -
/// 1 of these units count.
fn relative_total(
    instance: &Instance,
    here: &[usize],
    node: usize,
    first: usize,
    amount: &dyn Fn(usize, usize) -> u128,
) -> Ratio {
    let most = u128::from(i64::MAX.unsigned_abs());
    let of = |d: usize| -> u128 {
        let sum = here.iter().map(|&job| amount(job, d)).sum::<u128>();
        if instance.is_homogeneous() || sum == 0 {
            return sum;
        }
        (sum << 40).checked_div(u128::from(instance.nodes[node][d]) << 20).unwrap_or(most)
    };
    Ratio((first..instance.dimensions()).map(of).sum::<u128>().min(most), 1)
}

/// Returns the nodes that can hold the job, in the order of preference.
fn candidates(instance: &Instance, nodes: &[Vec<usize>], job: usize, rule: NodeRule) -> Vec<usize> {
    let mut fitting: Vec<usize> =
        (0..nodes.len()).filter(|&node| holds(instance, &nodes[node], job, node)).collect();
    let load = |node: usize| load(instance, &nodes[node], job, node, rule);
    fitting.sort_by(|&a, &b| match rule {
        NodeRule::BestFitMax | NodeRule::BestFitSum | NodeRule::BestFitTotal => load(b).compare(load(a)),
        _ => load(a).compare(load(b)),
    });
    fitting
}

fn mapping(instance: &Instance, nodes: &[Vec<usize>]) -> Mapping {
    let placement = |job: usize| {
        let counts = nodes.iter().map(|here| here.iter().filter(|&&other| other == job).count() as u32);
        let on = (0..).zip(counts).filter(|&(_, tasks)| tasks > 0);
        on.map(|(node, tasks)| NodeTasks { node: NodeId(node), tasks }).collect()
    };
    (0..instance.jobs.len()).map(placement).collect()
}

fn pass(instance: &Instance, order: SortOrder, rule: NodeRule, seed: Seed) -> Option<Mapping> {
    let mut nodes = vec![Vec::new(); instance.nodes.len()];
    for job in sorted(instance, order, seed) {
        let node = *candidates(instance, &nodes, job, rule).first()?;
        nodes[node].push(job);
    }
    Some(mapping(instance, &nodes))
}

/// Backtracks depth first; returns whether all tasks were placed before everything was tried or
/// `left` was used up.
fn backtrack(instance: &Instance, tasks: &[usize], nodes: &mut Vec<Vec<usize>>, left: &mut u64) -> bool {
    let Some((&job, others)) = tasks.split_first() else { return true };
    for node in candidates(instance, nodes, job, NodeRule::LeastSumNeeds) {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        nodes[node].push(job);
        if backtrack(instance, others, nodes, left) {
            return true;
        }
        nodes[node].pop();
    }
    false
}

/// Searches for the largest yield at which everything fits: the sum must not exceed the capacity,
/// and increases with the yield.
fn searched_yield(instance: &Instance, mapping: &Mapping) -> Option<Yield> {
    let fits = |units: u32| {
        (0..instance.nodes.len()).all(|node| {
            (0..instance.dimensions()).all(|d| {
                let taken = |(job, placement): (usize, &Vec<NodeTasks>)| -> u128 {
                    let here = placement.iter().filter(|at| at.node.index() == node);
                    let tasks: u128 = here.map(|at| u128::from(at.tasks)).sum();
                    let rigid = rigid(instance, job, d);
                    let elastic = (u128::from(instance.jobs[job].demand[d]) << 20) - rigid;
                    tasks * ((rigid << 20) + elastic * u128::from(units))
                };
                let sum: u128 = mapping.iter().enumerate().map(taken).sum();
                sum <= u128::from(instance.nodes[node][d]) << 40
            })
        })
    };
    let (mut low, mut high) = (fits(0).then_some(0)?, Yield::ONE.units() + 1);
    while high - low > 1 {
        let middle = u32::midpoint(low, high);
        if fits(middle) { low = middle } else { high = middle }
    }
    Yield::try_from_units(low)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(400)))]

    #[test]
    fn passes_are_as_defined(instance in instance(3), seed: u64) {
        let seed = Seed::new(seed);
        let mut best: Option<(Yield, Mapping)> = None;
        for order in SortOrder::OF_THE_DISSERTATION {
            for rule in NodeRule::OF_THE_DISSERTATION {
                let expected = pass(&instance, order, rule, seed);
                let outcome = Greedy::Pass(order, rule).solve_as(PRINTED, &instance, seed, 0);
                let found = outcome.solved().map(|solved| &solved.mapping);
                prop_assert_eq!(found, expected.as_ref(), "{:?} {:?}", order, rule);
                let minimum = expected.as_ref().map(|mapping| searched_yield(&instance, mapping).unwrap());
                prop_assert_eq!(outcome.minimum_yield(), minimum);
                if let (Some(minimum), Some(mapping)) = (minimum, expected)
                    && best.as_ref().is_none_or(|(best, _)| minimum > *best)
                {
                    best = Some((minimum, mapping));
                }
            }
        }
        for (printed, simulated) in NodeRule::OF_THE_DISSERTATION.into_iter().zip(SIMULATED) {
            let outcome = Greedy::Pass(SortOrder::SumRigid, printed).solve_as(
                Interpretation { rules: NodeRules::Simulated, ..Interpretation::default() }, &instance, seed, 0);
            let expected = pass(&instance, SortOrder::SumRigid, simulated, seed);
            prop_assert_eq!(outcome.solved().map(|solved| &solved.mapping), expected.as_ref(), "{:?}", simulated);
        }
        let outcome = Greedy::Best.solve_as(PRINTED, &instance, seed, 0);
        prop_assert_eq!(outcome.solved().map(|solved| (solved.minimum_yield, solved.mapping.clone())), best);
        let light = greedy::light(NodeRules::Published).into_iter().find_map(|(order, rule)| pass(&instance, order, rule, seed));
        prop_assert_eq!(Greedy::Light.solve_as(PRINTED, &instance, seed, 0).solved().map(|solved| solved.mapping.clone()), light);
        let passes = greedy::light(NodeRules::Published).map(|(order, rule)| Greedy::Pass(order, rule).solve_as(PRINTED, &instance, seed, 0));
        let best = passes.iter().filter_map(Outcome::minimum_yield).max();
        let readings = Interpretation { light: Light::Best, ..PRINTED };
        prop_assert_eq!(Greedy::Light.solve_as(readings, &instance, seed, 0).minimum_yield(), best);
    }

    #[test]
    fn rr_6692s_algorithms_are_as_defined(instance in instance(3), bound in prop_oneof![0..40_u64, Just(PLACEMENTS)]) {
        let seed = Seed::new(0);
        for sorted_first in [false, true] {
            let order = if sorted_first { SortOrder::MaxFixed } else { SortOrder::Given };
            let rr = Greedy::Rr { sorted: sorted_first }.solve(&instance, seed, 0);
            let expected = pass(&instance, order, NodeRule::LeastSumNeeds, seed);
            prop_assert_eq!(rr.solved().map(|solved| &solved.mapping), expected.as_ref());

            let mut nodes = vec![Vec::new(); instance.nodes.len()];
            let found = backtrack(&instance, &sorted(&instance, order, seed), &mut nodes, &mut bound.clone());
            let outcome = Greedy::Backtracking { sorted: sorted_first }.solve(&instance, seed, bound);
            let expected_here = found.then(|| mapping(&instance, &nodes));
            prop_assert_eq!(outcome.solved().map(|solved| solved.mapping.clone()), expected_here);
            // No instance here has more than 39 tasks.
            if expected.is_some() && bound >= 39 {
                prop_assert!(found, "a pass that succeeds needs no backtracking");
            }
        }
    }

    #[test]
    fn the_minimum_yield_is_the_largest_that_fits(
        (instance, places) in instance(3).prop_flat_map(|instance| {
            let place = 0..instance.nodes.len();
            let tasks = instance.jobs.iter().map(|job| job.tasks as usize).sum::<usize>();
            (Just(instance), prop::collection::vec(place, tasks))
        })
    ) {
        let mut nodes = vec![Vec::new(); instance.nodes.len()];
        for (job, place) in sorted(&instance, SortOrder::Given, Seed::new(0)).into_iter().zip(places) {
            nodes[place].push(job);
        }
        let mapping = mapping(&instance, &nodes);
        prop_assert_eq!(minimum_yield(&instance, &mapping), searched_yield(&instance, &mapping));
    }
}

/// Checks passes on the instances of the studies, with trees of more than a few nodes.
#[test]
fn passes_of_the_studies_are_as_defined() {
    let seed = Seed::new(3);
    let mut failed = 0;
    for (set, scenario) in [
        (InstanceSet::Dissertation, 70),
        (InstanceSet::Dissertation, 190),
        (InstanceSet::Dissertation, 245),
        (InstanceSet::Rr6692Parallel, 1),
        (InstanceSet::Rr6692Parallel, 13),
    ] {
        let instance = set.instance(seed, scenario, 0).unwrap();
        for algorithm in Greedy::all() {
            let Greedy::Pass(order, rule) = algorithm else { continue };
            let expected = pass(&instance, order, rule, seed);
            failed += u32::from(expected.is_none());
            let found = algorithm.solve_as(PRINTED, &instance, seed, 0);
            assert_eq!(found.solved().map(|solved| solved.mapping.clone()), expected, "{algorithm}");
        }
    }
    assert!((1..200).contains(&failed), "{failed} of 245 passes fail");
}

/// Two nodes; memory and CPU of 0.5/0.2, 0.5/0.4, 0.4/0.6, 0.4/0.2 in the order of the instance.
///
/// GR places job 0 on node 0, job 1 on node 1 (load 0 instead of 0.2), job 2 on node 0 (0.2 instead
/// of 0.4), and job 3 on node 1, which has the smaller load (0.4 instead of 0.8) and sufficient
/// memory. All CPU fits: a yield of 1.
///
/// P7 in the order S2 (2, 1, 0, 3, by CPU) places 2 and 1 on node 0 (memory 0.9, CPU 1.0), and 0 and
/// 3 on node 1: a yield of 1.
///
/// P4 (best fit by sum of memory), in the order S4 (0, 1, 2, 3), places 0 and 1 on node 0, which is
/// full, and 2 and 3 on node 1.
#[test]
fn four_jobs_by_hand() {
    let tenth = Share::ONE.units() / 10;
    let jobs = [(5, 2), (5, 4), (4, 6), (4, 2)].map(|(memory, cpu)| OfflineJob {
        tasks: 1,
        demand: [memory * tenth, cpu * tenth].into(),
        least_yield: Yield::ZERO,
    });
    let node: Box<[u32]> = [Share::ONE.units(); 2].into();
    let instance = Instance { fixed: 1, fluid: 1, nodes: vec![node.clone(), node], jobs: jobs.into() };
    let places = |greedy: Greedy| -> Vec<u32> {
        let Outcome::Solved(solved) = greedy.solve(&instance, Seed::new(1), 0) else { panic!("{greedy}") };
        assert_eq!(solved.minimum_yield, Yield::ONE, "{greedy}");
        solved.mapping.iter().map(|placement| placement[0].node.0).collect()
    };
    assert_eq!(places(Greedy::Rr { sorted: false }), [0, 1, 0, 1]);
    assert_eq!(places(Greedy::Pass(SortOrder::MaxNeed, NodeRule::FirstFit)), [1, 0, 0, 1]);
    assert_eq!(places(Greedy::Pass(SortOrder::MaxRigid, NodeRule::BestFitSum)), [0, 0, 1, 1]);
}

/// Memory of 0.3, 0.3, 0.4 and 1 on two nodes, with equal CPU. GR places the first two on both
/// nodes, and no node is empty for the last one. GB places jobs 0, 1, 2 on nodes 0, 1, 0 (three
/// placements), then job 2 on node 1 (4), job 1 on node 0 (5) with job 2 on the emptier node 1 (6),
/// then on node 0 (7), and job 3 on node 1 (8).
#[test]
fn backtracking_finds_what_a_pass_misses_with_eight_placements() {
    let instance = memories(&[3, 3, 4, 10]);
    let (gr, gb) = (Greedy::Rr { sorted: false }, Greedy::Backtracking { sorted: false });
    assert_eq!(gr.solve(&instance, Seed::new(1), 0), Outcome::Failed);
    assert_eq!(gb.solve(&instance, Seed::new(1), 7), Outcome::Failed);
    let Outcome::Solved(solved) = gb.solve(&instance, Seed::new(1), 8) else { panic!("eight are enough") };
    let places: Vec<u32> = solved.mapping.iter().map(|placement| placement[0].node.0).collect();
    assert_eq!(places, [0, 0, 0, 1]);
}

/// No two of 0.5, 0.6 and 0.6 fit together, so two nodes cannot hold them.
#[test]
fn backtracking_ends_where_no_solution_exists() {
    for sorted in [false, true] {
        let gb = Greedy::Backtracking { sorted };
        assert_eq!(gb.solve(&memories(&[5, 6, 6]), Seed::new(1), u64::MAX), Outcome::Failed);
    }
}

/// Creates jobs with this many tenths of memory and a tenth of CPU, on two nodes.
fn memories(tenths: &[u32]) -> Instance {
    let tenth = Share::ONE.units() / 10;
    let job = |&memory: &u32| OfflineJob {
        tasks: 1,
        demand: [memory * tenth, tenth].into(),
        least_yield: Yield::ZERO,
    };
    let nodes = vec![[Share::ONE.units(); 2].into(); 2];
    Instance { fixed: 1, fluid: 1, nodes, jobs: tenths.iter().map(job).collect() }
}

/// Checks all solutions and their claimed yields with a checker that is independent of the
/// algorithms.
#[test]
fn solutions_pass_the_audit() {
    let settings = Settings { placements: 10_000, ..Settings::new(Seed::new(1)) };
    // The others, especially those based on linear programs, take too long for so many instances of
    // all sizes.
    let fast = || {
        Algorithm::all().filter(|algorithm| matches!(algorithm, Algorithm::Greedy(_) | Algorithm::Vector(_)))
    };
    let mut solved = 0;
    for &set in InstanceSet::ALL {
        for scenario in (0..set.scenarios().len() as u32).step_by(53) {
            let instance = set.instance(Seed::new(1), scenario, 0).unwrap();
            for algorithm in fast() {
                if let Outcome::Solved(found) = algorithm.solve(&instance, &settings) {
                    let faults = check_minimum_yield(&instance, &found.mapping, found.minimum_yield);
                    assert_eq!(faults, [], "{algorithm} on scenario {scenario} of {set}");
                    // The rounding of a yield between 1/2 and 1 may hide one more unit, but not two.
                    if let Some(above) = Yield::try_from_units(found.minimum_yield.units() + 2) {
                        let faults = check_minimum_yield(&instance, &found.mapping, above);
                        assert!(!faults.is_empty(), "{algorithm} could claim more");
                    }
                    solved += 1;
                }
            }
        }
    }
    assert!(solved > 500, "{solved} solutions");
}
