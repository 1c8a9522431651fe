//! Resources, reservations and requests as files.
//!
//! * **Resources**, CSV: the column `node` with a name for each, then a column for each property. One whose name begins
//!   with `label.` is qualitative and holds labels; others are quantitative and hold amounts.
//! * **Timetables**, CSV: a line for each reservation, with the columns `node`, `from`, `until` and a column for each
//!   quantitative property. Times are seconds.
//! * **Requests**, TOML: `duration` and `resources`; `earliest` and `latest` start if they matter; the tables `minimum`,
//!   `total` and `labels`, each by property. A minimum that is not given is a millionth, a total what the minima come to.
//!
//! Amounts and times have up to six decimals; further ones of times are cut off, and of amounts rounded.
//!
//! ```
//! use dfrsim_coallocation::file::{Window, Resources, request, reservations};
//! use dfrsim_model::{SimSpan, SimTime};
//!
//! let resources = Resources::parse("nodes.csv", "node,label.os,cores,ram_gb\na,Linux,4,2.5\nb,Linux,8,4\n")?;
//! assert_eq!(resources.quantities, ["cores", "ram_gb"]);
//! let taken = reservations("t.csv", "node,from,until,cores,ram_gb\nb,0,3600,1.5,0\n", &resources)?;
//! assert_eq!((taken[0].resource, taken[0].amounts[0]), (1, 1_500_000));
//! let window = Window { now: SimTime::ZERO, patience: SimSpan::from_secs(86_400) };
//! let text = "duration = 600\nresources = 2\n[total]\nram_gb = 5";
//! assert_eq!(*request("r.toml", text, &resources, window)?.total, [2, 5_000_000]);
//! # Ok::<(), dfrsim_coallocation::file::FileError>(())
//! ```

mod amount;
mod request;
mod resources;

pub use amount::{format_amount, parse_amount};
pub use request::{Window, request};
pub use resources::{Resources, reservation_lines, reservations};

use crate::GridError;

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
#[error("{file}{}: {problem}", line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct FileError {
    /// The file.
    pub file: String,
    /// The line, from 1, where it is known.
    pub line: Option<u64>,
    /// What is wrong.
    pub problem: Box<Problem>,
}

/// What may be wrong with a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// It is no CSV.
    #[error(transparent)]
    Csv(#[from] csv::Error),
    /// It is no TOML, or has other fields.
    #[error("{0}")]
    Toml(#[from] toml::de::Error),
    /// Its columns are others.
    #[error("the columns should be {expected}")]
    Columns {
        /// What they should be.
        expected: String,
    },
    /// A text is not an amount.
    #[error("`{0}` is not an amount from 0 to a hundred million")]
    Amount(String),
    /// A text is not a time.
    #[error(transparent)]
    Time(#[from] dfrsim_model::ParseTimeError),
    /// A number is not a time.
    #[error("`{field}`: {found} is not a number of seconds from 0 to 500 years")]
    Seconds {
        /// The field.
        field: &'static str,
        /// What stands there.
        found: f64,
    },
    /// A name stands twice.
    #[error("the name `{0}` stands twice")]
    Twice(String),
    /// There is no resource or property of this name.
    #[error("there is no {what} called `{name}`")]
    Unknown {
        /// What it should be.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// What it says cannot be meant.
    #[error(transparent)]
    Grid(#[from] GridError),
}

impl Problem {
    fn at(self, file: &str, line: Option<u64>) -> FileError {
        FileError { file: file.to_owned(), line, problem: Box::new(self) }
    }
}
