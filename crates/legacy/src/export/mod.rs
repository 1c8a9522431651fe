//! Rows in formats that tell numbers from texts.
//!
//! * [`json_lines`]: an object a row.
//! * `parquet`: a table with typed columns, if the crate is built with the feature `parquet`.
//!
//! ```
//! # use dfrsim_legacy::Row;
//! # let rows: Vec<Row> = Vec::new();
//! let mut out = Vec::new();
//! dfrsim_legacy::export::json_lines(&rows, &mut out)?;
//! # assert!(out.is_empty());
//! # Ok::<(), std::io::Error>(())
//! ```

mod json;
#[cfg(feature = "parquet")]
mod parquet;

pub use json::json_lines;
#[cfg(feature = "parquet")]
pub use parquet::parquet;
