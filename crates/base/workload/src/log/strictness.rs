//! What a reader puts up with.

use dfrsim_model::named;

named! {
    /// The rule for lines that are not as the format defines them.
    #[derive(Default)]
    pub enum Strictness as "strictness" {
        /// Lines that cannot be read are left out and counted; those with an unknown status or without submit time are
        /// left to the rules ([`Rules`](crate::prepare::Rules)). A file that cannot be read to its end is a fault, and so are
        /// broken lines where no line can be read.
        #[default]
        Lenient = "lenient",
        /// Every one is a fault.
        Strict = "strict",
    }
}

/// Whether lines may be out of order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// No: the first one ends the stream.
    Sorted,
    /// Yes: they are counted.
    Any,
}
