//! Tests recorded needs: every file is read, or rejected with an error.

use dfrsim_model::SimSpan;
use dfrsim_paper_discovery::engine::recorded::{Unit, parse};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(500)))]
    #[test]
    fn no_text_makes_it_panic(
        lines in prop::collection::vec(prop::collection::vec(0.0_f64..=100.0, 3), 1..8),
        from: prop::sample::Index,
        length in 0_usize..6,
        patch in "[-+0-9.,#eE\r\n a-zé]{0,6}",
        any in "\\PC{0,60}",
        interval in prop_oneof![1_u64..1 << 40, Just(u64::MAX), Just(u64::MAX / 2)],
    ) {
        let line = |values: &Vec<f64>| values.iter().map(f64::to_string).collect::<Vec<_>>().join(",") + "\n";
        let mut text: String = lines.iter().map(line).collect();
        let whole = parse(&text, Unit::Percent, SimSpan::from_secs(300)).unwrap();
        prop_assert_eq!(whole.machines.len(), 3);
        let from = from.index(text.len());
        let to = (from + length).min(text.len());
        text.replace_range(from..to, &patch);
        for text in [&text, &any] {
            for unit in [Unit::Percent, Unit::Fraction] {
                match parse(text, unit, SimSpan::from_micros(interval)) {
                    Ok(read) => prop_assert!(!read.machines.is_empty()),
                    Err(faults) => prop_assert!(!faults.is_empty()),
                }
            }
        }
    }
}
