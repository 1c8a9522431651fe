//! Scenario files of all studies: what is read is written with every field spelt out, and that says the same.
#![no_main]

use dfrsim_lab::Registry;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static REGISTRY: LazyLock<Registry> = LazyLock::new(dfrsim::registry);

fuzz_target!(|text: &str| {
    if let Ok(scenario) = REGISTRY.parse(text, "scenario.toml", None, &[]) {
        let resolved = scenario.text;
        let again =
            REGISTRY.parse(&resolved, "resolved.toml", None, &[]).map_err(|errors| errors.to_string());
        let again = again.expect("a scenario that is spelt out is one");
        assert_eq!(again.text, resolved);
    }
});
