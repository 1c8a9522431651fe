//! Policies in processes of their own, written in any language.
//!
//! | name of the policy | what decides |
//! |---|---|
//! | `pipe:COMMAND` | a command that reads and writes [lines of JSON](pipe), by a [protocol] for fractional and batch policies |
//! | `batsim:COMMAND` | a command that speaks [Batsim's protocol](batsim), whole nodes; `{endpoint}` in it becomes the address to bind, `ipc://FILE` on Unix |
//! | `batsim:tcp://HOST:PORT` | the same, of a scheduler that runs already |
//! | `batsim-sharing:...` | the same, and jobs may share nodes, each of which divides its CPU evenly |
//!
//! ```text
//! dfrsim simulate --workload log.swf --nodes 64 --policy 'pipe:python3 easy.py'
//! dfrsim simulate --workload log.swf --nodes 64 --policy 'batsim:pybatsim easyBackfill -s {endpoint} -t 60000'
//! ```
//!
//! In scenarios, sweeps, comparisons and the audit such a policy is one like any other: what it decides is checked by the same
//! rules, with the same messages. Each simulation has a process of its own, started with it and ended with it; only an
//! address that is given serves a single simulation. Rows are computed again if the command changes, if one of the files that
//! its words name does, or the version that may follow it: `pipe:./scheduler --fast#2` is version 2 of
//! `./scheduler --fast`.
//!
//! A process and all that it starts are a group, which ends with its simulation and with the program, even if that is killed.
//! Policies that ask to be woken again and again while hardly any time passes end their simulations too.
//!
//! A process that ends, answers nonsense or not at all within 60 s (or what `$DFRSIM_POLICY_TIMEOUT` says, in seconds; Unix only) ends
//! its simulation, which becomes a row with a status; the message has the last lines of its standard error.

pub mod batsim;
mod command;
mod fault;
mod group;
mod nodes;
mod pace;
pub mod pipe;
mod process;
pub mod protocol;
mod seconds;

use dfrsim_policies::PolicyFamily;

/// All families of this crate, for [`dfrsim_policies::Policies::with_family`].
pub fn families() -> Vec<PolicyFamily> {
    vec![
        PolicyFamily {
            prefix: "pipe",
            form: "pipe:COMMAND",
            description: "a command that reads and writes lines of JSON",
            make: pipe::policy,
        },
        PolicyFamily {
            prefix: "batsim",
            form: "batsim:COMMAND",
            description: "a command, or tcp://HOST:PORT, that speaks Batsim's protocol",
            make: |name| batsim::policy(name, batsim::Sharing::Forbidden),
        },
        PolicyFamily {
            prefix: "batsim-sharing",
            form: "batsim-sharing:COMMAND",
            description: "the same; jobs may share nodes",
            make: |name| batsim::policy(name, batsim::Sharing::Allowed),
        },
    ]
}
