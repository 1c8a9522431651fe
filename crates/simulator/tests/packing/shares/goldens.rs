//! Tests cases that are solved by hand.

use super::mapping::PERIOD;
use dfrsim_model::{NodeId, NodeTasks, Share, SimSpan, VirtualTime, Yield};
use dfrsim_packing::shares::{SharedJob, Shares, StretchJob};
use dfrsim_packing::{Capacities, TaskSize};
use std::sync::Arc;

fn on<const N: usize>(parts: [(u32, u32); N]) -> [NodeTasks; N] {
    parts.map(|(node, tasks)| NodeTasks { node: NodeId(node), tasks })
}

fn ratio(part: u64, whole: u64) -> Yield {
    Yield::from_ratio(part, whole)
}

/// A is on node 0, B on both nodes, and C has three tasks of need 1/2 on node 1. The loads are 2 and
/// 5/2, so that node 1 stops B and C at 2/5, and A gets the rest of node 0, 3/5.
#[test]
fn three_jobs_on_two_nodes() {
    let (a, b, c) = (on([(0, 1)]), on([(0, 1), (1, 1)]), on([(1, 3)]));
    let jobs = [
        SharedJob { need: Share::ONE, placement: &a, size: None },
        SharedJob { need: Share::ONE, placement: &b, size: None },
        SharedJob { need: Share::from_ratio(1, 2), placement: &c, size: None },
    ];
    let (mut shares, mut yields) = (Shares::new(2), Vec::new());
    assert_eq!(shares.common(&jobs), ratio(2, 5));
    shares.max_min(&jobs, &mut yields);
    assert_eq!(yields, [ratio(3, 5), ratio(2, 5), ratio(2, 5)]);
    shares.max_average(&jobs, &mut yields);
    assert_eq!(yields, [ratio(3, 5), ratio(2, 5), ratio(2, 5)]);
}

/// D has four tasks on node 0 and limits the common yield to 1/4. On nodes 1 and 2, A competes with
/// B and C. The fair yield is one half for all, but each unit that A loses lets B and C gain one
/// each.
#[test]
fn the_largest_average_is_not_fair() {
    let (d, a, b, c) = (on([(0, 4)]), on([(1, 1), (2, 1)]), on([(1, 1)]), on([(2, 1)]));
    let placements: [&[NodeTasks]; 4] = [&d, &a, &b, &c];
    let jobs = placements.map(|placement| SharedJob { need: Share::ONE, placement, size: None });
    let (mut shares, mut yields) = (Shares::new(3), Vec::new());
    shares.max_min(&jobs, &mut yields);
    assert_eq!(yields, [ratio(1, 4), ratio(1, 2), ratio(1, 2), ratio(1, 2)]);
    shares.max_average(&jobs, &mut yields);
    assert_eq!(yields, [ratio(1, 4), ratio(1, 4), ratio(3, 4), ratio(3, 4)]);
}

/// A and B may divide node 1 in any way above the 1/4 that D allows; the earlier job gets the rest.
#[test]
fn among_equal_averages_the_earlier_job_gets_more() {
    let (d, other) = (on([(0, 4)]), on([(1, 1)]));
    let placements: [&[NodeTasks]; 3] = [&other, &d, &other];
    let jobs = placements.map(|placement| SharedJob { need: Share::ONE, placement, size: None });
    let (mut shares, mut yields) = (Shares::new(2), Vec::new());
    shares.max_average(&jobs, &mut yields);
    assert_eq!(yields, [ratio(3, 4), ratio(1, 4), ratio(1, 4)]);
}

/// Computes the yields of two jobs of one task on one node, given as (flow time, virtual time) in
/// seconds, with floors of zero.
fn two_stretched(jobs: [(u64, u64); 2]) -> [Vec<Yield>; 2] {
    let placement = on([(0, 1)]);
    let jobs = jobs.map(|(flow, virtual_time)| StretchJob {
        job: SharedJob { need: Share::ONE, placement: &placement, size: None },
        flow_time: SimSpan::from_secs(flow),
        virtual_time: VirtualTime::of(SimSpan::from_secs(virtual_time)),
        floor: Yield::ZERO,
        weight: 1.0,
    });
    let mut shares = Shares::new(1);
    let mut yields = [Vec::new(), Vec::new()];
    shares.min_max_stretch(&jobs, PERIOD, &mut yields[0]);
    shares.max_average_inverse_stretch(&jobs, PERIOD, &mut yields[1]);
    yields
}

