//! Which vector packing algorithms dominate which (dissertation, section 4.4.4).

use super::{Check, Statement, listed};
use crate::results::Results;
use crate::tables::domination::{SUBSETS, subset};

const SOURCE: &str = "dissertation, section 4.4.4";

pub(super) const STATEMENTS: &[Statement] = &[
    Statement(
        SOURCE,
        "each VP_PP algorithm is dominated by its VP_CP counterpart for all six subsets of D",
        |results| {
            let order = ["SUM", "MAX", "DIFF", "RATIO"];
            all_dominated(results, &order.map(|order| (format!("VP_CP{order}"), format!("VP_PP{order}"))))
        },
    ),
    Statement(SOURCE, "VP_CPRATIO is dominated by VP_CPDIFF for all six subsets of D", |results| {
        all_dominated(results, &[("VP_CPDIFF".to_owned(), "VP_CPRATIO".to_owned())])
    }),
    Statement(
        SOURCE,
        "VP_CPSUM is the only VP_CP algorithm that no other one dominates for any subset of D",
        |results| {
            let dominated = dominated(results, &["VP_CPSUM", "VP_CPMAX", "VP_CPDIFF", "VP_CPRATIO"])?;
            let holds = dominated.iter().all(|(name, subsets)| (*name == "VP_CPSUM") == subsets.is_empty());
            Some(Check::new(holds, dominations(&dominated)))
        },
    ),
    Statement(
        SOURCE,
        "VP_FFLEX and VP_BFLEX are dominated by both of their counterparts for all six subsets of D",
        |results| {
            let pairs = ["FF", "BF"]
                .map(|fit| ["SUM", "MAX"].map(|order| (format!("VP_{fit}{order}"), format!("VP_{fit}LEX"))));
            all_dominated(results, &pairs.concat())
        },
    ),
    Statement(SOURCE, "VP_CPSUM, VP_BFSUM and VP_FFSUM are equivalent for all six subsets of D", |results| {
        let dominated = dominated(results, &["VP_CPSUM", "VP_BFSUM", "VP_FFSUM"])?;
        let holds = dominated.iter().all(|(_, subsets)| subsets.is_empty());
        Some(Check::new(holds, dominations(&dominated)))
    }),
];

/// Whether in each pair the first dominates the second for all subsets of D that there are.
fn all_dominated(results: &Results<'_>, pairs: &[(String, String)]) -> Option<Check> {
    let (mut count, mut missing) = (0, Vec::new());
    for (name, dimensions) in SUBSETS {
        let part = subset(results, dimensions)?;
        for (one, other) in pairs {
            count += 1;
            let (first, second) = (results.column(one)?, results.column(other)?);
            let (own, others) = (part.advantage(first, second), part.advantage(second, first));
            if !own.dominates(&others) {
                missing.push(format!(
                    "{other} by {one} for D = {name} (S {:.2} and {:.2}, Y {:.2} and {:.2})",
                    own.success, others.success, own.minimum_yield, others.minimum_yield
                ));
            }
        }
    }
    let held = count - missing.len();
    Some(Check::new(missing.is_empty(), format!("{held} of {count}{}", listed(&missing))))
}

/// For each algorithm, by which of the others it is dominated, and for which subset.
fn dominated<'a>(results: &Results<'_>, names: &[&'a str]) -> Option<Vec<(&'a str, Vec<String>)>> {
    let mut dominated = Vec::new();
    for &name in names {
        let mut by = Vec::new();
        for (subset_name, dimensions) in SUBSETS {
            let part = subset(results, dimensions)?;
            for &other in names.iter().filter(|&&other| other != name) {
                if part.dominates(results.column(other)?, results.column(name)?) {
                    by.push(format!("by {other} for D = {subset_name}"));
                }
            }
        }
        dominated.push((name, by));
    }
    Some(dominated)
}

fn dominations(dominated: &[(&str, Vec<String>)]) -> String {
    let one = |(name, by): &(&str, Vec<String>)| match by.len() {
        0 => format!("{name} never"),
        _ => format!("{name} {}", by.join(", ")),
    };
    dominated.iter().map(one).collect::<Vec<_>>().join("; ")
}
