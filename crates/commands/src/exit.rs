//! Exit codes, which all commands share.

use std::process::ExitCode;

/// Exit status of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The command succeeded.
    Success = 0,
    /// The work was done, but its result is a failure: a run broke a rule or was rejected by a
    /// checker, an audit found violations, or a value is worse than its baseline.
    Failure = 1,
    /// The input, the arguments, the output path or the memory limit are wrong.
    Input = 2,
    /// The user interrupted the program: 128 + SIGINT, as in shells.
    Interrupted = 130,
    /// The reader of the output has closed it: 128 + SIGPIPE.
    ClosedPipe = 141,
}

impl Exit {
    /// All exit statuses, in the order of their codes.
    pub const ALL: [Exit; 5] =
        [Exit::Success, Exit::Failure, Exit::Input, Exit::Interrupted, Exit::ClosedPipe];

    /// Returns the exit code that the parent process receives.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }
    /// Returns the name of the status, as it appears in JSON: one word in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.words().0
    }
    /// Returns a description of the status in one line.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        self.words().1
    }
    const fn words(self) -> (&'static str, &'static str) {
        const FAILURE: &str = "the work was done, but its result is a failure: a failed row, a broken rule, a violation, a regression";
        const INPUT: &str =
            "wrong arguments or input, an output that cannot be written, or insufficient memory";
        match self {
            Exit::Success => ("success", "the command succeeded"),
            Exit::Failure => ("failure", FAILURE),
            Exit::Input => ("input", INPUT),
            Exit::Interrupted => ("interrupted", "interrupted by the user; finished runs are kept"),
            Exit::ClosedPipe => ("closed-pipe", "the reader of standard output has closed it"),
        }
    }
    /// Formats the list of exit codes for the help of the program, one line for each.
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
