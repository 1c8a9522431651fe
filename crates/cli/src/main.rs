//! `dfrsim`: the program with the standard studies and policies.

use std::process::ExitCode;

fn main() -> ExitCode {
    dfrsim_commands::main_with(dfrsim::registry())
}
