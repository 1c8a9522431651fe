//! Tests that written scenarios read back unchanged.

use crate::example::{Everything, FULL, Policy, Registry, SMALL, Simulation, environment, read};
use dfrsim_lab::fields::{Fields, Scenario, ScenarioSource, defaults};
use dfrsim_model::{Share, SimSpan, Yield};
use proptest::prelude::*;

#[test]
fn what_is_read() {
    let scenario = read(FULL, &[]).unwrap();
    assert_eq!(scenario.policies, ["FCFS", "EASY", "EASY/SJF"].map(Policy));
    let half = SimSpan::from_micros(500_000);
    assert_eq!(scenario.simulation.penalties, [SimSpan::ZERO, SimSpan::from_secs(300), half]);
    assert_eq!(scenario.sizes, [5]);
    assert_eq!(scenario.workloads[0].nodes.get(), 16);
}

#[test]
fn every_field_is_spelt_out_in_the_order_of_declarations() {
    let scenario = read(SMALL, &[]).unwrap();
    let expected = include_str!("written.toml");
    assert_eq!(scenario.to_toml("everything"), expected);
    for text in [SMALL, FULL] {
        let scenario = read(text, &[]).unwrap();
        let written = scenario.to_toml("everything");
        let again = read(&written, &[]).unwrap();
        assert_eq!(again, scenario);
        assert_eq!(again.to_toml("everything"), written);
    }
}

#[test]
fn selections_are_from_what_the_environment_has() {
    let environment = environment().with(Registry(vec![Policy("MCB")]));
    let text = SMALL.replace("\"FCFS\"", "[{ matching = \"\" }]");
    let source =
        ScenarioSource { text: &text, name: "a", folder: None, overrides: &[], environment: &environment };
    let scenario = Scenario::<Everything>::read(&source, "everything").unwrap();
    assert_eq!(scenario.policies, [Policy("MCB")]);
}

#[test]
fn an_empty_table_has_the_defaults() {
    let simulation: Simulation = defaults().unwrap();
    assert_eq!(simulation.penalties, [SimSpan::from_secs(300)]);
    assert_eq!(simulation.write().len(), 5);
    assert!(defaults::<Everything>().is_err());
}

proptest! {
    #[test]
    fn yields_and_spans(
        units in 1..=Yield::ONE.units(),
        share in 0..=Share::ONE.units(),
        micros in 0_u64..1_000_000_000_000_000,
    ) {
        let mut scenario = read(SMALL, &[]).unwrap();
        scenario.fields.simulation.floor = Yield::try_from_units(units).unwrap();
        scenario.fields.simulation.memory = Share::try_from_units(share).unwrap();
        scenario.fields.simulation.penalties = vec![SimSpan::from_micros(micros)];
        let again = read(&scenario.to_toml("everything"), &[]).unwrap();
        prop_assert_eq!(again, scenario);
    }
}
