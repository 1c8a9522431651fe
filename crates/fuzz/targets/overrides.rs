//! Scenarios of all studies in which fields have other values, as by `--set`: refused, or spelt out as what says the same.
#![no_main]

use arbitrary::Arbitrary;
use dfrsim_lab::Registry;
use libfuzzer_sys::fuzz_target;
use std::collections::BTreeSet;
use std::sync::LazyLock;

static REGISTRY: LazyLock<Registry> = LazyLock::new(dfrsim::registry);

const SCENARIOS: [&str; 8] = [
    include_str!("../../../scenarios/quickstart.toml"),
    include_str!("../../../scenarios/needs.toml"),
    include_str!("../../../scenarios/grid_quick.toml"),
    include_str!("../../../scenarios/offline_quick.toml"),
    include_str!("../../../scenarios/coallocation_quick.toml"),
    include_str!("../../../scenarios/context_switch_quick.toml"),
    include_str!("../../../scenarios/discovery_quick.toml"),
    include_str!("../../../scenarios/adaptation_quick.toml"),
];

/// All names of fields, of tables within tables too.
static FIELDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut names = BTreeSet::new();
    for text in SCENARIOS {
        let scenario = REGISTRY.parse(text, "scenario.toml", None, &[]).expect("it is one").text;
        for line in scenario.lines() {
            let key = line.split('=').next().unwrap_or_default();
            let parts = key.split(['.', ' ', '[', ']', '{', ',']).filter(|part| !part.is_empty());
            names.extend(parts.filter(|part| !part.starts_with('#')).map(str::to_owned));
        }
    }
    names.into_iter().collect()
});

#[derive(Arbitrary, Debug)]
struct Change {
    scenario: u8,
    sets: Vec<(Vec<u8>, Value)>,
}

#[derive(Arbitrary, Debug)]
enum Value {
    Whole(i64),
    Number(f64),
    Text(String),
    Word(u8),
    List(Vec<i8>),
    Empty,
}

const WORDS: [&str; 10] =
    ["true", "'EASY'", "['FCFS']", "{}", "[]", "'exact'", "'random:5'", "1e-320", "4294967296", "[[1]]"];

fuzz_target!(|change: Change| {
    let text = SCENARIOS[usize::from(change.scenario) % SCENARIOS.len()];
    let sets: Vec<String> = change
        .sets
        .iter()
        .take(4)
        .map(|(path, value)| {
            let path: Vec<&str> =
                path.iter().take(4).map(|&part| FIELDS[usize::from(part) % FIELDS.len()].as_str()).collect();
            let value = match value {
                Value::Whole(number) => number.to_string(),
                Value::Number(number) => format!("{number:?}"),
                Value::Text(text) => format!("{text:?}"),
                Value::Word(which) => WORDS[usize::from(*which) % WORDS.len()].to_owned(),
                Value::List(items) => format!("{items:?}"),
                Value::Empty => String::new(),
            };
            format!("{}={value}", path.join("."))
        })
        .collect();
    if let Ok(scenario) = REGISTRY.parse(text, "scenario.toml", None, &sets) {
        let resolved = scenario.text;
        let again =
            REGISTRY.parse(&resolved, "resolved.toml", None, &[]).map_err(|errors| errors.to_string());
        assert_eq!(again.expect("a scenario that is spelt out is one").text, resolved);
    }
});
