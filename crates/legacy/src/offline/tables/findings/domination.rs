//! Which vector packing algorithms dominate which (dissertation, section 4.4.4).

use super::{Check, Statement, listed};
use crate::offline::study::Study;
use crate::offline::tables::domination::{SUBSETS, subset};

pub(super) const STATEMENTS: &[Statement] = &[
    Statement {
        source: "dissertation, section 4.4.4",
        text: "each VP_PP algorithm is dominated by its VP_CP counterpart for all six subsets of D",
        check: |study| {
            let order = ["SUM", "MAX", "DIFF", "RATIO"];
            all_dominated(study, &order.map(|order| (format!("VP_CP{order}"), format!("VP_PP{order}"))))
        },
    },
    Statement {
        source: "dissertation, section 4.4.4",
        text: "VP_CPRATIO is dominated by VP_CPDIFF for all six subsets of D",
        check: |study| all_dominated(study, &[("VP_CPDIFF".to_owned(), "VP_CPRATIO".to_owned())]),
    },
    Statement {
        source: "dissertation, section 4.4.4",
        text: "VP_CPSUM is the only VP_CP algorithm that no other one dominates for any subset of D",
        check: |study| {
            let names = ["VP_CPSUM", "VP_CPMAX", "VP_CPDIFF", "VP_CPRATIO"];
            let dominated = dominated(study, &names)?;
            let holds = dominated.iter().all(|(name, subsets)| (*name == "VP_CPSUM") == subsets.is_empty());
            Some(Check { holds, figures: dominations(&dominated) })
        },
    },
    Statement {
        source: "dissertation, section 4.4.4",
        text: "VP_FFLEX and VP_BFLEX are dominated by both of their counterparts for all six subsets of D",
        check: |study| {
            let pairs = ["FF", "BF"]
                .map(|fit| ["SUM", "MAX"].map(|order| (format!("VP_{fit}{order}"), format!("VP_{fit}LEX"))));
            all_dominated(study, &pairs.concat())
        },
    },
    Statement {
        source: "dissertation, section 4.4.4",
        text: "VP_CPSUM, VP_BFSUM and VP_FFSUM are equivalent for all six subsets of D",
        check: |study| {
            let dominated = dominated(study, &["VP_CPSUM", "VP_BFSUM", "VP_FFSUM"])?;
            let holds = dominated.iter().all(|(_, subsets)| subsets.is_empty());
            Some(Check { holds, figures: dominations(&dominated) })
        },
    },
];

/// Whether in each pair the first dominates the second for all subsets of D that there are.
fn all_dominated(study: &Study<'_>, pairs: &[(String, String)]) -> Option<Check> {
    let (mut count, mut missing) = (0, Vec::new());
    for (name, dimensions) in SUBSETS {
        let part = subset(study, dimensions).filter(|part| !part.records.is_empty())?;
        for (one, other) in pairs {
            count += 1;
            let (first, second) = (study.place(one)?, study.place(other)?);
            if !part.dominates(first, second) {
                let advantage = (part.advantage(first, second), part.advantage(second, first));
                missing.push(format!(
                    "{other} by {one} for D = {name} (S {:.2} and {:.2}, Y {:.2} and {:.2})",
                    advantage.0.success,
                    advantage.1.success,
                    advantage.0.minimum_yield,
                    advantage.1.minimum_yield
                ));
            }
        }
    }
    let figures = format!("{} of {count}{}", count - missing.len(), listed(&missing));
    Some(Check { holds: missing.is_empty(), figures })
}

/// For each algorithm, by which of the others it is dominated, and for which subset.
fn dominated<'a>(study: &Study<'_>, names: &[&'a str]) -> Option<Vec<(&'a str, Vec<String>)>> {
    let mut dominated = Vec::new();
    for &name in names {
        let mut by = Vec::new();
        for (subset_name, dimensions) in SUBSETS {
            let part = subset(study, dimensions).filter(|part| !part.records.is_empty())?;
            for &other in names.iter().filter(|&&other| other != name) {
                if part.dominates(study.place(other)?, study.place(name)?) {
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
