//! Instances of the off-line problem, and solutions of a small one: what is read is written as the same.
#![no_main]

use dfrsim_vector_packing::file::{instance_from_json, instance_to_json, solution_from_json};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static SMALL: LazyLock<dfrsim_model::offline::Instance> = LazyLock::new(|| {
    instance_from_json("small", include_str!("../seeds/instance/small.json")).expect("it is one")
});

fuzz_target!(|text: &str| {
    if let Ok(instance) = instance_from_json("instance.json", text) {
        let again =
            instance_from_json("again.json", &instance_to_json(&instance)).expect("what was written is one");
        assert_eq!(again, instance);
    }
    let _ = solution_from_json("solution.json", text, &SMALL);
});
