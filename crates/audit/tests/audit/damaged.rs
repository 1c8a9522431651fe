//! Events files with other bytes in them are refused or passed, and never make the checker panic.

use proptest::prelude::*;

const EVENTS: &str = include_str!("../../../fuzz/seeds/events/greedy.jsonl");

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn no_damage_makes_it_panic(
        from: prop::sample::Index,
        length in 0_usize..12,
        patch in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..8),
            prop::sample::select(vec!["0", "-1", "1e300", "4294967295", "18446744073709551615", "null", "[]"])
                .prop_map(|text| text.as_bytes().to_vec()),
        ],
    ) {
        let mut bytes = EVENTS.as_bytes().to_vec();
        let from = from.index(bytes.len());
        let to = (from + length).min(bytes.len());
        bytes.splice(from..to, patch);
        if let Err(error) = dfrsim_audit::audit(&bytes[..]) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    /// A number of one record becomes one at the end of its range.
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
