//! Logs of machines in any format: records, the reader of line-based formats, and errors.
//!
//! A [`Source`] returns the [`Line`]s of one log in the order of their submit times. A [`Reader`]
//! streams them in constant memory; a [`Whole`] has read and sorted them. All errors in a file are
//! collected with their line, their field, and the found and expected values ([`Faults`]). The
//! formats themselves are in [`formats`](crate::formats).

mod account;
mod broken;
mod error;
mod fault;
mod field;
mod header;
mod input;
mod kilobytes;
mod lines;
mod listed;
mod names;
mod number;
mod origin;
mod parse;
mod read_ahead;
mod reader;
mod record;
mod source;
mod strictness;
mod whole;
mod word;

pub use account::{Account, AccountEntry, Effect, Fate, FieldUse, Reason};
pub use broken::BrokenReasons;
pub use error::LogError;
pub use fault::{Fault, Faults, Problem};
pub use field::Field;
pub use header::{Header, Naming};
pub(crate) use input::{Input, decompress, open_log};
pub use kilobytes::Kilobytes;
pub(crate) use listed::{
    AccountingJob, DependencyCondition, Listing, clock_seconds, file_bytes, file_text, read_error,
    unix_seconds,
};
pub(crate) use names::Names;
pub use number::MAX_SECONDS;
pub(crate) use parse::Dialect;
pub use reader::Reader;
pub use record::{Line, Record, Status};
pub use source::{ReadReport, Source};
pub(crate) use strictness::Order;
pub use strictness::Strictness;
pub use whole::{ResourceRequests, Whole};
