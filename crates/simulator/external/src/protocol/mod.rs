//! What a policy outside of the program receives and answers, over any transport.
//!
//! Messages and answers are plain data: over [pipes](crate::pipe) lines of JSON, in the Python package dictionaries. Times are in
//! seconds, CPU needs, memory and yields parts of a node.
//!
//! **`begin`**: `nodes` of the cluster; shares (CPU needs and memory) are whole multiples of 1/`share_units`, so a policy that
//! multiplies and rounds them can add them without error. `penalty` is what a resumption or migration costs, `seed` a number for
//! policies that draw. Where nodes differ, `classes` has for each class `name`, `first`, `nodes`, `cpu`, `memory`, `speed`, `resources`, `features`. Where the site has
//! priorities, limits or weights, `site` is what `--priority` reads; to keep to them is up to the policy.
//! The answer is `{}`, `{"lists":true}` by a policy that wants the state of the cluster at each moment, or `{"progress":true}` by one that wants
//! to know how far jobs are.
//!
//! **`decide`** comes once a moment, after everything that happens in it. `completed` jobs have left their nodes already;
//! `submitted` ones wait. `job` is the place of a job in the order of submission, `id` its number in the log, by which faults name it, and `estimate`
//! what is known of its run time (`null` if unknown). A job has these fields, and those of the second line where they are known:
//!
//! `job`, `id`, `submit`, `tasks`, `cpu_need`, `memory`, `estimate`;
//! `requested_time` (in seconds), `user`, `group`, `queue`, `partition` (the numbers of the log), `weight`;
//! where nodes differ, `classes` (places of those that fit), `resources` (as `{"gpu":2}`), `features`.
//!
//! `tick` says whether the requested time has come;
//! `all_submitted`, whether no job of the workload is left to arrive. With `progress` there is a list of the jobs in the
//! system, `{"job":0,"virtual_time":12.5}`: the work that each has done, in seconds at full speed. Jobs that lost their nodes are in
//! `interrupted`: `{"job":0,"waits":true}` waits to be started again, with `false` it has left.
//!
//! With `lists` there are ready-made lists, so that a policy needs no memory of its own: `free`, the empty nodes that are up;
//! `waiting` by arrival, each with `job`, `tasks`, `submit`, `estimate` (of what is left), `paused`; `running` by expected end, each with `job`, `tasks`,
//! `end` (in the past if the job is past its estimate, `null` if unknown) and `nodes`; `down` nodes; and announced
//! `windows` with `first`, `nodes`, `from` and `until`.
//!
//! **The answer** may say no more than which jobs start: with `{"start":[3,1]}` each, in this order, gets the first free nodes that have room for its
//! tasks, fit its class, and are up until it is expected to end; those for which there are too few go on waiting, and are rejected if the empty cluster has too few. Otherwise it has the net `changes` of the moment, at most one a job; what is left out stays as it is:
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
//! that time even if no event occurs; it holds for one moment, until the next answer. `"error":"text"` gives up.
//!
//! **`end`** is the last message, and has no answer. `dfrsim schema pipe message` (`greeting`, `answer`) prints JSON Schemas.

mod messages;
mod scheduler;

pub use messages::{
    Answer, Arrival, Change, Class, Greeting, Interrupted, Message, Nodes, Placed, Progress, RunningJob,
    State, Waiting, Window, each,
};
pub use scheduler::ProtocolScheduler;

/// The policy in another process.
pub trait Partner {
    /// The answer to `begin`.
    ///
    /// # Errors
    /// There is no answer, for this reason: it ends the simulation.
    fn begin(&mut self, message: &Message<'_>) -> Result<Greeting, String>;
    /// The answer to `decide`.
    ///
    /// # Errors
    /// As those of `begin`.
    fn decide(&mut self, message: &Message<'_>) -> Result<Answer, String>;
    /// The simulation is over.
    fn end(&mut self, message: &Message<'_>);
}
