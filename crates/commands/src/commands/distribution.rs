//! Mean, quantiles and maximum, as several commands print them.

use dfrsim_cluster::Distribution;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// Mean, quantiles (values of the set, nearest rank) and maximum.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(super) struct Figures {
    mean: f64,
    median: f64,
    p95: f64,
    p99: f64,
    max: f64,
}

impl From<Distribution> for Figures {
    fn from(Distribution { mean, median, p95, p99, max }: Distribution) -> Figures {
        Figures { mean, median, p95, p99, max }
    }
}

/// The headings of the values in a table.
pub(super) fn heading() -> String {
    format!("{:>14}{:>14}{:>14}{:>14}{:>14}", "mean", "median", "95 %", "99 %", "max")
}

impl fmt::Display for Figures {
    /// A line of the table.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Figures { mean, median, p95, p99, max } = self;
        write!(f, "{mean:>14.2}{median:>14.2}{p95:>14.2}{p99:>14.2}{max:>14.2}")
    }
}
