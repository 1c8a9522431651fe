//! Policies in separate processes, written in any language.
//!
//! | name of the policy | process that decides |
//! |---|---|
//! | `pipe:COMMAND` | a command that reads and writes [lines of JSON](pipe), by a [protocol] for fractional and batch policies |
//! | `batsim:COMMAND` | a command that speaks [Batsim's protocol](batsim), whole nodes; `{endpoint}` in it becomes the address to bind, `ipc://FILE` on Unix |
//! | `batsim:tcp://HOST:PORT` | a scheduler that is already running and speaks Batsim's protocol |
//! | `batsim-sharing:...` | as for `batsim`, but jobs may share nodes, each of which divides its CPU evenly |
//!
//! ```text
//! dfrsim simulate --workload log.swf --nodes 64 --policy 'pipe:python3 easy.py'
//! dfrsim simulate --workload log.swf --nodes 64 --policy 'batsim:pybatsim easyBackfill -s {endpoint} -t 60000'
//! ```
//!
//! In scenarios, sweeps, comparisons and the audit, such a policy is treated like any other: its
//! decisions are checked by the same rules, with the same messages. Each simulation starts its own
//! process and ends it; only a given address serves a single simulation. Rows are recomputed if the
//! command changes, if one of the files named in it changes, or if the version that may follow it
//! changes: `pipe:./scheduler --fast#2` is version 2 of `./scheduler --fast`.
//!
//! A process and all its children form a group. The group is terminated at the end of its simulation
//! and with this program, even if the program is killed. A simulation also ends if its policy keeps
//! asking to be woken while hardly any simulated time passes.
//!
//! A process fails if it ends, gives an invalid answer, or does not answer within 60 s (or
//! `$DFRSIM_POLICY_TIMEOUT` seconds; Unix only). Its simulation then becomes a row with a status;
//! the message has the last lines of the process's standard error.

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

/// Returns all policy families of this crate, for [`dfrsim_policies::Policies::with_family`].
pub fn families() -> Vec<PolicyFamily> {
    vec![
        PolicyFamily {
            prefix: "pipe",
            form: "pipe:COMMAND",
            description: "a command that reads and writes lines of JSON",
            create: pipe::policy,
        },
        PolicyFamily {
            prefix: "batsim",
            form: "batsim:COMMAND",
            description: "a command, or tcp://HOST:PORT, that speaks Batsim's protocol",
            create: |name| batsim::policy(name, batsim::Sharing::Forbidden),
        },
        PolicyFamily {
            prefix: "batsim-sharing",
            form: "batsim-sharing:COMMAND",
            description: "like batsim, but jobs may share nodes",
            create: |name| batsim::policy(name, batsim::Sharing::Allowed),
        },
    ]
}
