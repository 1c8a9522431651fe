//! Tests cases small enough to derive by hand.

use dfrsim_model::offline::{Instance, OfflineJob, Solved};
use dfrsim_model::{NodeId, NodeTasks, Share, Yield};
use dfrsim_vector_packing::vector::{Algorithm, ListOrder, Options, Probes, VectorPacking, search};

const TENTH: u32 = Share::ONE.units() / 10;

/// Creates jobs of one task with demands in tenths of a node, on this many ordinary nodes.
fn instance<const D: usize>(fixed: usize, nodes: usize, jobs: &[[u32; D]]) -> Instance {
    let job = |tenths: &[u32; D]| OfflineJob {
        tasks: 1,
        demand: tenths.map(|tenths| tenths * TENTH).into(),
        least_yield: Yield::ZERO,
    };
    Instance {
        fixed,
        fluid: D - fixed,
        nodes: vec![[Share::ONE.units(); D].into(); nodes],
        jobs: jobs.iter().map(job).collect(),
    }
}

fn solve(name: &str, instance: &Instance) -> Option<Solved> {
    let algorithm: Algorithm = name.parse().unwrap();
    let options = Options { probes: Probes::EndsFirst, lists: ListOrder::ByRank, ..Options::default() };
    VectorPacking::new(algorithm, options).solve(instance).unwrap()
}

/// Returns the nodes of one-task jobs.
fn nodes(solution: &Solved) -> Vec<u32> {
    solution.mapping.iter().map(|placement| placement[0].node.0).collect()
}

/// Jobs have memory 4, 4, 6, 6 and CPU 1, 1, 1, 1 in tenths: all run at full speed, so each rule is
/// tried once. By decreasing sum the two of six come first, and each is followed by one of four if
/// the node is chosen by free capacity.
#[test]
fn first_fit_and_best_fit_fill_two_nodes() {
    let instance = instance(1, 2, &[[4, 1], [4, 1], [6, 1], [6, 1]]);
    for name in ["VP_FFSUM", "VP_BFSUM", "VP_FFLEX", "VP_CPMAX", "VP_PPMAX", "MCB8"] {
        let solution = solve(name, &instance).unwrap();
        assert_eq!(nodes(&solution), [0, 1, 0, 1], "{name}");
        assert_eq!(solution.minimum_yield, Yield::ONE, "{name}");
    }
    // MCB4 sorts by ascending maximum: the two of four fill node 0 up to 8, and only one of six fits
    // on node 1: no packing at any yield.
    assert_eq!(solve("MCB4", &instance), None);
}

/// Requirements in two dimensions, in tenths (and no need): A (6, 2), B (5, 5), C (2, 4), D (4, 2);
/// three nodes.
///
/// * First Fit by sum (B 10, A 8, C 6, D 6): B goes to 0; A does not fit there (11), so it goes to
///   1; C (7, 9) goes to 0; D does not fit on 0 (11), but on 1 (10, 4).
/// * Best Fit: B goes to 0, A to 1. C fits on both, and node 0 has the larger load (10 instead of
///   8): as with First Fit. D goes to 1.
/// * Permutation Pack has B, A, D in list 0 (the first dimension is larger; equal sizes, as for B,
///   count for the lower one), and C in list 1. Node 0 is balanced: list 0, B. It is balanced again
///   (5, 5): list 0, A does not fit, D does (9, 7). Dimension 1 is less loaded: list 1, C does not
///   fit (11), and neither does A. Node 1: A (6, 2), then list 1: C (8, 6).
#[test]
fn permutation_pack_differs_from_choose_pack() {
    let with_need = |[a, b]: [u32; 2]| [a, b, 0];
    let two = [[6, 2], [5, 5], [2, 4], [4, 2]];
    let fixed = instance(2, 3, &two.map(with_need));
    for name in ["VP_FFSUM", "VP_BFSUM"] {
        assert_eq!(nodes(&solve(name, &fixed).unwrap()), [1, 0, 0, 1], "{name}");
    }
    // Fluid needs at full yield change nothing: two resources, two lists or one.
    let fluid = instance(1, 3, &two);
    assert_eq!(nodes(&solve("VP_CPSUM", &fluid).unwrap()), [1, 0, 0, 1]);
    assert_eq!(nodes(&solve("VP_PPSUM", &fluid).unwrap()), [1, 0, 1, 0]);
    assert_eq!(nodes(&solve("MCB5", &fluid).unwrap()), [1, 0, 1, 0]);
}

/// Three resources, requirements in tenths: P (5, 3, 1) is in the list (0, 1), Q (1, 3, 5) in (2,
/// 1), R (3, 5, 1) in (1, 0), S (4, 1, 3) in (0, 2). All have full yield.
///
/// A node with P has loads (5, 3, 1): ranks 2, 1, 0. Permutation Pack tries (2, 1) first and finds
/// Q: (6, 6, 6). R and S each need at most 5, and only S fits (10, 7, 9); R needs (9, 11, ...) and
/// goes to node 1. Choose Pack has {0, 1}: P, R by sum and index; {1, 2}: Q; {0, 2}: S. The empty
/// node has ranks 0, 1, 2: {0, 1}, P; then {2, 1}, Q; loads are equal (6, 6, 6): {0, 1}, R does not
/// fit; {0, 2}, S.
#[test]
fn lists_are_tried_in_the_order_of_ranks() {
    let instance = instance(2, 2, &[[5, 3, 1], [1, 3, 5], [3, 5, 1], [4, 1, 3]]);
    for name in ["VP_PPSUM", "VP_CPSUM"] {
        assert_eq!(nodes(&solve(name, &instance).unwrap()), [0, 0, 1, 0], "{name}");
    }
    // First Fit by sum has the order P, Q, R (9 each), S (8): P and Q go to 0, R to 1, S to 0 as
    // well. By decreasing first dimension, P and S go to 0 (9, 4, 4), then R to 1, and Q to 0 (10,
    // 7, 9).
    assert_eq!(nodes(&solve("VP_FFLEX", &instance).unwrap()), [0, 0, 1, 0]);
}

