//! Batsim's protocol, as schedulers written for Batsim 3 and 4 speak it: JSON messages, request and reply over ZeroMQ.
//!
//! dfrsim takes the part of Batsim: it connects to the endpoint that the scheduler binds, asks, and carries out the answer.
//!
//! | event | from | what |
//! |---|---|---|
//! | `SIMULATION_BEGINS`, `SIMULATION_ENDS` | dfrsim | nodes are the compute resources 0 to n - 1; there are no storage resources |
//! | `JOB_SUBMITTED` | dfrsim | `res` is the number of tasks, `walltime` the estimate, -1 without one |
//! | `JOB_COMPLETED`, `JOB_KILLED` | dfrsim | with `job_state` and `alloc` |
//! | `REQUESTED_CALL` | dfrsim | a moment of `CALL_ME_LATER` |
//! | `NOTIFY` | dfrsim | `no_more_static_job_to_submit` with the last submission |
//! | `RESOURCE_STATE_CHANGED` | dfrsim | at once; the state has no effect, since there is no model of energy |
//! | `EXECUTE_JOB` | scheduler | with `alloc`; with a `mapping` of executors to the nodes of `alloc` too |
//! | `REJECT_JOB`, `KILL_JOB` | scheduler | |
//! | `CALL_ME_LATER`, `SET_RESOURCE_STATE` | scheduler | |
//! | `REGISTER_PROFILE`, `REGISTER_JOB` | scheduler | profiles of the type `delay` |
//! | `SET_JOB_METADATA`, `NOTIFY` | scheduler | accepted; no effect |
//!
//! Everything else is an error that names the event. As in Batsim, an event with a later timestamp happens at that time, and what
//! happens before the answer's `now` is sent after it. Jobs of a workload of Batsim have their ids, profiles and further fields as they are
//! written, so their schedulers see the run times that profiles say, as with Batsim. Those of other logs are hidden: the profile is a delay of
//! the estimate, 0 without one. A job of the log cannot be registered a second time by its profile. Where jobs arrive at second 0, the
//! scheduler's clock is a second ahead.
//!
//! Nodes are given whole, one task on each. Where jobs may share nodes ([`Sharing::Allowed`]), each node divides its CPU
//! evenly among the jobs on it, and a job progresses as fast as on its busiest node.
//!
//! Of the processor time of 10,000 jobs of HPC2N dfrsim has 8 % beside pybatsim's fillerSched and 14 % beside its faster
//! easyBackfill (`taskset -c 0 python3 scripts/bench_external.py`); more than half of that is the kernel's, which delivers
//! messages and switches between the processes.

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

/// Whether several jobs may have the same node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// A node has one job.
    Forbidden,
    /// Each node divides its CPU evenly among its jobs.
    Allowed,
}

/// The policy of a name such as `batsim:pybatsim easyBackfill -s {endpoint}` or `batsim:tcp://localhost:28000`.
///
/// # Errors
/// If it has neither a command with `{endpoint}` nor an address, or a file that it names cannot be read.
pub fn policy(name: &str, sharing: Sharing) -> Result<CustomPolicy, String> {
    let command = Command::parse(name)?;
    let is_address = matches!(&command.words[..], [address] if address.starts_with(SCHEME));
    if !is_address && !command.words.iter().any(|word| word.contains(ENDPOINT)) {
        return Err(format!(
            "expected {SCHEME}HOST:PORT, or a command with {ENDPOINT} where the address to bind goes"
        ));
    }
    let (version, files) = (command.version.clone(), command.files.clone());
    let make = move |nodes, _: &_, _: Option<&_>| {
        let command = command.clone();
        let connect = move || Connection::open(&command);
        Box::new(BatsimScheduler::new(connect, nodes, sharing, AHEAD)) as _
    };
    let policy =
        CustomPolicy::new(name, version, make).described("a scheduler that speaks Batsim's protocol");
    // An address too is one that the author of a scenario chose.
    Ok(policy.reading([PolicySetting::Site]).running_command(files))
}

/// How far the clock of a scheduler is ahead of ours where jobs arrive at second 0: pybatsim refuses to start jobs then.
const AHEAD: SimSpan = SimSpan::from_secs(1);

/// In a command: where the address goes.
const ENDPOINT: &str = "{endpoint}";

/// What an address begins with.
const SCHEME: &str = "tcp://";

/// What the address of a file begins with.
const FILE_SCHEME: &str = "ipc://";

/// What carries requests and replies.
trait Transport {
    /// Sends a request and waits for its reply.
    fn exchange(&mut self, request: &[u8]) -> Result<String, String>;
    /// The last reply has come: lets the other side end.
    fn end(&mut self);
}
