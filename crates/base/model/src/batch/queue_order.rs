//! The orders of waiting jobs.

use crate::formula::{Formula, FormulaError};
use crate::named::UnknownName;
use std::fmt;
use std::str::FromStr;

/// The order of waiting jobs; ties by order of submission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum QueueOrder {
    /// By submission.
    #[default]
    Arrival,
    /// Shortest job first, by estimate.
    Sjf,
    /// Longest job first, by estimate.
    Ljf,
    /// Smallest area first: estimate * width.
    Saf,
    /// Largest (wait / estimate)^3 * width first, again in each pass (Tang et al. 2009, "WFP3").
    Wfp3,
    /// Smallest value of a formula first, again in each pass if that depends on the wait: one of those with names (SEXP, UNICEF, F1 to F4)
    /// or any other, in quotes.
    Formula(Formula),
}

/// The orders that are no formulas, with their names and descriptions.
const PLAIN: [(QueueOrder, &str, &str); 5] = [
    (QueueOrder::Arrival, "ARRIVAL", "queue by arrival"),
    (QueueOrder::Sjf, "SJF", "shortest job first"),
    (QueueOrder::Ljf, "LJF", "longest job first"),
    (QueueOrder::Saf, "SAF", "smallest area first"),
    (QueueOrder::Wfp3, "WFP3", "largest (wait / estimate)^3 * width first"),
];

/// Formulas with a name: the smallest expansion factor (Legrand et al. 2019); UNICEF (Tang et al. 2009), with the small numbers that
/// RLScheduler (Zhang et al. 2020) has for jobs of one task; and those of Carastan-Santos and de Camargo (2017), where as in RLScheduler no
/// job is submitted before 0.1 s.
const FORMULAS: [(&str, &str); 6] = [
    ("SEXP", "(wait + estimate) / estimate"),
    ("UNICEF", "-(wait + 1e-11) / (log2(width + 1e-11) * estimate)"),
    ("F1", "log10(estimate) * width + 870 * log10(max(submit, 0.1))"),
    ("F2", "sqrt(estimate) * width + 25600 * log10(max(submit, 0.1))"),
    ("F3", "estimate * width + 6860000 * log10(max(submit, 0.1))"),
    ("F4", "estimate * sqrt(width) + 530000 * log10(max(submit, 0.1))"),
];

impl QueueOrder {
    /// Those that are no formulas, by submission first.
    pub fn plain() -> impl Iterator<Item = QueueOrder> {
        PLAIN.into_iter().map(|(order, ..)| order)
    }

    /// All that have a name, by submission first.
    pub fn all() -> impl Iterator<Item = QueueOrder> {
        let formula = |(_, text)| Formula::parse(text).expect("formulas with names are formulas");
        QueueOrder::plain().chain(FORMULAS.into_iter().map(formula).map(QueueOrder::Formula))
    }

    /// The order of a name, or of a formula in quotes.
    pub(super) fn parse(name: &str) -> Result<Option<QueueOrder>, FormulaError> {
        // In RLScheduler it has another name.
        let name = if name == "UNICEP" { "UNICEF" } else { name };
        if let Some((order, ..)) = PLAIN.into_iter().find(|(_, known, _)| *known == name) {
            return Ok(Some(order));
        }
        let named = FORMULAS.into_iter().find(|(known, _)| *known == name).map(|(_, text)| text);
        let quoted = || name.strip_prefix('\'')?.strip_suffix('\'');
        named.or_else(quoted).map(|text| Formula::parse(text).map(QueueOrder::Formula)).transpose()
    }

    /// A description, in a few words.
    pub fn description(self) -> String {
        match (self, self.plain_words()) {
            (QueueOrder::Formula(formula), _) => format!("smallest {formula} first"),
            (_, (_, words)) => words.to_owned(),
        }
    }

    /// The name and the description of an order that is no formula.
    fn plain_words(self) -> (&'static str, &'static str) {
        let entry = PLAIN.into_iter().find(|(order, ..)| *order == self);
        entry.map_or(("", ""), |(_, name, words)| (name, words))
    }

    /// Whether the order of two jobs can change while they wait.
    pub fn depends_on_time(self) -> bool {
        match self {
            QueueOrder::Wfp3 => true,
            QueueOrder::Formula(formula) => formula.depends_on_time(),
            _ => false,
        }
    }
}

impl FromStr for QueueOrder {
    type Err = UnknownName;
    fn from_str(name: &str) -> Result<QueueOrder, UnknownName> {
        let known = || QueueOrder::all().map(|order| order.to_string());
        QueueOrder::parse(name)
            .ok()
            .flatten()
            .ok_or_else(|| UnknownName::new("order of the queue", name, known()))
    }
}

impl fmt::Display for QueueOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let QueueOrder::Formula(formula) = self {
            let named = FORMULAS.into_iter().find(|(_, text)| *text == formula.text());
            return match named {
                Some((name, _)) => f.write_str(name),
                None => write!(f, "'{formula}'"),
            };
        }
        f.write_str(self.plain_words().0)
    }
}
