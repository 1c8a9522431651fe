//! Fields of a scenario, each declared once: TOML shape, default, range, documentation, reading and
//! writing.
//!
//! [`fields!`](crate::fields!) declares a table; its page has an example. The [`Codec`] of a field
//! determines how it is read and written:
//!
//! | codec | value |
//! |---|---|
//! | [`count`], [`seed`] | integers of any type |
//! | [`number`], [`positive`], [`fraction`], [`positive_fraction`] | `f64`, `Yield`, `Share` |
//! | [`seconds`], [`positive_seconds`] | `SimSpan` |
//! | [`boolean`], [`text`], [`one_line`], [`name`] | |
//! | [`named`], [`parsed`], [`choice`] | named values: by `FromStr` and `Display`, or by a given list of names |
//! | [`written`] | texts with a notation of their own: by `FromStr` and `Display` |
//! | [`selected`], [`any_selected`] | subsets of named values, by names and regular expressions |
//! | [`list`], [`one_or_many`], [`optional`] | several values of another codec, or at most one |
//! | [`table()`], [`tables`], [`distinct_tables`], [`map`], [`flattened`] | nested tables |
//! | [`file()`], [`log()`], [`file_or`] | an existing file, or its contents in the scenario |
//! | [`result_folder`] | a folder in the results |
//! | [`shorthand`] | names for some values |
//! | [`declared`] | settings that the model declares |
//! | [`via`], [`with`], [`serde()`] | everything else |
//!
//! All errors of a scenario are reported together, each with its position: code that reads an
//! invalid value reports it to the [`Reader`] and returns `None`, and reading continues with the
//! next value.

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
