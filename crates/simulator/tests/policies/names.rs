//! Tests the names of policies: any text is parsed or rejected, and a parsed name prints as text
//! that parses to an equal policy.

use dfrsim_policies::{Policy, catalogue};
use proptest::prelude::*;

fn prints_as_itself(text: &str) -> Result<(), TestCaseError> {
    match text.parse::<Policy>() {
        Ok(policy) => prop_assert_eq!(policy.to_string().parse::<Policy>().ok(), Some(policy), "{}", text),
        Err(error) => prop_assert!(!error.to_string().is_empty()),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(500)))]
    #[test]
    fn no_name_makes_it_panic(
        base in prop::sample::select(catalogue()),
        from: prop::sample::Index,
        length in 0_usize..4,
        patch in "[-/*=.0-9A-Za-zé]{0,6}",
        any in "\\PC{0,40}",
        parts in prop::collection::vec(prop::sample::select(PARTS.split_whitespace().collect::<Vec<_>>()), 0..7),
    ) {
        let mut name = base.policy.to_string();
        prints_as_itself(&name)?;
        let from = from.index(name.len());
        let to = (from + length).min(name.len());
        name.replace_range(from..to, &patch);
        prints_as_itself(&name)?;
        prints_as_itself(&any)?;
        prints_as_itself(&parts.concat())?;
    }
}

/// Parses parts beyond the paper only after the others, in their order, and only where they have an
/// effect.
#[test]
fn extensions_have_their_places() {
    let all =
        "GreedyPM*/per/OPT=MIN/MVT=600/PERIOD=2700/BELOW=30/PAY=3/SPREAD/RETRY=60/SWAP=2/LAS=60/AHEAD=0.5";
    let read =
        ["Greedy*/OPT=MIN/LAS=60", "/stretch-per/OPT=MAX/PERIOD=60/AHEAD=0", "GreedyP*/OPT=AVG/RETRY=1"];
    for name in read.into_iter().chain([all]) {
        assert_eq!(name.parse::<Policy>().map(|policy| policy.to_string()).as_deref(), Ok(name));
    }
    for name in include_str!("refused_names.txt").lines() {
        assert!(name.parse::<Policy>().is_err(), "{name}");
    }
}

/// Parts of the grammar, and numbers at the limits of their ranges.
const PARTS: &str = "Greedy GreedyP GreedyPM MCB * /per /stretch-per /OPT= MIN AVG MAX /MFT= /MVT= /BUDGET= /RELABEL /PERIOD= /BELOW= \
    /PAY= /SPREAD /RETRY= /SWAP= /LAS= /AHEAD= 600 0 0.5 -1 1e400 NaN inf 18446744073709551615 18446744073710 EASY /ORDER= /FILL= SJF";

#[test]
fn every_listed_name_parses_and_prints_back() {
    let catalogue = catalogue();
    for info in &catalogue {
        assert_eq!(info.name.parse::<Policy>(), Ok(info.policy));
        assert_eq!(info.policy.to_string(), info.name);
    }
    let mut names: Vec<&str> = catalogue.iter().map(|info| info.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), catalogue.len(), "names are unique");
}

#[test]
fn fills_and_places_are_parts_of_names() {
    for name in [
        "EASY/FILL=SJF",
        "EASY/ORDER=SJF/FILL=ARRIVAL",
        "FCFS/PLACE=BEST",
        "EASY/ORDER=SJF/PLACE=CONTIGUOUS",
        "EASY/FILL=SJF/PLACE=BEST",
    ] {
        assert_eq!(name.parse::<Policy>().map(|policy| policy.to_string()).as_deref(), Ok(name));
    }
    for name in [
        "EASY/FILL=ARRIVAL",
        "CONS/FILL=SJF",
        "EASY/ORDER=SJF/FILL=SJF",
        "EASY/PLACE=FIRST",
        "EASY/PLACE=",
        "EASY/PLACE=BEST/PLACE=BEST",
        "EQUIPARTITION/PLACE=BEST",
    ] {
        assert!(name.parse::<Policy>().is_err(), "{name}");
    }
}

#[test]
fn conservative_backfilling_has_two_names() {
    assert_eq!("CBF".parse::<Policy>(), "CONS".parse());
    assert_eq!("CBF-REPLAN".parse::<Policy>(), "CONS/REPLAN".parse());
}

#[test]
fn an_order_alone_is_answered_with_policies_in_it() {
    for (wrong, order) in [("SJF", "SJF"), ("wfp3", "WFP3"), ("F1", "F1"), ("UNICEP", "UNICEF")] {
        let expected = format!("unknown policy `{wrong}`; expected FCFS/ORDER={order} or EASY/ORDER={order}");
        assert_eq!(wrong.parse::<Policy>().unwrap_err().to_string(), expected);
    }
}

#[test]
fn what_is_not_a_name_is_answered_with_the_way_to_give_it() {
    let hint = |name: &str| name.parse::<Policy>().unwrap_err().to_string();
    assert_eq!(hint("mine.py"), "unknown policy `mine.py`; expected pipe:python3 mine.py");
    assert!(hint("EASY,FCFS").ends_with("a scenario of `dfrsim run` compares several"));
    let begun = "GreedyPM".parse::<Policy>().unwrap_err().nearest.unwrap();
    assert!(begun.starts_with("GreedyPM") && begun.parse::<Policy>().is_ok(), "{begun}");
}

#[test]
fn a_wrong_name_is_answered_with_the_nearest_right_one() {
    for (wrong, nearest) in [
        ("easy", "EASY"),
        ("FCSF", "FCFS"),
        ("EASY-SJF", "EASY/ORDER=SJF"),
        ("fcfs_saf", "FCFS/ORDER=SAF"),
        ("CONS/REPLN", "CONS/REPLAN"),
        ("EASY/ORDER=WFP", "EASY/ORDER=WFP3"),
        ("EASY/FILL=SJFF", "EASY/FILL=SJF"),
        ("EASY/PLACE=best", "EASY/PLACE=BEST"),
        ("CONS/REPLAN/PLACE=CONTIGOUS", "CONS/REPLAN/PLACE=CONTIGUOUS"),
    ] {
        assert_eq!(wrong.parse::<Policy>().unwrap_err().nearest.as_deref(), Some(nearest));
    }
}
