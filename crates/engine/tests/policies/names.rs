//! Names of policies: any text is parsed or refused, and a parsed name prints as text that parses to the same.

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
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn no_name_makes_it_panic(
        base in prop::sample::select(catalogue()),
        from: prop::sample::Index,
        length in 0_usize..4,
        patch in "[-/*=.0-9A-Za-zé]{0,6}",
        any in "\\PC{0,40}",
        parts in prop::collection::vec(prop::sample::select(PARTS), 0..7),
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

/// Parts beyond the paper are behind the others, in their order, where they have something to act on.
#[test]
fn extensions_have_their_places() {
    let all =
        "GreedyPM*/per/OPT=MIN/MVT=600/PERIOD=2700/BELOW=30/PAY=3/SPREAD/RETRY=60/SWAP=2/LAS=60/AHEAD=0.5";
    let read =
        ["Greedy*/OPT=MIN/LAS=60", "/stretch-per/OPT=MAX/PERIOD=60/AHEAD=0", "GreedyP*/OPT=AVG/RETRY=1"];
    for name in read.into_iter().chain([all]) {
        assert_eq!(name.parse::<Policy>().map(|policy| policy.to_string()).as_deref(), Ok(name));
    }
    for name in [
        "GreedyPM*/per/OPT=MIN/PAY=10/BELOW=30",
        "GreedyPM*/per/OPT=MIN/LAS=60/MVT=600",
        "GreedyPM*/per/OPT=MIN/SPREAD/SPREAD",
        "GreedyPM*/per/OPT=MIN/SPREAD=1",
        "GreedyPM*/OPT=MIN/PAY=0",
        "GreedyPM*/OPT=MIN/PAY=0.5",
        "Greedy*/OPT=MIN/PAY=10",
        "GreedyPM*/per/OPT=MIN/BELOW=101",
        "GreedyPM*/per/OPT=MIN/SWAP=2",
        "GreedyPM*/per/OPT=MIN/RETRY=60/SWAP=0",
        "GreedyPM*/OPT=MIN/PERIOD=60",
        "GreedyPM*/OPT=MIN/BELOW=30",
        "/stretch-per/OPT=MAX/BELOW=30",
        "GreedyPM*/per/OPT=AVG/LAS=60",
        "MCB*/OPT=MIN/RETRY=60",
        "/per/OPT=MIN/SPREAD",
        "GreedyPM*/per/OPT=MIN/AHEAD=-1",
    ] {
        assert!(name.parse::<Policy>().is_err(), "{name}");
    }
}

/// Of the grammar, and numbers at the ends of their ranges.
const PARTS: &[&str] = &[
    "Greedy",
    "GreedyP",
    "GreedyPM",
    "MCB",
    "*",
    "/per",
    "/stretch-per",
    "/OPT=",
    "MIN",
    "AVG",
    "MAX",
    "/MFT=",
    "/MVT=",
    "/BUDGET=",
    "/RELABEL",
    "/PERIOD=",
    "/BELOW=",
    "/PAY=",
    "/SPREAD",
    "/RETRY=",
    "/SWAP=",
    "/LAS=",
    "/AHEAD=",
    "600",
    "0",
    "0.5",
    "-1",
    "1e400",
    "NaN",
    "inf",
    "18446744073709551615",
    "18446744073710",
    "EASY",
    "/ORDER=",
    "/FILL=",
    "SJF",
];
