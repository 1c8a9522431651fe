//! Invariants of every mapping, checked without packing.

use super::states::{options, state};
use dfrsim_model::{CpuUse, Share};
use dfrsim_packing::mcb::Mcb;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: dfrsim_testing::cases(1000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn capacities_hold_and_jobs_are_whole(options in options(), state in state(128, 60, 64, 15)) {
        let jobs = state.jobs();
        let mut mcb = Mcb::new(state.nodes, options);
        let mapping = mcb.map(&jobs);
        let mut cpu = vec![CpuUse::ZERO; state.nodes as usize];
        let mut memory = vec![0u64; state.nodes as usize];
        for (index, job) in jobs.iter().enumerate() {
            let placement = mapping.placement(index);
            let placed: u32 = placement.iter().map(|part| part.tasks).sum();
            prop_assert_eq!(placed, if mapping.is_kept(index) { job.tasks } else { 0 });
            prop_assert!(placement.iter().all(|part| part.tasks > 0));
            prop_assert!(placement.is_sorted_by(|a, b| a.node < b.node));
            if let (true, Some(pinned)) = (mapping.is_kept(index), job.pinned) {
                prop_assert_eq!(placement, pinned);
            }
            for part in placement {
                cpu[part.node.index()] += job.need.used_by(part.tasks, mapping.value());
                memory[part.node.index()] += u64::from(job.memory.units()) * u64::from(part.tasks);
            }
        }
        // Steps are rounded down, so tasks can need more in total than they are packed with.
        prop_assert!(options.cpu_step.is_some() || cpu.iter().all(|&cpu| cpu <= CpuUse::ONE));
        prop_assert!(memory.iter().all(|&memory| memory <= u64::from(Share::ONE.units())));
    }
}
