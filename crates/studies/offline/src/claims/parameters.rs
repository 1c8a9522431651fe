//! What the dissertation says of the parameters of instances (section 4.4.5).

use super::{Check, Statement, falls, gap, large, large_with, numbered};
use crate::published::TABLE_4_6;
use crate::results::{Gaps, Results};
use crate::tables::parameters::parameter_of;
use crate::tables::slack::{CPSUM_BELOW_BOUND, published, slacks};

const SOURCE: &str = "dissertation, section 4.4.5";

pub(super) const STATEMENTS: &[Statement] = &[
    Statement(
        SOURCE,
        "VP_CPSUM's mean relative gap falls as the slack grows, never rising by more than 1 point",
        |results| {
            let means = by_slack(results, |gaps| gaps.relative.mean())?;
            Some(Check::new(falls(&values(&means), 1.0), numbered(&means)))
        },
    ),
    Statement(SOURCE, "it is 19.23 % at slack 0.1, within 3 points", |results| {
        let own = by_slack(results, |gaps| gaps.relative.mean())?[0].1;
        Some(Check::near_percent(own, published("4.2", CPSUM_BELOW_BOUND, "mean", 0.1)?, 3.0))
    }),
    Statement(SOURCE, "its 75th percentile is within 10 points of the mean at every slack", |results| {
        let apart = by_slack(results, |gaps| Some(gaps.relative.percentile(75)? - gaps.relative.mean()?))?;
        Some(Check::new(apart.iter().all(|(_, by)| by.abs() <= 10.0), numbered(&apart)))
    }),
    Statement(SOURCE, "its maximum stays near 1 at every slack: at least 95 %", |results| {
        let most = by_slack(results, |gaps| gaps.relative.max())?;
        Some(Check::new(most.iter().all(|(_, most)| *most >= 95.0), numbered(&most)))
    }),
    Statement(SOURCE, "a higher D raises its gap, at slacks 0.1 and 0.4", |results| {
        of_both(results, |of| {
            let (tight, loose) = (series(of, "D", 0.1)?, series(of, "D", 0.4)?);
            let rises = |all: &[f64]| all.windows(2).all(|pair| pair[0] < pair[1]);
            Some((rises(&tight) && rises(&loose), both(&tight, &loose)))
        })
    }),
    Statement(
        SOURCE,
        "rho makes no difference at slack 0.1 (gaps within 0.03), and raises the gap at slack 0.4",
        |results| {
            of_both(results, |of| {
                let (tight, loose) = (series(of, "rho", 0.1)?, series(of, "rho", 0.4)?);
                let rises = loose.windows(2).all(|pair| pair[0] < pair[1]);
                Some((range(&tight) <= 0.0301 && rises, both(&tight, &loose)))
            })
        },
    ),
    Statement(SOURCE, "sigma makes no difference at slacks 0.1 and 0.4 (gaps within 0.03)", |results| {
        of_both(results, |of| {
            let (tight, loose) = (series(of, "sigma", 0.1)?, series(of, "sigma", 0.4)?);
            Some((range(&tight) <= 0.0301 && range(&loose) <= 0.0301, both(&tight, &loose)))
        })
    }),
    Statement(
        SOURCE,
        "with 500 jobs its gap is smaller than with 100 and 200, at slacks 0.1 and 0.4",
        |results| {
            of_both(results, |of| {
                let (tight, loose) = (series(of, "J", 0.1)?, series(of, "J", 0.4)?);
                let holds = [&tight, &loose].iter().all(|all| all[2] < all[0].min(all[1]));
                Some((holds, both(&tight, &loose)))
            })
        },
    ),
    Statement(
        SOURCE,
        "with one parameter fixed its mean relative gap is 31.83 % at most, at slacks 0.1 and 0.4 (35 %)",
        |results| {
            let mut means = Vec::new();
            for ([name, value], [slack, ..]) in TABLE_4_6.lines::<2, 5>() {
                means.push((
                    format!("{name} {value} at {slack}"),
                    fixed(results, name, value, slack)?.relative.mean()?,
                ));
            }
            let most = means.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
            let check = Check::new(most.1 <= 35.0, format!("{} {:.2} %", most.0, most.1));
            Some(check.values(most.1, Some(31.83)).published(true))
        },
    ),
    Statement(
        SOURCE,
        "it is within roughly 30 % of the optimum on average: its mean relative gap is below 30 %",
        |results| {
            let own = gap(results, &large(results)?, "VP_CPSUM")?;
            Some(Check::new(own < 30.0, format!("{own:.2} %")).values(own, None))
        },
    ),
];

/// A number of the gaps of VP_CPSUM at each slack.
fn by_slack(results: &Results<'_>, of: fn(&Gaps) -> Option<f64>) -> Option<Vec<(String, f64)>> {
    let column = results.column("VP_CPSUM")?;
    let at = |slack: f64| {
        let part = large_with(results, |of| of.slack == slack)?;
        Some((slack.to_string(), of(&part.gaps(column))?))
    };
    slacks().map(at).collect()
}

fn values(numbers: &[(String, f64)]) -> Vec<f64> {
    numbers.iter().map(|(_, number)| *number).collect()
}

/// The gaps of VP_CPSUM with a parameter of table 4.6 fixed, at a slack.
fn fixed(results: &Results<'_>, name: &str, value: &str, slack: f64) -> Option<Gaps> {
    let wanted: f64 = value.parse().ok()?;
    let part = large_with(results, |of| of.slack == slack && parameter_of(of, name) == wanted)?;
    Some(part.gaps(results.column("VP_CPSUM")?))
}

/// The mean absolute gap of table 4.6 for a parameter, its value and a slack.
type Table<'a> = &'a dyn Fn(&str, &str, f64) -> Option<f64>;

fn of_both(results: &Results<'_>, check: impl Fn(Table<'_>) -> Option<(bool, String)>) -> Option<Check> {
    let own = |name: &str, value: &str, slack: f64| fixed(results, name, value, slack)?.absolute.mean();
    let published = |name: &str, value: &str, slack: f64| {
        let mut lines = TABLE_4_6.lines::<2, 5>();
        lines.find(|(texts, numbers)| *texts == [name, value] && numbers[0] == slack).map(|line| line.1[1])
    };
    Check::of_both::<Table<'_>>(&own, &published, check)
}

/// The mean absolute gaps for the values of a parameter.
fn series(of: Table<'_>, name: &str, slack: f64) -> Option<Vec<f64>> {
    let lines = TABLE_4_6.lines::<2, 5>().filter(|([each, _], numbers)| *each == name && numbers[0] == slack);
    lines.map(|([_, value], _)| of(name, value, slack)).collect()
}

fn range(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(f64::MIN, f64::max) - numbers.iter().copied().fold(f64::MAX, f64::min)
}

fn both(tight: &[f64], loose: &[f64]) -> String {
    let text = |all: &[f64]| all.iter().map(|gap| format!("{gap:.3}")).collect::<Vec<_>>().join(", ");
    format!("{} at slack 0.1; {} at 0.4", text(tight), text(loose))
}
