//! Recorded CPU needs of virtual machines.
#![no_main]

use dfrsim_model::SimSpan;
use dfrsim_paper_discovery::engine::recorded::{Unit, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for unit in [Unit::Percent, Unit::Fraction] {
        let _ = parse(text, unit, SimSpan::from_secs(300));
    }
});
