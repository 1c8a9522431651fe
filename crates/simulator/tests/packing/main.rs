//! Tests the packer of DFRS and the division of CPU against schedules derived by hand and against
//! slow reference implementations.

mod mcb;
mod shares;
