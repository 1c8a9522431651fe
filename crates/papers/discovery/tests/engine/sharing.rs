//! Tests weighted sharing: cases by hand, and a reference implementation that distributes unused CPU
//! in rounds.

use dfrsim_model::Share;
use dfrsim_paper_discovery::engine::sharing::{Competitor, Sharing};
use proptest::prelude::*;

fn percent(percent: u64) -> Share {
    Share::from_ratio(percent, 100)
}

fn shared(sharing: Sharing, competitors: &[(u32, u64)]) -> Vec<Share> {
    let competitor = |&(weight, need)| Competitor { weight, need: percent(need) };
    let competitors: Vec<Competitor> = competitors.iter().map(competitor).collect();
    let mut shares = Vec::new();
    sharing.share(&competitors, Share::ONE, &mut shares);
    shares
}

/// The example of the text (7.2.1): with weights of 70 and 30 the first gets 70 % and the second 30
/// % if both need everything; the second can use what the first does not need of its 70 %.
#[test]
fn seventy_and_thirty() {
    assert_eq!(shared(Sharing::Weights, &[(70, 100), (30, 100)]), [percent(70), percent(30)]);
    assert_eq!(shared(Sharing::Weights, &[(70, 50), (30, 100)]), [percent(50), percent(50)]);
    assert_eq!(shared(Sharing::Weights, &[(70, 50), (30, 20)]), [percent(50), percent(20)], "20 + 30 idle");
    assert_eq!(shared(Sharing::Caps, &[(70, 100), (30, 100)]), [percent(70), percent(30)]);
    assert_eq!(shared(Sharing::Caps, &[(70, 50), (30, 100)]), [percent(50), percent(30)], "20 idle");
}

/// Weights 50, 30, 20 and needs 20, 90, 25. Round 1 gives 20 of 50 to the first, 30 and 20 to the
/// others. 30 are unused, 18 and 12 by weight. The third needs 5 of its 12, so the second gets 30 +
/// 18 + 7 = 55.
#[test]
fn what_is_left_over_twice() {
    assert_eq!(
        shared(Sharing::Weights, &[(50, 20), (30, 90), (20, 25)]),
        [percent(20), percent(55), percent(25)]
    );
}

/// A discovery phase with three machines gives 98 points to the selected one. If it needs half a
/// node, the others divide the rest equally; if it needs everything, they get a hundredth each.
#[test]
fn a_discovery_phase() {
    assert_eq!(
        shared(Sharing::Weights, &[(98, 50), (1, 80), (1, 80)]),
        [percent(50), percent(25), percent(25)]
    );
    assert_eq!(
        shared(Sharing::Weights, &[(98, 100), (1, 80), (1, 80)]),
        [percent(98), percent(1), percent(1)]
    );
}

#[test]
fn no_machines_or_no_needs() {
    assert_eq!(shared(Sharing::Weights, &[]), []);
    assert_eq!(shared(Sharing::Weights, &[(1, 0), (1, 0)]), [Share::ZERO; 2]);
    assert_eq!(shared(Sharing::Weights, &[(1, 0), (99, 100)]), [Share::ZERO, Share::ONE]);
}

/// A fraction of units, for the reference implementation: numerator and denominator.
#[derive(Clone, Copy)]
struct Fraction(u128, u128);

impl Fraction {
    fn minus(self, whole: u128) -> Fraction {
        Fraction(self.0 - whole * self.1, self.1)
    }
    fn times(self, part: u128, of: u128) -> Fraction {
        let (top, bottom) = (self.0 * part, self.1 * of);
        let divisor = gcd(top, bottom).max(1);
        Fraction(top / divisor, bottom / divisor)
    }
    fn is_at_least(self, whole: u128) -> bool {
        self.0 >= whole * self.1
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Divides CPU as the text describes it: all get their shares by weight. While some machine does not
/// need its whole share, it gets its need, and the others divide the rest by their relative weights.
fn by_rounds(competitors: &[Competitor]) -> Vec<Share> {
    let mut shares: Vec<Option<Share>> = vec![None; competitors.len()];
    let mut left = Fraction(Share::ONE.units().into(), 1);
    loop {
        let open: Vec<usize> = (0..shares.len()).filter(|&at| shares[at].is_none()).collect();
        let weights: u128 = open.iter().map(|&at| u128::from(competitors[at].weight)).sum();
        let part = |at: usize| left.times(competitors[at].weight.into(), weights);
        let need = |at: usize| u128::from(competitors[at].need.units());
        let Some(&satisfied) = open.iter().find(|&&at| part(at).is_at_least(need(at))) else {
            for at in open {
                let Fraction(top, bottom) = part(at);
                shares[at] = Share::try_from_units((top / bottom) as u32);
            }
            return shares.into_iter().map(|share| share.unwrap()).collect();
        };
        shares[satisfied] = Some(competitors[satisfied].need);
        left = left.minus(need(satisfied));
    }
}

fn competitors() -> impl Strategy<Value = Vec<Competitor>> {
    let need = prop_oneof![
        (0..=100_u64).prop_map(percent),
        (0..=Share::ONE.units()).prop_map(|units| Share::try_from_units(units).unwrap()),
    ];
    let competitor = (1..=100_u32, need).prop_map(|(weight, need)| Competitor { weight, need });
    prop::collection::vec(competitor, 0..9)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(dfrsim_testing::cases(2000)) })]

    #[test]
    fn sharing_agrees_with_the_rounds(competitors in competitors()) {
        let mut shares = Vec::new();
        Sharing::Weights.share(&competitors, Share::ONE, &mut shares);
        prop_assert_eq!(shares, by_rounds(&competitors));
    }

    /// Only relative weights matter.
    #[test]
    fn weights_have_no_unit(competitors in competitors(), factor in 1..1_000_000_u32) {
        let scaled: Vec<Competitor> =
            competitors.iter().map(|one| Competitor { weight: one.weight * factor, ..*one }).collect();
        let (mut one, mut other) = (Vec::new(), Vec::new());
        Sharing::Weights.share(&competitors, Share::ONE, &mut one);
        Sharing::Weights.share(&scaled, Share::ONE, &mut other);
        prop_assert_eq!(one, other);
    }
}
