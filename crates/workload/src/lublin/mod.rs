//! The Lublin-Feitelson model.

mod demand;

pub use demand::{MemoryStream, cpu_need};
