//! Tests that damaged events files are rejected or accepted, and never make the auditor panic.

#[path = "../../../fuzz/damage.rs"]
mod damage;

use damage::damage;
use proptest::prelude::*;

const EVENTS: &str = include_str!("../../../fuzz/seeds/events/greedy.jsonl");

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(500)))]
    #[test]
    fn no_damage_makes_it_panic(damage in damage()) {
        let bytes = damage.of(EVENTS);
        if let Err(error) = dfrsim_audit::audit(&bytes[..]) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    /// Replaces a number of one record with one at a limit of its range.
    #[test]
    fn no_number_makes_it_panic(
        which: prop::sample::Index,
        number in prop::sample::select(vec!["0", "1", "2147483648", "4294967295", "9223372036854775808", "18446744073709551615"]),
    ) {
        let starts: Vec<usize> = EVENTS
            .char_indices()
            .filter(|&(at, found)| found.is_ascii_digit() && !EVENTS.as_bytes()[at - 1].is_ascii_digit())
            .map(|(at, _)| at)
            .collect();
        let start = starts[which.index(starts.len())];
        let end = start + EVENTS[start..].find(|found: char| !found.is_ascii_digit()).unwrap();
        let changed = format!("{}{number}{}", &EVENTS[..start], &EVENTS[end..]);
        let _ = dfrsim_audit::audit(changed.as_bytes());
    }
}
