//! Reader of all files that users write: JSON, TOML and CSV. All errors are reported together.
//!
//! An [`Input`] is a parsed file, and a [`Located`] is one of its values with its path. A [`Reader`]
//! converts located values to typed ones and collects [`Fault`]s, each with its file, line and
//! field; reading continues after an error.
//!
//! ```
//! use dfrsim_input::{Input, Reader};
//!
//! let input = Input::toml("nodes.toml", "[[nodes]]\nname = \"N1\"\ncorse = 4\ncores = -4\n")?;
//! let mut reader = Reader::default();
//! let root = reader.object(&input.root(), &["nodes"]).unwrap();
//! let nodes = reader.field(&root, "nodes").and_then(|at| reader.list(&at)).unwrap();
//! let node = reader.object(&nodes[0], &["name", "cores"]).unwrap();
//! let cores = reader.field(&node, "cores").and_then(|at| reader.integer(&at, 1..=64));
//! let faults = reader.finish(cores).unwrap_err();
//! assert_eq!(faults.to_string(), r#"nodes.toml:3:1: nodes[0]: unknown field `corse`; did you mean `cores`?
//!   3 | corse = 4
//!     | ^^^^^
//! nodes.toml:4:9: nodes[0].cores: -4 is not an integer from 1 to 64
//!   4 | cores = -4
//!     |         ^^"#);
//! # Ok::<(), dfrsim_input::Faults>(())
//! ```
//!
//! `dfrsim-state` describes a cluster and its running jobs with these types.

mod decimal;
mod fault;
mod format;
mod located;
mod members;
pub mod named;
mod parse;
mod parse_error;
mod reader;
mod system_error;
mod text_file;
mod tree;

pub use decimal::Decimal;
pub use fault::{Fault, Faults, Quote, read_text};
pub use format::Input;
pub use located::{Located, Object};
pub use members::Members;
pub use parse::DeserializeError;
pub use parse_error::ParseError;
pub use reader::Reader;
pub use system_error::describe_io;
pub use text_file::{LONGEST_TEXT, read_text_file};
pub use tree::Span;
