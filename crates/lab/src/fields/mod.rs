//! The fields of a scenario, each declared once: TOML shape, default, range, documentation and the way back.

mod at;
mod codec;
mod declare;
mod docs;
mod environment;
mod fault;
mod macros;
mod names;
mod order;
mod overrides;
mod reader;
mod scenario;

pub use at::{TableAt, ValueAt};
pub use codec::*;
pub use declare::{Fields, defaults};
#[doc(hidden)]
pub use declare::{doc_text, only_one};
#[doc(hidden)]
pub use docs::alternatives;
pub use docs::{Absent, FieldDoc, TableDoc, document_fields};
pub use environment::Environment;
pub use fault::{Fault, InputErrors, Place, Span};
pub use names::{nearest, unknown};
pub use reader::{Check, Reader};
pub use scenario::{Document, Scenario, ScenarioSource};
pub use toml::{Table, Value};
