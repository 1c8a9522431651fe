//! Lines of JSON: a protocol that any language speaks in a few lines.
//!
//! The command gets a line on its standard input and answers with a line on its standard output, in turns. Standard error is
//! free for notes. Times are in seconds, CPU needs, memory and yields parts of a node.
//!
//! ```text
//! <- {"event":"begin","format":1,"nodes":4,"share_units":943718400}
//! -> {}
//! <- {"event":"decide","now":0.0,"tick":false,"all_submitted":true,"submitted":[{"job":0,"id":17,"submit":0.0,"tasks":2,
//!     "cpu_need":1.0,"memory":0.1,"estimate":3600.0}],"completed":[]}
//! -> {"changes":[{"do":"start","job":0,"nodes":[0,1]}]}
//! <- {"event":"decide","now":3500.0,"tick":false,"all_submitted":true,"submitted":[],"completed":[0]}
//! -> {}
//! <- {"event":"end","now":3500.0}
//! ```
//!
//! **`begin`**: `nodes` of the cluster; shares (CPU needs and memory) are whole multiples of 1/`share_units`, so a policy that
//! multiplies and rounds them can add them without error. The answer is `{}`, or `{"progress":true}` by a policy that wants to
//! know at each moment how far jobs are.
//!
//! **`decide`** comes once a moment, after everything that happens in it. `completed` jobs have left their nodes already;
//! `submitted` ones wait. `job` is the place of a job in the order of submission, `id` its number in the log, and `estimate`
//! what is known of its run time (`null`: nothing). `tick` says whether the moment that was asked for has come;
//! `all_submitted`, whether no job of the workload is left to arrive. With `progress` there is a list of the jobs in the
//! system, `{"job":0,"virtual_time":12.5}`: the work that each has done, in seconds at full speed.
//!
//! **The answer** has the net `changes` of the moment, at most one a job; what is left out stays as it is:
//!
//! | `do` | of a job that is | fields |
//! |---|---|---|
//! | `start` | waiting | `job`, `nodes`, `yield` |
//! | `resume` | paused | `job`, `nodes`, `yield` |
//! | `migrate` | running | `job`, `nodes`, `yield` |
//! | `yield` | running | `job`, `yield` |
//! | `pause` | running | `job` |
//! | `kill` | running | `job` |
//! | `reject` | waiting | `job` |
//!
//! `nodes` has a node for each task, `[0,1,1]` or `"0-1,1"`; a node that is named twice gets two tasks. A `yield` that is left
//! out is 1; it is rounded down to a multiple of 2^-20, so that a third for each of three jobs fits. `"wake_at":120.5` asks for a call at
//! that time even if nothing happens; it holds for one moment, until the next answer. `"error":"text"` gives up.
//!
//! **`end`** is the last line, and has no answer.

mod messages;
mod scheduler;

use crate::command::Command;
use crate::fault::Fault;
use dfrsim_policies::CustomPolicy;
use scheduler::PipeScheduler;

/// The policy of a name such as `pipe:./my-scheduler --fast#2`.
///
/// # Errors
/// If it has no command, or a file that it names cannot be read.
pub fn policy(name: &str) -> Result<CustomPolicy, String> {
    let command = Command::parse(name)?;
    let version = command.version.clone();
    let make = move |nodes, _: &_| Box::new(PipeScheduler::new(command.clone(), nodes)) as _;
    Ok(CustomPolicy::new(name, version, make).described("a command that reads and writes lines of JSON"))
}

/// A text as what it says.
fn read<'a, T: serde::Deserialize<'a>>(answer: &'a str) -> Result<T, Fault> {
    serde_json::from_str(answer).map_err(|error| Fault::nonsense(error, answer))
}
