//! Tests mappings derived by hand.

use dfrsim_model::{NodeId, NodeTasks, Share, Yield};
use dfrsim_packing::mcb::{DropRule, Mapping, Mcb, McbOptions, PackJob, Packing};

/// Creates a job; need and memory are in tenths.
fn job(sequence: u64, tasks: u32, need: u64, memory: u64) -> PackJob<'static> {
    let tenths = |part| Share::from_ratio(part, 10);
    PackJob { tasks, need: tenths(need), memory: tenths(memory), sequence, pinned: None, size: None }
}

fn options(packing: Packing, drop: DropRule) -> McbOptions {
    McbOptions { packing, drop, ..McbOptions::default() }
}

/// Returns the tasks of a job as (node, tasks).
fn at(mapping: &Mapping, job: usize) -> Vec<(u32, u32)> {
    mapping.placement(job).iter().map(|part| (part.node.0, part.tasks)).collect()
}

/// Two nodes; A has two tasks (CPU 0.5, memory 0.1), B two (0.1, 0.5) and C two (0.4, 0.4). The
/// needs sum to 2.0, so the yield may be 1.
///
/// One list: A and B tie on (0.5, 0.1) and are ordered by submission: A A B B C C. Node 0 takes both
/// tasks of A (CPU 1.0, memory 0.2) and then no other, as all others need CPU. Node 1 takes both
/// tasks of B (0.2, 1.0). C does not fit: yield 1 fails, 0.01 succeeds, and bisection searches
/// between them. The memory needs sum to 2.0, so both nodes must be filled completely: only {A, B,
/// C} twice (0.1 + 0.5 + 0.4) does that, or B B and A A C C. Below a yield of 1 the list begins with
/// B B, followed by A or C. Node 0: B B, memory full. Node 1: A A C C in any order (memory 1.0, CPU
/// 1.8 y). The packing therefore succeeds exactly if B B come first and 1.8 y <= 1. Probes between
/// 0.01 (success) and 1 (failure), that is 10,485 and 1,048,576 units: 529,530 (0.505) succeeds,
/// 789,053 (0.7525) fails, 659,291 (0.6288) fails, 594,410 (0.5669) fails, 561,970 (0.5359)
/// succeeds, 578,190 (0.5514) succeeds; 594,410 - 578,190 = 16,220 is above 0.01 (10,485), so
/// 586,300 (0.5591) is tried and fails; 586,300 - 578,190 = 8,110 ends the search.
///
/// Two lists: the memory list is B B C C, the CPU list A A. Node 0 (balanced) takes B, then (CPU 0.1
/// < memory 0.5) A, is balanced at (0.6, 0.6), and takes C: full at (1.0, 1.0). Node 1 is filled
/// equally. The yield is 1.
#[test]
fn one_list_fills_where_two_balance() {
    let jobs = [job(0, 2, 5, 1), job(1, 2, 1, 5), job(2, 2, 4, 4)];

    let mut mcb = Mcb::new(2, options(Packing::ChoosePack, DropRule::Prefix));
    let mapping = mcb.map(&jobs);
    assert_eq!(mapping.value().units(), 578_190);
    assert_eq!(at(&mapping, 0), [(1, 2)]);
    assert_eq!(at(&mapping, 1), [(0, 2)]);
    assert_eq!(at(&mapping, 2), [(1, 2)]);

    let mut mcb = Mcb::new(2, options(Packing::TwoLists, DropRule::Prefix));
    let mapping = mcb.map(&jobs);
    assert_eq!(mapping.value(), Yield::ONE);
    for index in 0..3 {
        assert_eq!(at(&mapping, index), [(0, 1), (1, 1)]);
    }
}

/// One node and four jobs in the order of priority A, B, C, D, with memory 0.5, 0.6, 0.6 and 0.5.
/// Prefix: D, C and B are dropped, A stays. Skip then tries B (does not fit), C (does not fit) and D
/// (fits).
#[test]
fn skip_keeps_a_later_job_that_fits() {
    let jobs = [job(0, 1, 10, 5), job(1, 1, 10, 6), job(2, 1, 10, 6), job(3, 1, 10, 5)];
    let kept = |drop| {
        let mut mcb = Mcb::new(1, options(Packing::ChoosePack, drop));
        let mapping = mcb.map(&jobs);
        (mapping.value(), [0, 1, 2, 3].map(|job| mapping.is_kept(job)))
    };
    assert_eq!(kept(DropRule::Prefix), (Yield::ONE, [true, false, false, false]));
    assert_eq!(kept(DropRule::Skip), (Yield::from_ratio(1, 2), [true, false, false, true]));
}

