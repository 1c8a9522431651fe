//! Tests the pages of small runs.

mod page;
mod toy;
