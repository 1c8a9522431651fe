//! Strictness of a reader.

use dfrsim_model::named;

named! {
    /// The treatment of lines that deviate from the format.
    #[derive(Default)]
    pub enum Strictness as "strictness" {
        /// Invalid lines are skipped and counted; those with an unknown status or without a submit
        /// time are handled by the rules ([`Rules`](crate::prepare::Rules)). A file that cannot be
        /// read to its end is an error, and so are invalid lines if no line is valid.
        #[default]
        Lenient = "lenient",
        /// Every deviation is an error.
        Strict = "strict",
    }
}

/// The treatment of lines that are out of order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// The first line that is out of order ends the stream.
    Sorted,
    /// Out-of-order lines are accepted and counted.
    Any,
}
