//! Workloads of Batsim.
#![no_main]

use dfrsim_workload::formats::batsim;
use dfrsim_workload::log::Strictness;
use libfuzzer_sys::fuzz_target;
use std::num::NonZeroU64;

fuzz_target!(|text: &str| {
    for &strictness in Strictness::ALL {
        for flops in [None, NonZeroU64::new(1_000_000_000)] {
            let _ = batsim::read_text(text, "workload.json", strictness, flops).map(Iterator::count);
        }
    }
});