/// One node has CPU 1, another 2; two jobs need 1 and one has two tasks that need 1/2 each: a sum of
/// 3 on 3. By sum the single tasks come first: one on each node. Node 0 is full, both others go to
/// node 1, and all have full yield. A third node without capacity changes nothing.
#[test]
fn nodes_may_differ() {
    let one = Share::ONE.units();
    let job = |tasks, need| OfflineJob { tasks, demand: [need].into(), least_yield: Yield::ZERO };
    let instance = Instance {
        fixed: 0,
        fluid: 1,
        nodes: vec![[one].into(), [2 * one].into(), [0].into()],
        jobs: vec![job(2, one / 2), job(1, one), job(1, one)],
    };
    for algorithm in Algorithm::ALL[..14].iter().copied().chain([Algorithm::EJECT]) {
        let solution = solve(algorithm.name(), &instance).unwrap();
        assert_eq!(solution.minimum_yield, Yield::ONE, "{algorithm}");
    }
    let on = |node, tasks| NodeTasks { node: NodeId(node), tasks };
    assert_eq!(
        solve("VP_FFSUM", &instance).unwrap().mapping,
        [vec![on(1, 2)], vec![on(0, 1)], vec![on(1, 1)]]
    );
}

/// Two jobs that each need a whole node are on one node, and one of them has a least yield of a
/// half: 1/2 + y/2 + y <= 1 gives 1/3. If both have that, only 0 is left; three such jobs have no
/// mapping.
#[test]
fn least_yields_are_kept() {
    let one = Share::ONE.units();
    let job = |least_yield| OfflineJob { tasks: 1, demand: [one].into(), least_yield };
    let half = Yield::from_ratio(1, 2);
    let of = |jobs| Instance { fixed: 0, fluid: 1, nodes: vec![[one].into()], jobs };
    let third = solve("VP_CPSUM", &of(vec![job(Yield::ZERO), job(half)])).unwrap();
    assert_eq!(third.minimum_yield, Yield::from_ratio(1, 3));
    let zero = solve("VP_CPSUM", &of(vec![job(half), job(half)])).unwrap();
    assert_eq!(zero.minimum_yield, Yield::ZERO);
    assert_eq!(solve("VP_CPSUM", &of(vec![job(half); 3])), None);
    // A requirement larger than a node: no mapping, regardless of the sums.
    let large = Instance {
        nodes: vec![[one].into(); 2],
        fixed: 1,
        fluid: 0,
        jobs: vec![OfflineJob { demand: [one + 1].into(), ..job(half) }],
    };
    assert_eq!(solve("VP_CPSUM", &large), None);
}

/// Memory in tenths on two nodes. By decreasing size First Fit packs 5, 5 and 4, 3, 3. From 4, 4, 3,
/// 3, 3, 3 it puts 4, 4 on node 0 and 3, 3, 3 on node 1, and a 3 remains. Ejections solve this: a 3
/// replaces a 4, which then fits only in the place of another 3, and so on until each node has 4, 3,
/// 3. No ejection helps with 5, 4, 4, 4, 3: 20 tenths in total, but no subset of them sums to 10.
#[test]
fn ejection_mends_what_first_fit_leaves() {
    let one_dimension = |tenths: &[u32]| {
        let jobs: Vec<[u32; 2]> = tenths.iter().map(|&tenths| [tenths, 0]).collect();
        instance(1, 2, &jobs)
    };
    assert!(solve("VP_EJECT", &one_dimension(&[5, 5, 4, 3, 3])).is_some());
    let mended = one_dimension(&[4, 4, 3, 3, 3, 3]);
    assert_eq!(solve("VP_FFSUM", &mended), None);
    assert!(solve("VP_EJECT", &mended).is_some());
    assert_eq!(solve("VP_EJECT", &one_dimension(&[5, 4, 4, 4, 3])), None);
}

#[test]
fn more_resources_than_supported_are_an_error() {
    let instance = Instance { fixed: 0, fluid: 33, nodes: vec![vec![1; 33].into()], jobs: Vec::new() };
    let error = VectorPacking::new(Algorithm::EJECT, Options::default()).solve(&instance).unwrap_err();
    assert_eq!(error.to_string(), "an instance with 33 resources: vector packing supports 1 to 32");
}

/// Searches with a predicate that is true only from 0.4 to 0.6, with an upper bound of 1. The ends 1
/// and 0 fail. Halving tries 1/2, which succeeds, then 3/4 and 5/8, which fail; 1/2 and 5/8 differ
/// by one eighth.
#[test]
fn halving_tries_neither_end() {
    let one = instance(0, 1, &[[10]]);
    let probes_of = |probes| {
        let mut tried = Vec::new();
        let found = search(&one, Yield::from_ratio(1, 8), probes, |at| {
            tried.push(at);
            (0.4..=0.6).contains(&at.as_f64())
        });
        (found, tried)
    };
    assert_eq!(probes_of(Probes::EndsFirst), (None, vec![Yield::ONE, Yield::ZERO]));
    let eighths = |number| Yield::from_ratio(number, 8);
    assert_eq!(probes_of(Probes::EndsToo), (Some(eighths(4)), [8, 0, 4, 6, 5].map(eighths).to_vec()));
    assert_eq!(probes_of(Probes::Halving), (Some(eighths(4)), [4, 6, 5].map(eighths).to_vec()));
}
