//! Mean, quantiles and maximum, as several commands print them.

use dfrsim_cluster::Distribution;

/// Formats the headings of the values in a table.
pub(super) fn heading() -> String {
    format!("{:>14}{:>14}{:>14}{:>14}{:>14}", "mean", "median", "95 %", "99 %", "max")
}

/// Formats the values as a line of the table, in columns of 14 characters.
pub(super) fn line(Distribution { mean, median, p95, p99, max }: &Distribution) -> String {
    format!("{mean:>14.2}{median:>14.2}{p95:>14.2}{p99:>14.2}{max:>14.2}")
}
