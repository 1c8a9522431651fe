//! What commands work with, and groups of them.

use crate::failure::Failure;
use crate::memory::Limit;
use crate::output::{Answer, Printing};
use dfrsim_lab::Registry;

/// What a command works with, beside its arguments.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    /// The studies and policies of the program.
    pub(crate) registry: &'a Registry,
    /// How much memory may be used.
    pub(crate) memory: Limit,
    /// How answers are printed.
    pub(crate) printing: Printing,
}

impl Context<'_> {
    /// Prints the answer of the command.
    pub(crate) fn print(&self, answer: &impl Answer) -> Result<(), Failure> {
        self.printing.print(answer)
    }
}

/// Declares a group of commands, of which one is run.
macro_rules! commands {
    ($(#[$of_group:meta])* $visibility:vis enum $group:ident { $($(#[$of:meta])* $name:ident($command:ty),)+ }) => {
        #[derive(clap::Subcommand, Debug)]
        $(#[$of_group])*
        $visibility enum $group {
            $($(#[$of])* $name($command),)+
        }

        impl $group {
            /// Runs the command that was given.
            pub(crate) fn run(self, context: &$crate::context::Context<'_>) -> Result<(), $crate::failure::Failure> {
                match self {
                    $($group::$name(command) => command.run(context),)+
                }
            }
        }
    };
}
pub(crate) use commands;
