//! The packer of DFRS and shares against schedules derived by hand and against slow twins.

mod mcb;
mod shares;
