//! Tests damaged scenarios and overrides: they are read, or rejected with a position; what is read
//! is written back unchanged.

use crate::damage::damage;
use crate::example::{FULL, read};
use proptest::prelude::*;

const OVERRIDE: &str = "workloads.equal.nodes=[1, { a = \"b\" }]";

fn check(text: &str, overrides: &[&str]) -> Result<(), TestCaseError> {
    match read(text, overrides) {
        Ok(scenario) => {
            let written = scenario.to_toml("everything");
            let again = read(&written, &[]).map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(again, scenario);
        }
        Err(errors) => {
            prop_assert!(!errors.0.is_empty());
            prop_assert!(errors.to_string().contains("a.toml") || errors.to_string().contains("override"));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(2_000)))]
    #[test]
    fn scenarios(text in damage().prop_map(|it| it.of_text(FULL))) {
        check(&text, &[])?;
    }
    #[test]
    fn scenarios_damaged_twice(first in damage(), second in damage()) {
        let once = first.of_text(FULL);
        check(&second.of_text(&once), &[])?;
    }
    #[test]
    fn overrides(set in damage().prop_map(|it| it.of_text(OVERRIDE)), other in damage()) {
        check(FULL, &[&set, &other.of_text("simulation.penalty=[1, 2]")])?;
    }
    #[test]
    fn any_text(text in any::<String>(), set in any::<String>()) {
        check(&text, &[&set])?;
    }
}