/// The period is 600 s. The inverse stretches are a / 2 and b: they are equal for a = 2/3, b = 1/3,
/// and their sum is largest for b = 1.
#[test]
fn an_older_job_needs_more() {
    let [stretch, average] = two_stretched([(600, 0), (0, 0)]);
    assert_eq!(stretch, [ratio(2, 3), ratio(1, 3)]);
    assert_eq!(average, [Yield::ZERO, Yield::ONE]);
}

/// The inverse stretches are (a + 1/2) / 2 and b: they are equal for a = b = 1/2.
#[test]
fn work_done_counts() {
    let [stretch, _] = two_stretched([(600, 300), (0, 0)]);
    assert_eq!(stretch, [ratio(1, 2), ratio(1, 2)]);
}

/// The inverse stretches are a and (b + 1) / 2. B stays at its floor until A is at 1/2; then b = 2 a
/// - 1, and the node is full for a = 2/3.
#[test]
fn a_job_waits_at_its_floor() {
    let [stretch, _] = two_stretched([(0, 0), (600, 600)]);
    assert_eq!(stretch, [ratio(2, 3), ratio(1, 3)]);
}

/// Keeps all yields at zero under extreme loads, without an overflow.
#[test]
fn absurd_loads_give_no_yield() {
    let crowd = on([(0, u32::MAX)]);
    let few = on([(0, 1)]);
    let mut jobs = vec![SharedJob { need: Share::ONE, placement: &crowd, size: None }; 9];
    jobs.push(SharedJob { need: Share::try_from_units(7).unwrap(), placement: &few, size: None });
    let stretched: Vec<_> = jobs
        .iter()
        .map(|&job| StretchJob {
            job,
            flow_time: SimSpan::from_secs(2_000_000_000),
            virtual_time: VirtualTime::ZERO,
            floor: Yield::ZERO,
            weight: 1.0,
        })
        .collect();
    let (mut shares, mut yields) = (Shares::new(1), Vec::new());
    assert_eq!(shares.common(&jobs), Yield::ZERO);
    shares.max_min(&jobs, &mut yields);
    assert_eq!(yields, [Yield::ZERO; 10]);
    shares.max_average(&jobs, &mut yields);
    assert_eq!(yields[..9], [Yield::ZERO; 9]);
    shares.min_max_stretch(&stretched, SimSpan::ZERO, &mut yields);
    assert_eq!(yields[..9], [Yield::ZERO; 9]);
    shares.max_average_inverse_stretch(&stretched, SimSpan::ZERO, &mut yields);
    assert_eq!(yields[..9], [Yield::ZERO; 9]);
}

/// Jobs that need no CPU, have no tasks placed or run alone get full speed.
#[test]
fn without_contention_every_yield_is_one() {
    let (one, many) = (on([(0, 1)]), on([(0, 1), (1, 4)]));
    let jobs = [
        SharedJob { need: Share::ZERO, placement: &many, size: None },
        SharedJob { need: Share::ONE, placement: &[], size: None },
        SharedJob { need: Share::ONE, placement: &one, size: None },
    ];
    let (mut shares, mut yields) = (Shares::new(2), Vec::new());
    assert_eq!(shares.common(&jobs), Yield::ONE);
    shares.max_min(&jobs, &mut yields);
    assert_eq!(yields, [Yield::ONE; 3]);
    shares.max_average(&jobs, &mut yields);
    assert_eq!(yields, [Yield::ONE; 3]);
    shares.max_min(&[], &mut yields);
    assert_eq!(yields, []);
}

/// A rises at a quarter of the speed of B on node 0. C needs a fifth of the node and reaches full
/// speed. The remaining 4/5 are divided into 4/25 for A and 16/25 for B. The second task of B is
/// alone on node 1.
#[test]
fn weights_are_the_speeds_of_rising() {
    let (a, b, c) = (on([(0, 1)]), on([(0, 1), (1, 1)]), on([(0, 1)]));
    let jobs = [
        SharedJob { need: Share::ONE, placement: &a, size: None },
        SharedJob { need: Share::ONE, placement: &b, size: None },
        SharedJob { need: Share::from_ratio(1, 5), placement: &c, size: None },
    ];
    let mut yields = Vec::new();
    Shares::new(2).weighted_max_min(&jobs, &[1 << 20, 1 << 22, u32::MAX.into()], &mut yields);
    assert_eq!(yields, [ratio(4, 25), ratio(16, 25), Yield::ONE]);
}

