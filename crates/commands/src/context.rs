//! Context in which commands run, and groups of commands.

use crate::failure::Failure;
use crate::memory::Limit;
use crate::output::{Answer, Printing};
use dfrsim_lab::Registry;

/// Context of a command, in addition to its arguments.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    /// Studies and policies of the program.
    pub(crate) registry: &'a Registry,
    /// Limit of the memory that the program may use.
    pub(crate) memory: Limit,
    /// Format in which answers are printed.
    pub(crate) printing: Printing,
}

impl Context<'_> {
    /// Prints the answer of the command.
    pub(crate) fn print(&self, answer: &impl Answer) -> Result<(), Failure> {
        self.printing.print(answer)
    }
}

/// Declares a group of commands as an enum of clap subcommands, one of which is run.
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
