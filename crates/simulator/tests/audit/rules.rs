//! Tests input that is no events file, and that no text makes the audit panic.

use crate::planted::records;
use dfrsim_audit::{AuditError, audit};
use dfrsim_simulator_tests::planted::text_of;
use proptest::prelude::*;

#[test]
fn what_is_no_events_file_is_refused() {
    for (bytes, expected) in [
        (&b""[..], "the first line must be a `run` record"),
        (b"\xff\xfe\n", "not a record: column 1: expected value"),
    ] {
        let refused = audit(bytes).unwrap_err();
        assert!(matches!(refused, AuditError::NoEvents(_)), "{refused:?}");
        assert_eq!(refused.to_string(), format!("this is not an events file: line 1: {expected}"));
    }
}

#[test]
fn twenty_faults_are_shown_and_all_are_counted() {
    let mut lines = records("by-hand");
    lines.splice(1..1, vec!["nonsense".to_owned(); 30]);
    let Err(AuditError::Faults(faults)) = audit(text_of(&lines).as_bytes()) else { panic!() };
    assert_eq!((faults.shown().len(), faults.count()), (20, 30));
    assert!(faults.to_string().ends_with("\nand 10 more"));
}

#[test]
fn what_cannot_be_read_is_no_fault() {
    struct Broken;
    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("pulled out"))
        }
    }
    let events = text_of(&records("by-hand"));
    let reader = std::io::Read::chain(events.as_bytes(), Broken);
    let error = audit(std::io::BufReader::new(reader)).unwrap_err();
    assert_eq!(error.to_string(), "line 16 cannot be read: pulled out");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(2000)))]

    /// Any number may be replaced with any other without a panic.
    #[test]
    fn no_number_breaks_the_audit(
        edits in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![
            0..4_u64,
            prop::sample::select(vec![u64::MAX, 1 << 20, 943_718_400, u64::from(u32::MAX), 20_000_000]),
            any::<u64>(),
        ]), 1..5)
    ) {
        let mut text = text_of(&records("by-hand"));
        for (index, value) in edits {
            let starts: Vec<usize> = text
                .match_indices(|c: char| c.is_ascii_digit())
                .map(|(place, _)| place)
                .filter(|&place| !text.as_bytes()[place - 1].is_ascii_digit())
                .collect();
            let start = starts[index.index(starts.len())];
            let length = text[start..].bytes().take_while(u8::is_ascii_digit).count();
            text.replace_range(start..start + length, &value.to_string());
        }
        let _ = audit(text.as_bytes());
    }
}
