//! Queries on results: select the values of a metric by labels, average them over columns, pair them
//! and aggregate them. Claims are entries of a TOML file that contain such queries ([`Entries`]).

mod cells;
mod entries;
mod entry;
mod evaluate;
mod filter;
mod judge;
mod keys;
mod limit;
mod resampled;
mod series;
mod take;
mod template;

pub use cells::Cells;
pub use entries::Entries;
pub use entry::{
    Aggregation, ClaimEntry, ForEach, LabelPairs, NamedCheck, Query, SideComparison, Sides, ValueSelection,
};
pub use filter::LabelFilter;
pub use judge::ClaimChecker;
pub use limit::Limit;
pub use series::{LabelColumn, LabelledValues};
pub use take::{Aggregate, PairOperation, QueryResult};
pub use template::{TemplateValue, fill};

/// A source of data for queries: the results of a run, those of one replication, or published ones.
pub trait Source {
    /// Returns the columns by which results are filtered, averaged and paired.
    fn columns(&self) -> Vec<&'static str>;
    /// Returns the columns of numbers.
    fn metrics(&self) -> Vec<&'static str>;
    /// Returns the names of the checks that no query expresses.
    fn checks(&self) -> Vec<&'static str> {
        Vec::new()
    }
    /// Returns the columns over which numbers are averaged first, unless a claim uses each line.
    fn averaged(&self) -> &'static [&'static str] {
        &[]
    }
    /// Returns the values of a metric on the lines that the filter accepts; `None` if the source
    /// lacks a label that the filter needs.
    fn series(&self, metric: &str, filter: &LabelFilter) -> Option<LabelledValues>;
    /// Runs one of the [checks](Source::checks); `None` if the source lacks data that it needs.
    fn check(&self, _check: &NamedCheck) -> Option<QueryResult> {
        None
    }
}

/// Converts sources of one type to trait objects, for a [`ClaimChecker`].
pub fn sources<S: Source>(all: &[S]) -> Vec<&dyn Source> {
    all.iter().map(|one| one as &dyn Source).collect()
}
