//! Scenario files of all studies: what is read is written with every field spelt out, and that says the same.
#![no_main]

use dfrsim_legacy::Study;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(study) = Study::parse(text, "scenario.toml") {
        let resolved = study.to_toml();
        let again = Study::parse(&resolved, "resolved.toml").expect("a resolved scenario is one");
        assert_eq!(again.to_toml(), resolved);
    }
});
