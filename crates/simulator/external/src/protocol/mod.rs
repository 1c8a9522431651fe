//! Protocol between the simulation and a policy outside the program, over any transport.
//!
//! Messages and answers are plain data: lines of JSON over [pipes](crate::pipe), dictionaries in the
//! Python package. Times are in seconds; CPU needs, memory and yields are fractions of a node.
//!
//! **`begin`** has the `nodes` of the cluster. Shares (CPU needs and memory) are whole multiples of
//! 1/`share_units`, so a policy that multiplies them by `share_units` and rounds can add them
//! without error. `penalty` is the cost of a resumption or migration, and `seed` a number for
//! policies that use random numbers. If nodes differ, `classes` has for each class `name`, `first`,
//! `nodes`, `cpu`, `memory`, `speed`, `resources`, `features`. If the site has priorities, limits or
//! weights, `site` has them in the format of `--priority`; the policy is responsible for following
//! them. Under a power cap on nodes with speed levels, `levels` has the names of those below full
//! speed, and each class its `level_speeds`. The answer is `{}`, `{"lists":true}` to request the state of the cluster at each decision,
//! or `{"progress":true}` to request the progress of jobs.
//!
//! **`decide`** is sent once per time at which something happens, after all events of that time.
//! `completed` jobs have already released their nodes; `submitted` ones are pending. `job` is the
//! index of a job in the order of submission, `id` its number in the log, which error messages use,
//! and `estimate` its run time as far as it is known (`null` if unknown). A job has the fields of
//! the first line, and those of the others if they are known:
//!
//! `job`, `id`, `submit`, `tasks`, `cpu_need`, `memory`, `estimate`; `requested_time` (in seconds),
//! `user`, `group`, `queue`, `partition` (numbers in the log), `weight`; if nodes differ, `classes`
//! (indices of those that fit), `resources` (such as `{"gpu":2}`), `features`; under a power cap,
//! `draws` (watts above idle nodes at full speed, then at each level).
//!
//! `tick` is true if the requested wake-up time has come, and `all_submitted` if all jobs of the
//! workload have been submitted. On request, `progress` is a list of the jobs in the system,
//! `{"job":0,"virtual_time":12.5}`, with the work that each has done, in seconds at full speed. Jobs
//! that lost their nodes are in `interrupted`: `{"job":0,"waits":true}` was requeued; with `false`
//! it has left the system. Under a power cap, `power` has the watts that all running jobs may draw
//! now above idle nodes; the sum of their draws, each times its yield, must not grow beyond it.
//!
//! On request, lists describe the cluster, so that a policy needs no state of its own: `free`, the
//! empty nodes that are up; `waiting` in the order of submission, each with `job`, `tasks`,
//! `submit`, `estimate` (of the remaining time), `paused`; `running` by expected end, each with
//! `job`, `tasks`, `end` (in the past if the job has exceeded its estimate, `null` if unknown),
//! `level` (absent at full speed) and `nodes`; `down` nodes; and announced `windows` with `first`, `nodes`, `from` and `until`.
//!
//! **The answer** may just list the jobs to start. With `{"start":[3,1]}` each job, in this order,
//! gets the first free nodes that can hold its tasks, belong to a class that fits, and are up until
//! its expected end. Jobs for which there are too few nodes stay pending, and are rejected if even
//! the empty cluster has too few. Otherwise the answer has the net `changes`, at most one per job;
//! all other jobs stay as they are:
//!
//! | `do` | state of the job | fields |
//! |---|---|---|
//! | `start` | waiting | `job`, `nodes`, `yield`, `level` |
//! | `resume` | paused | `job`, `nodes`, `yield`, `level` |
//! | `migrate` | running | `job`, `nodes`, `yield`, `level` |
//! | `yield` | running | `job`, `yield`, `level` |
//! | `pause` | running | `job` |
//! | `kill` | running | `job` |
//! | `reject` | waiting | `job` |
//!
//! `nodes` has a node for each task, `[0,1,1]` or `"0-1,1"`; a repeated node gets several tasks. The
//! default `yield` is 1; it is rounded down to a multiple of 2^-20, so that three jobs with a third
//! each fit on a node. `level` is the name of a speed level, or an empty text for full speed; without
//! it a job starts and resumes at full speed, and otherwise keeps its level. `"wake_at":120.5` requests a call at that time even without an event; it is
//! valid until the next answer. `"error":"text"` ends the simulation with this message.
//!
//! **`end`** is the last message, and has no answer. `dfrsim schema pipe message` (`greeting`,
//! `answer`) prints JSON Schemas.

mod messages;
mod scheduler;

pub use messages::{
    Answer, Arrival, Change, Class, Greeting, Interrupted, Message, Nodes, Placed, Progress, RunningJob,
    State, Waiting, Window, task_nodes,
};
pub use scheduler::ProtocolScheduler;

/// The other side of the protocol, which makes the decisions.
pub trait Partner {
    /// Sends `begin` and returns the answer.
    ///
    /// # Errors
    ///
    /// The reason why there is no answer; it ends the simulation.
    fn begin(&mut self, message: &Message<'_>) -> Result<Greeting, String>;
    /// Sends `decide` and returns the answer.
    ///
    /// # Errors
    ///
    /// As for `begin`.
    fn decide(&mut self, message: &Message<'_>) -> Result<Answer, String>;
    /// Sends the last message, `end`.
    fn end(&mut self, message: &Message<'_>);
}