/// Packs three equal tasks of three jobs, with need 1 and memory 0.4, on two nodes. The upper bound
/// is a yield of 2/3, at which no two tasks fit on one node; the optimum is 0.5. Equal tasks are
/// ordered by submission, not by priority: node 0 takes jobs 0 and 1 of the submission order, which
/// are passed last.
#[test]
fn equal_tasks_are_ordered_by_submission() {
    let jobs = [job(2, 1, 10, 4), job(1, 1, 10, 4), job(0, 1, 10, 4)];
    for packing in [Packing::ChoosePack, Packing::TwoLists] {
        let mut mcb = Mcb::new(2, options(packing, DropRule::Prefix));
        let mapping = mcb.map(&jobs);
        assert!(mapping.value() <= Yield::from_ratio(1, 2));
        assert!(mapping.value().as_f64() > 0.49);
        assert_eq!([at(&mapping, 2), at(&mapping, 1), at(&mapping, 0)], [[(0, 1)], [(0, 1)], [(1, 1)]]);
    }
}

/// Packs three tasks that each fill a node in CPU or memory on three nodes. At yield 1 all tasks
/// have the maximum 1 and the minimum 0.5 (A and C need the CPU, B the memory), so that they are
/// ordered by submission: A, B, C, regardless of other similarities.
#[test]
fn tasks_that_mirror_each_other_are_ordered_by_submission() {
    let jobs = [job(1, 1, 5, 10), job(2, 1, 10, 5), job(0, 1, 10, 5)];
    let mut mcb = Mcb::new(3, options(Packing::ChoosePack, DropRule::Prefix));
    let mapping = mcb.map(&jobs);
    assert_eq!(mapping.value(), Yield::ONE);
    assert_eq!([at(&mapping, 2), at(&mapping, 0), at(&mapping, 1)], [[(0, 1)], [(1, 1)], [(2, 1)]]);
}

/// A pinned task with memory 0.6 is on node 0 of two. Two free tasks with memory 0.5 do not fit
/// there and share node 1. With a third one, the job of lowest priority is dropped, which may be the
/// pinned one.
#[test]
fn pinned_tasks_stay_or_leave() {
    let placed = [NodeTasks { node: NodeId(0), tasks: 1 }];
    let pinned = PackJob { pinned: Some(&placed), ..job(0, 1, 5, 6) };
    let mut mcb = Mcb::new(2, McbOptions::default());

    let jobs = [pinned, job(1, 2, 5, 5)];
    let mapping = mcb.map(&jobs);
    assert_eq!(mapping.value(), Yield::ONE);
    assert_eq!((at(&mapping, 0), at(&mapping, 1)), (vec![(0, 1)], vec![(1, 2)]));

    let jobs = [job(1, 3, 5, 5), pinned];
    let mapping = mcb.map(&jobs);
    assert!(!mapping.is_kept(1) && mapping.placement(1).is_empty());
    assert_eq!(at(&mapping, 0), [(0, 2), (1, 1)]);
}

/// Pins two tasks of need 1 to one node of two: the upper bound is yield 1, but the node allows only
/// 0.5.
#[test]
fn a_node_over_committed_by_pinned_tasks_fails_the_probe() {
    let placed = [NodeTasks { node: NodeId(1), tasks: 2 }];
    let jobs = [PackJob { pinned: Some(&placed), ..job(0, 2, 10, 1) }];
    let mut mcb = Mcb::new(2, McbOptions::default());
    let value = mcb.map(&jobs).value();
    assert!(value <= Yield::from_ratio(1, 2) && value.as_f64() > 0.49, "{value}");
}

/// Drops a job with three tasks on two nodes, each of which needs more than half of a node's memory.
#[test]
fn an_oversized_job_is_not_kept() {
    let mut mcb = Mcb::new(2, McbOptions::default());
    let jobs = [job(0, 3, 1, 6)];
    let mapping = mcb.map(&jobs);
    assert_eq!((mapping.is_kept(0), mapping.value()), (false, Yield::ONE));
    assert_eq!(mcb.map(&[]).value(), Yield::ONE);
}

