//! Comparison of the `figures` record with the recomputed one.

use crate::Rule;
use dfrsim_model::event::Record;

/// Relative tolerance of means: both are a quotient of the same exact sums, rounded once or twice.
const TOLERANCE: f64 = 1e-12;

/// Figure by name: an integer, which is exact, or a mean.
type Figure = (String, Number);

#[derive(Clone, Copy, Debug)]
enum Number {
    Exact(i128),
    Mean(f64),
}

impl Number {
    /// Returns whether a figure is the expected one. No mean is near a number that is none.
    fn is(self, right: Number) -> bool {
        match (self, right) {
            (Number::Exact(found), Number::Exact(right)) => found == right,
            (Number::Mean(found), Number::Mean(right)) => {
                let slack = TOLERANCE * right.abs();
                found >= right - slack && found <= right + slack
            }
            _ => false,
        }
    }
    fn text(self) -> String {
        match self {
            Number::Exact(number) => number.to_string(),
            Number::Mean(number) => number.to_string(),
        }
    }
}

/// Lists the figures of a record; `names` are those of the resources of the whole cluster.
fn figures(record: &Record<'_>, names: &[String]) -> Vec<Figure> {
    let Record::Figures { common, over_cap_us, slowed, sleep, carbon_ug, cost_billionths } = record else {
        return Vec::new();
    };
    let mut all = Vec::new();
    let mut add = |name: String, number: Number| all.push((name, number));
    for (at, used) in common.iter().enumerate() {
        let name = names.get(at).map_or_else(|| format!("resource {at}"), Clone::clone);
        add(format!("mean use of {name}"), Number::Mean(used.mean));
        add(format!("largest use of {name}"), Number::Exact(used.largest.into()));
    }
    for (at, jobs) in slowed.iter().enumerate() {
        add(format!("number of jobs at level {}", at + 1), Number::Exact((*jobs).into()));
    }
    if let Some(sleep) = sleep {
        add("time asleep".to_owned(), Number::Mean(sleep.asleep));
        add("number of wake-ups".to_owned(), Number::Exact(sleep.wakes.into()));
        add(
            "time for which jobs waited on their nodes in us".to_owned(),
            Number::Exact(sleep.woken_us.into()),
        );
    }
    let others = [
        ("time above the cap in us", over_cap_us.map(i128::from)),
        ("carbon dioxide in ug", carbon_ug.map(i128::from)),
        ("cost in billionths", cost_billionths.map(i128::from)),
    ];
    for (name, number) in others {
        number.into_iter().for_each(|number| add(name.to_owned(), Number::Exact(number)));
    }
    all
}

/// Returns the differences between the record of a file and the expected one.
pub(crate) fn differences(found: &Record<'_>, right: &Record<'_>, names: &[String]) -> Vec<Rule> {
    let (found, right) = (figures(found, names), figures(right, names));
    let of = |all: &[Figure], name: &str| all.iter().find(|it| it.0 == name).map(|it| it.1);
    let mut rules = Vec::new();
    for (name, value) in &found {
        match of(&right, name) {
            Some(right) if value.is(right) => {}
            Some(right) => {
                rules.push(format!("the {name} is {}, expected {}", value.text(), right.text()).into());
            }
            None => rules.push(format!("the {name} is {}, but the cluster has none", value.text()).into()),
        }
    }
    let missing = right.iter().filter(|(name, _)| of(&found, name).is_none());
    rules.extend(
        missing.map(|(name, right)| format!("the {name} is missing, expected {}", right.text()).into()),
    );
    rules
}
