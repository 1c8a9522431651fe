//! Rows and baselines.
#![no_main]

use dfrsim_legacy::regression::{Baseline, CheckOptions, check};
use dfrsim_legacy::results::rows_of;
use libfuzzer_sys::fuzz_target;
use std::path::Path;

fuzz_target!(|text: &str| {
    let _ = rows_of(Path::new("rows.csv"), text);
    if let Ok(baseline) = Baseline::parse(text, "baseline.toml") {
        let _ = check(&baseline, &baseline, &CheckOptions::default());
        let _ = Baseline::parse(&baseline.to_toml(), "again.toml");
    }
});
