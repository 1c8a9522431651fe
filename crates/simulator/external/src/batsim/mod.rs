//! Batsim's protocol as spoken by schedulers for Batsim 3 and 4: JSON messages, request and reply
//! over ZeroMQ.
//!
//! dfrsim plays the role of Batsim: it connects to the endpoint that the scheduler binds, sends
//! requests, and carries out the replies.
//!
//! | event | from | remarks |
//! |---|---|---|
//! | `SIMULATION_BEGINS`, `SIMULATION_ENDS` | dfrsim | nodes are the compute resources 0 to n - 1; there are no storage resources |
//! | `JOB_SUBMITTED` | dfrsim | `res` is the number of tasks, `walltime` the estimate, -1 without one |
//! | `JOB_COMPLETED`, `JOB_KILLED` | dfrsim | with `job_state` and `alloc` |
//! | `REQUESTED_CALL` | dfrsim | at the time requested by `CALL_ME_LATER` |
//! | `NOTIFY` | dfrsim | `no_more_static_job_to_submit` with the last submission |
//! | `RESOURCE_STATE_CHANGED` | dfrsim | immediately; the state has no effect, since energy is not modelled |
//! | `EXECUTE_JOB` | scheduler | with `alloc`, and optionally a `mapping` of executors to the nodes of `alloc` |
//! | `REJECT_JOB`, `KILL_JOB` | scheduler | |
//! | `CALL_ME_LATER`, `SET_RESOURCE_STATE` | scheduler | |
//! | `REGISTER_PROFILE`, `REGISTER_JOB` | scheduler | profiles of the type `delay` |
//! | `SET_JOB_METADATA`, `NOTIFY` | scheduler | accepted; no effect |
//!
//! All other events are errors that name the event. As in Batsim, an event with a later timestamp
//! happens at that time, and events before the `now` of a reply are sent after it. Jobs of a Batsim
//! workload keep their ids, profiles and extra fields, so schedulers see the run times in the
//! profiles, as with Batsim. The run times of jobs of other logs are hidden: the profile is a delay
//! of the estimate, or 0 without one. A job cannot be registered with the profile of a job of the
//! log. If jobs arrive at second 0, the scheduler's clock is one second ahead.
//!
//! Nodes are allocated exclusively, with one task on each. If jobs may share nodes
//! ([`Sharing::Allowed`]), each node divides its CPU evenly among its jobs, and a job progresses at
//! the rate of its busiest node.
//!
//! For 10,000 jobs of HPC2N, dfrsim uses 8 % of the processor time with pybatsim's fillerSched, and
//! 14 % with its faster easyBackfill (`taskset -c 0 python3 scripts/bench/external.py`). More than
//! half of that is spent in the kernel, which delivers messages and switches between the processes.

mod connection;
mod events;
mod messages;
mod orders;
mod scheduler;
mod sharing;
#[cfg(test)]
mod tests;
mod zmtp;

use crate::command::Command;
use connection::Connection;
use dfrsim_model::SimSpan;
use dfrsim_policies::CustomPolicy;
use dfrsim_policies::fractional::PolicySetting;
use scheduler::BatsimScheduler;

/// Option to allow several jobs on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// A node has at most one job.
    Forbidden,
    /// Each node divides its CPU evenly among its jobs.
    Allowed,
}

/// Creates the policy of a name such as `batsim:pybatsim easyBackfill -s {endpoint}` or
/// `batsim:tcp://localhost:28000`.
///
/// # Errors
///
/// The name has neither a command with `{endpoint}` nor an address, or a file that it names cannot
/// be read.
pub fn policy(name: &str, sharing: Sharing) -> Result<CustomPolicy, String> {
    let command = Command::parse(name)?;
    let is_address = matches!(&command.words[..], [address] if address.starts_with(SCHEME));
    if !is_address && !command.words.iter().any(|word| word.contains(ENDPOINT)) {
        return Err(format!(
            "expected {SCHEME}HOST:PORT, or a command that contains {ENDPOINT} for the address to bind"
        ));
    }
    let (version, files) = (command.version.clone(), command.files.clone());
    let make = move |nodes, _: &_, _: Option<&_>| {
        let command = command.clone();
        let connect = move || Connection::open(&command);
        Box::new(BatsimScheduler::new(connect, nodes, sharing, CLOCK_OFFSET)) as _
    };
    let policy =
        CustomPolicy::new(name, version, make).described("a scheduler that speaks Batsim's protocol");
    // An address can also come from the author of a scenario, so it is treated like a command.
    Ok(policy.reading([PolicySetting::Site]).running_command(files))
}

/// Offset of the scheduler's clock if jobs arrive at second 0, when pybatsim refuses to start jobs.
const CLOCK_OFFSET: SimSpan = SimSpan::from_secs(1);

/// Placeholder for the address in a command.
const ENDPOINT: &str = "{endpoint}";

/// Prefix of a TCP address.
const SCHEME: &str = "tcp://";

/// Prefix of a file address.
const FILE_SCHEME: &str = "ipc://";

/// Transport of requests and replies.
trait Transport {
    /// Sends a request and waits for its reply.
    fn exchange(&mut self, request: &[u8]) -> Result<String, String>;
    /// Ends the connection after the last reply, so that the scheduler can end.
    fn end(&mut self);
}
