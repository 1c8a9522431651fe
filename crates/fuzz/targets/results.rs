//! Baselines of every study.
#![no_main]

use dfrsim_lab::Registry;
use dfrsim_lab::check::{Baseline, CheckOptions, check};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static REGISTRY: LazyLock<Registry> = LazyLock::new(dfrsim::registry);

fuzz_target!(|text: &str| {
    for study in REGISTRY.studies() {
        if let Ok(baseline) = Baseline::parse(text, "baseline.toml", study) {
            let _ = check(&baseline, &baseline, &CheckOptions::default());
            let again = Baseline::parse(&baseline.to_toml(), "again.toml", study);
            assert!(again.is_ok(), "a baseline that is written can be read");
        }
    }
});
