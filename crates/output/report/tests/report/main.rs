//! Pages of small runs.

mod page;
mod toy;
