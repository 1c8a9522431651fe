//! Golden cases, slow twins and properties of the co-allocation.

mod damaged;
mod golden;
mod instances;
mod optimum;
mod properties;
mod search_twin;
mod timetable;
