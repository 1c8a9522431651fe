//! Exit codes, the same for all commands.

/// All is well.
pub const SUCCESS: u8 = 0;
/// The work was done, and its result is a failure: a run broke a rule or was refused by a checker, an audit found faults, a
/// value is worse than its baseline.
pub const FAILURE: u8 = 1;
/// The input, the arguments or the place of the output are at fault.
pub const INPUT: u8 = 2;
/// The user interrupted it, as shells have it.
pub const INTERRUPTED: u8 = 130;
/// Nobody reads the output any more, as for a program that SIGPIPE ends.
pub const CLOSED_PIPE: u8 = 141;