/// Packs two jobs of one task (need 1, memory 0.1) on one node; the yield of job 0 is the target,
/// that of job 1 twice the target. Three times the target fits on one node: 1/3, minus the
/// precision. Above 1/2 job 1 has no yield.
#[test]
fn each_job_has_its_yield_at_the_target() {
    let jobs = [job(0, 1, 10, 1), job(1, 1, 10, 1)];
    let mut mcb = Mcb::new(1, McbOptions::default());
    let yield_at = |job: usize, target: Yield| Yield::try_from_units(target.units() << job);
    let mapping = mcb.map_by(&jobs, Yield::from_ratio(1, 100), Yield::ONE, yield_at);
    assert!(
        mapping.value() <= Yield::from_ratio(1, 3) && mapping.value().as_f64() > 0.32,
        "{}",
        mapping.value()
    );
    assert_eq!((at(&mapping, 0), at(&mapping, 1)), (vec![(0, 1)], vec![(0, 1)]));
}

/// Two nodes and four jobs of one task that could each use a whole node, with weights 1, 1, 3 and 1.
/// A and B have 0.6 of the memory, C and D 0.4. At level y the needs are y, y, min(1, 3 y), y. They
/// sum to at most 2 for y = 1/3, which is 349,525 units, where C has 1,048,575 of 1,048,576.
///
/// In the order of decreasing maximum of CPU and memory C comes first, then A, B (memory), D. Node 0
/// takes C and no other, as all need more CPU than the one unit that C leaves. Node 1 takes A, then
/// D (memory 1.0); B does not fit, so 1/3 fails. At 0.01 both nodes take A and B first, then C and
/// D: success. The search starts with 10,485 and 349,525. At 180,005, A, C and B, D are packed by
/// memory, and 0.17 + 0.51 <= 1: success. At 264,765, C has 0.7575 and comes first; A fits with it
/// in memory, but not in CPU (0.7575 + 0.2525 = 1.01), and neither does D, which needs 0.2525 too. C
/// is alone, A and D are on node 1, and B does not fit: failure. At 222,385 (0.2121, C 0.6362), C
/// still comes first, A joins it, B and D are on node 1: success. 243,575 (0.2323; 0.9292 together)
/// succeeds, and so does 254,170 (0.2424; 0.9696). 264,765 - 254,170 = 10,595 is above 10,485, so
/// 259,467 (0.2474; 0.9898) is tried and succeeds.
#[test]
fn yields_are_packed_in_proportion_to_weights() {
    let jobs = [job(0, 1, 10, 6), job(1, 1, 10, 6), job(2, 1, 10, 4), job(3, 1, 10, 4)];
    let mut mcb = Mcb::new(2, options(Packing::ChoosePack, DropRule::Prefix));
    let mapping = mcb.map_weighted(&jobs, &[1, 1, 3, 1]);
    assert_eq!(mapping.value().units(), 259_467);
    assert_eq!([0, 1, 2, 3].map(|job| at(&mapping, job)), [[(0, 1)], [(1, 1)], [(0, 1)], [(1, 1)]]);
    // Doubling all weights changes nothing.
    assert_eq!(mcb.map_weighted(&jobs, &[2, 2, 6, 2]).value().units(), 259_467);
    // Equal weights give each job half of a node.
    assert_eq!(mcb.map_weighted(&jobs, &[3; 4]).value(), Yield::from_ratio(1, 2));
}

/// Two nodes, four tasks of weight 100 that could each use a node, and one task of weight 1. With
/// that one, the four would reach full speed at a level of 0.01, for which the capacity does not
/// suffice. Alone, their yield is the level: 1/2, as four tasks share two nodes.
#[test]
fn weights_of_jobs_that_are_left_out_do_not_count() {
    let jobs = [job(0, 4, 10, 1), job(1, 1, 10, 1)];
    let mut mcb = Mcb::new(2, options(Packing::ChoosePack, DropRule::Prefix));
    let mapping = mcb.map_weighted(&jobs, &[100, 1]);
    assert!(mapping.is_kept(0) && !mapping.is_kept(1));
    assert_eq!(mapping.value(), Yield::from_ratio(1, 2));
}
