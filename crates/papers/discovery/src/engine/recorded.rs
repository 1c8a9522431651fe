//! Recorded CPU traces.
//!
//! A file has a line for each interval (such as 300 s) and, separated by commas, a value for each
//! machine. With one number per line it is the trace of one machine. Values are percentages of a
//! node or fractions of it. A first line without numbers names the columns. Blank lines, and lines
//! that begin with `#`, are skipped.

use crate::engine::Needs;
use dfrsim_model::{Share, SimSpan, named};

named! {
    /// Unit of values.
    pub enum Unit as "unit" {
        /// Percentages, from 0 to 100.
        Percent = "percent",
        /// Fractions, from 0 to 1.
        Fraction = "fraction",
    }
}

impl Unit {
    /// Returns the largest value, which is a whole node.
    #[must_use]
    pub const fn whole(self) -> f64 {
        match self {
            Unit::Percent => 100.0,
            Unit::Fraction => 1.0,
        }
    }
}

/// Traces of the machines of a file, in the order of its columns, and their length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Trace of each column; at least one.
    pub machines: Vec<Needs>,
    /// Length of all traces: lines * interval.
    pub span: SimSpan,
}

/// Reads CPU traces with a line for each interval.
///
/// ```
/// use dfrsim_paper_discovery::engine::recorded::{Unit, parse};
/// use dfrsim_model::{Share, SimSpan, SimTime};
///
/// let interval = SimSpan::from_secs(300);
/// let recorded = parse("web,db\n25,0\n50,0\n", Unit::Percent, interval).unwrap();
/// assert_eq!(recorded.machines[0].steps()[1], (SimTime::from_secs(300), Share::from_ratio(1, 2)));
/// assert_eq!((recorded.machines.len(), recorded.span), (2, SimSpan::from_secs(600)));
///
/// let faults = parse("25\n250\n", Unit::Percent, interval).unwrap_err();
/// assert_eq!(faults[0], "line 2, column 1: `250` is not a number from 0 to 100");
/// ```
///
/// # Errors
/// All that is wrong with the text, each with its line and column, counted from 1.
pub fn parse(text: &str, unit: Unit, interval: SimSpan) -> Result<Recorded, Vec<String>> {
    let mut faults = Vec::new();
    let mut columns: Vec<Vec<Share>> = Vec::new();
    let mut lines = 0;
    let said = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    for (place, (line, content)) in said.enumerate() {
        let fields: Vec<&str> = content.split(',').map(str::trim).collect();
        if place == 0 {
            columns.resize(fields.len(), Vec::new());
            if fields.iter().all(|field| field.parse::<f64>().is_err()) {
                continue;
            }
        }
        if fields.len() != columns.len() {
            let (found, expected) = (fields.len(), columns.len());
            faults.push(format!(
                "line {line}: found {found} values, expected {expected} as in the lines before"
            ));
            continue;
        }
        let whole = unit.whole();
        for (column, (values, found)) in (1..).zip(columns.iter_mut().zip(fields)) {
            match found.parse::<f64>().ok().and_then(|value| Share::try_from_f64(value / whole)) {
                Some(value) => values.push(value),
                None => faults.push(format!(
                    "line {line}, column {column}: `{found}` is not a number from 0 to {whole}"
                )),
            }
        }
        lines += 1;
    }
    if lines == 0 && faults.is_empty() {
        faults.push("expected at least one line of values".to_owned());
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let machines = columns.into_iter().map(|values| Needs::sampled(interval, values)).collect();
    Ok(Recorded { machines, span: SimSpan::from_micros(interval.micros().saturating_mul(lines)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> Vec<String> {
        parse(text, Unit::Percent, SimSpan::from_secs(300)).unwrap_err()
    }

    #[test]
    fn one_number_a_line_is_one_machine() {
        let recorded =
            parse("# a comment\r\n10\r\n\r\n20\r\n", Unit::Percent, SimSpan::from_secs(300)).unwrap();
        assert_eq!(recorded.machines.len(), 1);
        assert_eq!(recorded.machines[0].steps()[1].1, Share::from_ratio(1, 5));
        let fractions = parse("0.1\n0.2", Unit::Fraction, SimSpan::from_secs(300)).unwrap();
        assert_eq!(fractions, recorded);
    }

    #[test]
    fn all_faults_are_reported_with_their_places() {
        assert_eq!(
            faults("a,b\n1,2\n3\n4,nan\n-5,inf\n1,,2\n"),
            [
                "line 3: found 1 values, expected 2 as in the lines before",
                "line 4, column 2: `nan` is not a number from 0 to 100",
                "line 5, column 1: `-5` is not a number from 0 to 100",
                "line 5, column 2: `inf` is not a number from 0 to 100",
                "line 6: found 3 values, expected 2 as in the lines before",
            ]
        );
        assert_eq!(faults("5\nx\n"), ["line 2, column 1: `x` is not a number from 0 to 100"]);
        for empty in ["", "\n\n", "# no values\n", "web,db\n"] {
            assert_eq!(faults(empty), ["expected at least one line of values"], "{empty:?}");
        }
    }
}