/// The second job counts twice: its stretch is the largest until it has 2/3 of the node, and its
/// yield is the more valuable one.
#[test]
fn stretches_and_yields_count_by_weight() {
    let placement = on([(0, 1)]);
    let job = SharedJob { need: Share::ONE, placement: &placement, size: None };
    let stretched = [1.0, 2.0].map(|weight| StretchJob {
        job,
        flow_time: SimSpan::ZERO,
        virtual_time: VirtualTime::ZERO,
        floor: Yield::ZERO,
        weight,
    });
    let (mut shares, mut yields) = (Shares::new(1), Vec::new());
    shares.min_max_stretch(&stretched, PERIOD, &mut yields);
    assert_eq!(yields, [ratio(1, 3), ratio(2, 3)]);
    shares.max_average_inverse_stretch(&stretched, PERIOD, &mut yields);
    assert_eq!(yields, [Yield::ZERO, Yield::ONE]);
    shares.max_weighted_average(&[job; 3], &[1, 2, 1], &mut yields);
    assert_eq!(yields, [ratio(1, 3), ratio(1, 3), ratio(1, 3)], "none is below the common yield");
    let (half, other) = (on([(0, 1)]), on([(0, 1), (1, 1)]));
    let (two, on_each): (_, [&[NodeTasks]; 2]) = (on([(1, 2)]), [&half, &other]);
    let [first, second] = on_each.map(|placement| SharedJob { placement, ..job });
    let third = SharedJob { placement: &two, ..job };
    // Node 1 limits the common level to 1/3 for equal weights; node 0 limits it to 1/7 for the
    // others.
    shares = Shares::new(2);
    shares.weighted_common(&[first, second, third], &[1, 1, 1], &mut yields);
    assert_eq!(yields, [ratio(1, 3); 3]);
    shares.weighted_common(&[first, second, third], &[5, 2, 1], &mut yields);
    assert_eq!(yields, [ratio(5, 7), ratio(2, 7), ratio(1, 7)]);
}

/// Node 0 has CPU 4 and 1 GPU, node 1 has CPU 2. Jobs 0 and 1 need the whole GPU: each gets half of
/// it and uses 1/2 and 1 of the CPU. Job 2, with need 4 there, rises until the CPU is full: (4 -
/// 3/2) / 4. Job 3, with need 3, has node 1 alone: 2/3.
#[test]
fn each_dimension_of_each_node_can_stop_jobs() {
    let cluster = Capacities {
        classes: vec![vec![1, 4, 1], vec![1, 2, 0]],
        wholes: vec![4, 4, 1],
        class_of: vec![0, 1],
        devices: Vec::new(),
        device_groups: Vec::new(),
        devices_are_shared: false,
    };
    let size = |cpu, gpu| TaskSize { used: vec![0, cpu, gpu], ..TaskSize::default() };
    let sizes = [size(1, 1), size(2, 1), size(4, 0), size(3, 0)];
    let nodes = [0, 0, 0, 1].map(|node| on([(node, 1)]));
    let jobs: [SharedJob<'_>; 4] = std::array::from_fn(|job| SharedJob {
        need: Share::ZERO,
        placement: &nodes[job],
        size: Some(&sizes[job]),
    });
    let mut yields = Vec::new();
    let mut shares = Shares::on(Arc::new(cluster));
    shares.max_min(&jobs, &mut yields);
    assert_eq!(yields, [ratio(1, 2), ratio(1, 2), ratio(5, 8), ratio(2, 3)]);
    assert_eq!(shares.common(&jobs), ratio(1, 2));
    // Job 2 has the highest value per unit of CPU, but no job has less than 1/2.
    shares.max_average(&jobs, &mut yields);
    assert_eq!(yields, [ratio(1, 2), ratio(1, 2), ratio(5, 8), ratio(2, 3)]);
    // The GPU is divided 3 to 1, which leaves more than 2 of the CPU to job 2.
    shares.weighted_max_min(&jobs, &[3, 1, 1, 1], &mut yields);
    assert_eq!(yields, [ratio(3, 4), ratio(1, 4), ratio(11, 16), ratio(2, 3)]);
}
