//! Packers and shares against schedules derived by hand and against slow twins.

mod mcb;
mod shares;
mod vector;
