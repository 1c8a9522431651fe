//! Orders of waiting jobs.

use crate::formula::{Formula, FormulaError};
use crate::named::UnknownName;
use std::fmt;
use std::str::FromStr;

/// Order of waiting jobs; ties are broken by the order of submission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum QueueOrder {
    /// Order of submission.
    #[default]
    Arrival,
    /// Shortest job first, by estimate.
    Sjf,
    /// Longest job first, by estimate.
    Ljf,
    /// Smallest area first: estimate * size.
    Saf,
    /// Largest (wait / estimate)^3 * size first, recomputed in each scheduling cycle (Tang et al.
    /// 2009, "WFP3").
    Wfp3,
    /// Smallest value of a formula first, recomputed in each scheduling cycle if it depends on the
    /// wait. The formula is a named one (SEXP, UNICEF, F1 to F4) or any other one in quotes.
    Formula(Formula),
}

/// Orders that are not formulas: order, name, description.
const PLAIN: [(QueueOrder, &str, &str); 5] = [
    (QueueOrder::Arrival, "ARRIVAL", "queue by arrival"),
    (QueueOrder::Sjf, "SJF", "shortest job first"),
    (QueueOrder::Ljf, "LJF", "longest job first"),
    (QueueOrder::Saf, "SAF", "smallest area first"),
    (QueueOrder::Wfp3, "WFP3", "largest (wait / estimate)^3 * width first"),
];

/// Named formulas: the smallest expansion factor (Legrand et al. 2019); UNICEF (Tang et al. 2009),
/// with the small numbers by which RLScheduler (Zhang et al. 2020) handles jobs of one task; and
/// those of Carastan-Santos and de Camargo (2017). As in RLScheduler, submit times below 0.1 s count
/// as 0.1 s.
const FORMULAS: [(&str, &str); 6] = [
    ("SEXP", "(wait + estimate) / estimate"),
    ("UNICEF", "-(wait + 1e-11) / (log2(width + 1e-11) * estimate)"),
    ("F1", "log10(estimate) * width + 870 * log10(max(submit, 0.1))"),
    ("F2", "sqrt(estimate) * width + 25600 * log10(max(submit, 0.1))"),
    ("F3", "estimate * width + 6860000 * log10(max(submit, 0.1))"),
    ("F4", "estimate * sqrt(width) + 530000 * log10(max(submit, 0.1))"),
];

impl QueueOrder {
    /// Iterates over the orders that are not formulas, the order of submission first.
    pub fn plain() -> impl Iterator<Item = QueueOrder> {
        PLAIN.into_iter().map(|(order, ..)| order)
    }

    /// Iterates over all named orders, the order of submission first.
    pub fn all() -> impl Iterator<Item = QueueOrder> {
        let formula = |(_, text)| Formula::parse(text).expect("formulas with names are formulas");
        QueueOrder::plain().chain(FORMULAS.into_iter().map(formula).map(QueueOrder::Formula))
    }

    /// Parses the name of an order, or a formula in quotes; `None` for an unknown name.
    pub(super) fn parse(name: &str) -> Result<Option<QueueOrder>, FormulaError> {
        // RLScheduler spells the name this way.
        let name = if name == "UNICEP" { "UNICEF" } else { name };
        if let Some((order, ..)) = PLAIN.into_iter().find(|(_, known, _)| *known == name) {
            return Ok(Some(order));
        }
        let named = FORMULAS.into_iter().find(|(known, _)| *known == name).map(|(_, text)| text);
        let quoted = || name.strip_prefix('\'')?.strip_suffix('\'');
        named.or_else(quoted).map(|text| Formula::parse(text).map(QueueOrder::Formula)).transpose()
    }

    /// Returns a short description.
    pub fn description(self) -> String {
        match (self, self.plain_words()) {
            (QueueOrder::Formula(formula), _) => format!("smallest {formula} first"),
            (_, (_, words)) => words.to_owned(),
        }
    }

    /// Returns the name and the description of an order that is not a formula; empty texts for a
    /// formula.
    fn plain_words(self) -> (&'static str, &'static str) {
        let entry = PLAIN.into_iter().find(|(order, ..)| *order == self);
        entry.map_or(("", ""), |(_, name, words)| (name, words))
    }

    /// Returns whether the order of two jobs can change while they wait.
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
        QueueOrder::parse(name).ok().flatten().ok_or_else(|| UnknownName::new("queue order", name, known()))
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
