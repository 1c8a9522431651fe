//! Questions about results: the values of a column where others are so, averaged over columns, in pairs, and what is made of
//! them. Statements are entries of a TOML file that ask such questions ([`Entries`]).

mod cells;
mod entry;
mod filter;
mod judge;
mod limit;
mod resampled;
mod series;
mod take;
mod template;

pub use cells::Cells;
pub use entry::{Entries, Entry, ForEach};
pub use filter::Where;
pub use judge::Judge;
pub use limit::Limit;
pub use series::{Labels, Series};
pub use take::{Combine, Finding, Take};
pub use template::{Value, fill};

/// What can be asked: our results, those of one replication, or the published ones.
pub trait Source {
    /// The columns by whose values results are chosen, averaged and paired.
    fn columns(&self) -> Vec<&'static str>;
    /// The columns of numbers.
    fn metrics(&self) -> Vec<&'static str>;
    /// The checks that no query states, by the names that entries give them.
    fn checks(&self) -> Vec<&'static str> {
        Vec::new()
    }
    /// The columns over which numbers are averaged first, unless an entry asks for each line.
    fn averaged(&self) -> &'static [&'static str] {
        &[]
    }
    /// The values of a metric where labels are so; `None` if the source lacks one that is asked for.
    fn series(&self, metric: &str, filter: &Where) -> Option<Series>;
    /// The finding of one of the [checks](Source::checks); `None` where results that it is about are missing.
    fn check(&self, _name: &str, _entry: &Entry) -> Option<Finding> {
        None
    }
}

/// Sources of one type as sources of any, for a [`Judge`].
pub fn sources<S: Source>(all: &[S]) -> Vec<&dyn Source> {
    all.iter().map(|one| one as &dyn Source).collect()
}
