//! Exit codes, the same for all commands.

use std::process::ExitCode;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The command succeeded.
    Success = 0,
    /// The work was done, and its result is a failure: a run broke a rule or was refused by a checker, an audit found faults, a
    /// value is worse than its baseline.
    Failure = 1,
    /// The input, the arguments, the place of the output or the limit of memory are at fault.
    Input = 2,
    /// The user interrupted it: 128 + SIGINT, as shells have it.
    Interrupted = 130,
    /// The reader of the output is gone: 128 + SIGPIPE.
    ClosedPipe = 141,
}

impl Exit {
    /// All of them, in the order of their codes.
    pub const ALL: [Exit; 5] =
        [Exit::Success, Exit::Failure, Exit::Input, Exit::Interrupted, Exit::ClosedPipe];

    /// The number that the parent process gets.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }
    /// One word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.words().0
    }
    /// When the program ends with it, in one line.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        self.words().1
    }
    const fn words(self) -> (&'static str, &'static str) {
        const FAILURE: &str = "the work was done, and its result is a failure: a failed row, a broken rule, faults, a regression";
        const INPUT: &str =
            "wrong arguments or input, an output that cannot be written, or too little memory";
        match self {
            Exit::Success => ("success", "the command succeeded"),
            Exit::Failure => ("failure", FAILURE),
            Exit::Input => ("input", INPUT),
            Exit::Interrupted => ("interrupted", "interrupted by the user; finished runs are kept"),
            Exit::ClosedPipe => ("closed-pipe", "the reader of standard output has gone"),
        }
    }
    /// A line for each code, for the help of the program.
    pub(crate) fn help() -> String {
        let line = |exit: Exit| format!("\n  {:>3}  {:<12} {}", exit.code(), exit.name(), exit.meaning());
        format!("Exit codes:{}", Exit::ALL.map(line).concat())
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}
