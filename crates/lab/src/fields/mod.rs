//! The fields of a scenario, each declared once: TOML shape, default, range, documentation and the way back.
//!
//! [`fields!`](crate::fields!) declares a table; its page has an example. Of each field a [`Codec`] says how it is read
//! and written:
//!
//! | codec | value |
//! |---|---|
//! | [`count`], [`seed`] | whole numbers of any type |
//! | [`number`], [`positive`], [`fraction`], [`positive_fraction`] | `f64`, `Yield`, `Share` |
//! | [`seconds`], [`positive_seconds`] | `SimSpan` |
//! | [`boolean`], [`text`], [`name`] | |
//! | [`named`], [`parsed`], [`choice`] | what has names: by `FromStr` and `Display`, or by a list of names given there |
//! | [`selected`], [`any_selected`] | some of all that has names, by names and regular expressions |
//! | [`list`], [`one_or_many`], [`optional`] | several values of another codec, or perhaps none |
//! | [`table()`], [`tables`], [`distinct_tables`], [`map`], [`flattened`] | nested tables |
//! | [`file()`], [`log()`], [`file_or`] | a file that exists, or what could be in it |
//! | [`result_folder`] | a folder in the results |
//! | [`shorthand`] | names for some values |
//! | [`via`], [`with`], [`serde()`] | everything else |
//!
//! All faults of a scenario are found at once, each with its place: the reader of a wrong value reports it to the
//! [`Reader`] and returns `None`, and reading goes on with the next one.

mod check;
mod codec;
mod declare;
mod docs;
mod environment;
mod macros;
mod names;
mod order;
mod reader;
mod scenario;
mod table;
mod uses;

pub use check::Check;
pub use codec::*;
pub use declare::{Fields, defaults};
#[doc(hidden)]
pub use declare::{doc_text, only_one};
pub use dfrsim_input::{Fault, Faults, Located, Span};
#[doc(hidden)]
pub use docs::alternatives;
pub use docs::{Absent, FieldDoc, TableDoc};
pub use environment::Environment;
pub use names::{nearest, unknown};
pub use reader::Reader;
pub use scenario::{Document, Scenario, ScenarioSource, document_fields};
pub use table::TableAt;
pub use toml::{Table, Value};
pub use uses::{UsedFile, Uses};
