//! Tests the co-allocation: golden cases, slow reference implementations and properties.

mod damaged;
mod golden;
mod instances;
mod optimum;
mod properties;
mod search_twin;
mod timetable;
