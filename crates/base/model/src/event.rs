//! Records of an events file: one JSON object per line, sufficient to check a simulation from
//! scratch.
//!
//! The first line is a [`Record::Run`]. The events of the jobs follow in the order of simulated
//! time. The last line is a [`Record::Summary`]. All numbers are the simulator's own integers: times
//! in microseconds (`_us`), shares in units of 1/943,718,400 of a node, yields in units of 2^-20.
//! Records of the same time are in the order: completions, changes of the platform, submissions,
//! then the decisions of the policy.
//!
//! Files of clusters with different nodes have a [`Record::Classes`] before the first event; only
//! they have `ask` records. Files of clusters with node failures have a [`Record::Platform`] as
//! their second line. Only they have `window`, `down`, `up`, `interrupt` and `lose` records, and
//! `platform` figures in the summary. Files of policies that order jobs by priority have a
//! [`Record::Priority`] before the first job. If their jobs can preempt others, they also have the
//! `platform` figures and the `interrupt` and `lose` records, which are then among the decisions of
//! the policy. Files of simulations that begin with running jobs have a [`Record::Begin`] before the
//! first job; the submissions and starts before its time are the past of the system. Files of clusters
//! whose nodes have a known power have a [`Record::Energy`] before the summary. Files of clusters that
//! have resources as a whole, a power cap, speed levels or nodes that sleep have a [`Record::Figures`]
//! there, too.

use crate::WeightRule;
use crate::numbers::is_default;
use crate::site::SiteSettings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Version of the format; readers reject all others.
pub const FORMAT_VERSION: u32 = 3;

/// Allocation of a job's tasks: pairs of (node, tasks).
pub type Placement<'a> = Cow<'a, [(u32, u32)]>;

/// One line of an events file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case", deny_unknown_fields)]
pub enum Record<'a> {
    /// Simulated setting.
    Run {
        /// Version of the format.
        #[schemars(extend("const" = FORMAT_VERSION))]
        format: u32,
        /// Name of the policy.
        policy: Cow<'a, str>,
        /// Number of nodes of the cluster.
        nodes: u32,
        /// Rescheduling penalty in microseconds: time in which a resumed or migrated job makes no
        /// progress.
        penalty_us: u64,
        /// Threshold tau of the bounded stretch in the summary, in microseconds.
        // Files of version 1 have it in the summary. The default lets them be rejected for their
        // version.
        #[serde(default)]
        tau_us: u64,
        /// Options in words that differ from the defaults and are not part of the policy's name; the
        /// decisions depend on them too.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        options: Option<Cow<'a, str>>,
        /// Time between two ticks, in microseconds; absent for policies without ticks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        period_us: Option<u64>,
        /// True if jobs are killed at their estimates. The run time of a job is then no longer than
        /// its estimate.
        #[serde(default, skip_serializing_if = "is_default")]
        kills_at_estimates: bool,
    },
    /// Handling of jobs on failed nodes. The second record, if nodes can fail.
    Platform {
        /// Rule for interrupted jobs.
        interruption: InterruptionRule,
        /// Work between two checkpoints, in microseconds; 0 without checkpoints.
        #[serde(default)]
        interval_us: u64,
        /// Work per checkpoint, in microseconds. It is added to the run time of a job and to its
        /// estimate: once for each interval that ends before the job does.
        #[serde(default)]
        cost_us: u64,
        /// Time in which a job that restarts from a checkpoint makes no progress, in microseconds.
        #[serde(default)]
        restart_us: u64,
    },
    /// Start of the decisions of the policy, if it takes over a running system. Before the first job.
    /// The submissions and starts before this time are given.
    Begin {
        /// Time of the first decision, in microseconds.
        first_decision_us: u64,
    },
    /// Priority order and limits of waiting jobs. Before the first job, if jobs have priorities.
    Priority {
        /// Settings of the site.
        settings: Box<SiteSettings>,
    },
    /// Classes of nodes, if the nodes differ. The second record then, or the third after a
    /// [`Record::Platform`].
    Classes {
        /// Resources of nodes other than CPU and memory.
        resources: Vec<ResourceOfNodes>,
        /// Node classes; the first class has the lowest node numbers.
        classes: Vec<ClassOfNodes>,
        /// Number of cores of the reference node. A task that holds whole cores holds its CPU need
        /// in these, rounded up, and at least one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cores: Option<u32>,
        /// Number of equal parts of a core that tasks hold, if they need not hold whole cores.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        core_parts: Option<u32>,
        /// Resources that the cluster has as a whole.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        common: Vec<ResourceOfCluster>,
    },
    /// Carbon intensity and price of energy over time. After the classes, if they are known.
    Series {
        /// Begin of each interval in microseconds, in ascending order.
        begins_us: Vec<u64>,
        /// End of the last interval, in microseconds.
        end_us: u64,
        /// Milligrams of carbon dioxide for a kilowatt-hour in each interval; absent if they are unknown.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        carbon_mg: Vec<u64>,
        /// Price of a kilowatt-hour in millionths of the currency in each interval; absent if it is unknown.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        price_millionths: Vec<i64>,
    },
    /// Announcement of an outage.
    Window {
        /// Time of the announcement, in microseconds.
        at_us: u64,
        /// Lowest node of the outage.
        first: u32,
        /// Number of nodes that go down.
        nodes: u32,
        /// Start of the outage, in microseconds.
        from_us: u64,
        /// End of the outage, in microseconds.
        until_us: u64,
    },
    /// Failure of nodes that were up.
    Down {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Affected nodes: pairs of (lowest node, number of nodes).
        nodes: Cow<'a, [(u32, u32)]>,
    },
    /// Repair of nodes.
    Up {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Affected nodes: pairs of (lowest node, number of nodes).
        nodes: Cow<'a, [(u32, u32)]>,
    },
    /// Start of a drain: nodes take no further jobs.
    Drain {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Affected nodes: pairs of (lowest node, number of nodes).
        nodes: Cow<'a, [(u32, u32)]>,
    },
    /// End of a drain.
    Undrain {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Affected nodes: pairs of (lowest node, number of nodes).
        nodes: Cow<'a, [(u32, u32)]>,
    },
    /// Interruption of a running job, because one of its nodes failed or because it is preempted.
    /// The job releases its nodes and waits to be started again.
    Interrupt {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Submission index of the job.
        job: u64,
        /// Work that the job has when it restarts, checkpoints included, in microseconds.
        kept_us: u64,
    },
    /// Loss of a running job, because one of its nodes failed or because it is preempted. The job
    /// does not run again.
    Lose {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Submission index of the job.
        job: u64,
    },
    /// Arrival of a job.
    Submit {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Submission index of the job, from 0; it identifies the job in all further records.
        job: u64,
        /// Number of the job in its log.
        id: u64,
        /// Number of tasks.
        tasks: u32,
        /// CPU need of a task, in share units.
        cpu_need: u32,
        /// Memory of a task, in share units.
        memory: u32,
        /// Run time at full speed, in microseconds.
        run_us: u64,
        /// Run time estimate of the policy, in microseconds. It is absent if the policy knows the
        /// run time itself, and 2^64 - 1 if the policy has no estimate.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        estimate_us: Option<u64>,
        /// Number of the user in the log, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        user: Option<u32>,
        /// Number of the user's group (an account of Slurm), if known and used.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<u32>,
        /// Number of the queue of the submission (a QOS of Slurm), if known and used.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        queue: Option<u32>,
        /// Number of the partition of the submission, if known and used.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        partition: Option<u32>,
    },
    /// Dependencies of the job that was just submitted: jobs whose end or start it follows, and the
    /// number of jobs that depend on it.
    Link {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Submission index of the job.
        job: u64,
        /// Job whose end the job follows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<u64>,
        /// Further jobs whose end the job follows.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        others: Vec<u64>,
        /// Think time in microseconds: the job is submitted this long after all of them have left.
        /// After one that was rejected or killed it is at least one microsecond.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        think_us: Option<u64>,
        /// Time before which the job is not submitted either (its own submit time), in microseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        not_before_us: Option<u64>,
        /// Jobs whose start the job follows, or whose end if they leave without a start: pairs of
        /// the job and the delay in microseconds.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        starts: Vec<(u64, u64)>,
        /// Number of jobs that will be submitted after this one has left.
        #[serde(default, skip_serializing_if = "is_default")]
        followers: u32,
        /// Number of jobs that follow the start of this one.
        #[serde(default, skip_serializing_if = "is_default")]
        start_followers: u32,
    },
    /// Requests of the job that was just submitted for resources other than CPU and memory.
    Ask {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Submission index of the job.
        job: u64,
        /// Requests per resource: the number of units, and the part of each unit that a task can
        /// use, in share units. The part matters only for shared resources.
        resources: Vec<(u32, u32)>,
        /// Features that the nodes must have. An entry such as `v100|a100` has alternatives.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        features: Vec<String>,
        /// Number of cores that the job requested, if it differs from those that its tasks hold. The
        /// size factor of priorities counts it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        requested_cores: Option<u32>,
        /// Number of nodes that the job requested, if it differs from those that it has. The size
        /// factor of priorities counts it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        requested_nodes: Option<u32>,
        /// True if each task must have a different node.
        #[serde(default, skip_serializing_if = "is_default")]
        distinct_nodes: bool,
        /// Amount of each resource of the whole cluster that the job holds while it runs.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        common: Vec<u64>,
    },
    /// Start of a waiting job.
    Start {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Submission index of the job.
        job: u64,
        /// Allocation of the tasks.
        on: Placement<'a>,
        /// Yield in units of 2^-20.
        #[serde(rename = "yield")]
        job_yield: u32,
        /// Number of the speed level; absent at full speed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        level: Option<u32>,
    },
    /// Devices of the tasks that the record before it has placed.
    Bind {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Submission index of the job.
        job: u64,
        /// Triples of (node, device, tasks): a device has one part of each of these tasks.
        devices: Cow<'a, [(u32, u32, u32)]>,
    },
    /// Wake-up of nodes on which the record before it has placed tasks: the job progresses only after
    /// this time, in addition to other penalties. Absent if all of the nodes are awake.
    Wake {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Submission index of the job.
        job: u64,
        /// Time until the last of the nodes is awake, in microseconds.
        woken_us: u64,
    },
    /// Preemption of a running job; its nodes are released.
    Pause {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Submission index of the job.
        job: u64,
    },
    /// Resumption of a paused job; it progresses after the penalty.
    Resume {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Submission index of the job.
        job: u64,
        /// Allocation of the tasks.
        on: Placement<'a>,
        /// Yield in units of 2^-20.
        #[serde(rename = "yield")]
        job_yield: u32,
        /// Number of the speed level; absent at full speed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        level: Option<u32>,
    },
    /// Migration of a running job; it progresses on its new nodes after the penalty.
    Migrate {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Submission index of the job.
        job: u64,
        /// New allocation of the tasks.
        on: Placement<'a>,
        /// Yield in units of 2^-20.
        #[serde(rename = "yield")]
        job_yield: u32,
        /// Number of the new speed level, 0 at full speed; absent if it does not change.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        level: Option<u32>,
    },
    /// Change of a running job's yield; its allocation stays.
    Yield {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Submission index of the job.
        job: u64,
        /// Yield in units of 2^-20.
        #[serde(rename = "yield")]
        job_yield: u32,
        /// Number of the new speed level, 0 at full speed; absent if it does not change.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        level: Option<u32>,
    },
    /// Final rejection of a waiting job.
    Reject {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Submission index of the job.
        job: u64,
    },
    /// Termination of a running job by the policy before its work is done.
    Kill {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Submission index of the job.
        job: u64,
    },
    /// Completion of a job.
    Complete {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Submission index of the job.
        job: u64,
    },
    /// Energy of the whole run, if the power of nodes is known: from the first submission to the last
    /// event, without the power usage effectiveness. The audit recomputes it.
    Energy {
        /// Energy of the nodes in millijoules, rounded down.
        nodes_mj: u64,
        /// Part of it that tasks add to that of idle nodes, in millijoules, rounded down.
        jobs_mj: u64,
        /// Largest power of the nodes in milliwatts, rounded up.
        peak_mw: u64,
    },
    /// Use of what the cluster has as a whole, from the first submission to the last event. Before the
    /// summary, if the cluster has resources of its own, a power cap, speed levels, nodes that sleep, or a
    /// [`Record::Series`]. The audit recomputes it.
    Figures {
        /// Use of each resource of the whole cluster, other than power, in the order of the classes.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        common: Vec<UseOfResource>,
        /// Time in which the power of tasks exceeded the cap, in microseconds; absent without a cap.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        over_cap_us: Option<u64>,
        /// Number of jobs by the slowest speed level at which they ran: 1, 2, and so on.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        slowed: Vec<u64>,
        /// Sleep of nodes; absent if all stay awake.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sleep: Option<SleepOfRun>,
        /// Carbon dioxide of the energy of the nodes in micrograms, rounded down, without the power usage
        /// effectiveness; absent if its intensity is unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        carbon_ug: Option<u64>,
        /// Price of that energy in billionths of the currency, rounded down; absent if it is unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost_billionths: Option<i64>,
    },
    /// Figures of the whole run from the simulator; the audit recomputes them.
    Summary {
        /// Number of completed jobs.
        completed: u64,
        /// Number of rejected or killed jobs.
        rejected: u64,
        /// Time from the first submission to the last completion, in microseconds.
        makespan_us: u64,
        /// Maximum stretch of a job.
        max_stretch: f64,
        /// Maximum bounded stretch of a job.
        max_bounded_stretch: f64,
        /// Mean of the bounded stretch over all completed jobs.
        mean_bounded_stretch: f64,
        /// Mean turnaround time in seconds.
        mean_turnaround_s: f64,
        /// Utilisation: work done / (nodes * makespan).
        utilisation: f64,
        /// Number of preemptions of jobs.
        preemptions: u64,
        /// Number of migrations of jobs.
        migrations: u64,
        /// Total number of tasks that changed nodes in migrations.
        migrated_tasks: u64,
        /// Further figures; older files lack them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        objectives: Option<Objectives>,
        /// Figures of node failures; absent if no node can fail.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        platform: Option<PlatformFigures>,
    },
}

impl Record<'_> {
    /// Parses a line of an events file.
    ///
    /// # Errors
    ///
    /// Returns an error if the line is not a record.
    // The generated code is large. This function is the only place at which it is instantiated for
    // text.
    pub fn from_json(line: &[u8]) -> serde_json::Result<Record<'static>> {
        check_texts(line)?;
        serde_json::from_slice(line)
    }
}

/// Checks that no text of a line of JSON has an escaped control character: a line break in the name of
/// a policy could make a message of the program look like several lines.
pub(crate) fn check_texts(line: &[u8]) -> serde_json::Result<()> {
    if !line.contains(&b'\\') {
        return Ok(());
    }
    let mut bytes = line.iter().copied().enumerate();
    while let Some((place, byte)) = bytes.next() {
        if byte != b'\\' {
            continue;
        }
        let is_control = match bytes.next() {
            Some((_, b'n' | b'r' | b'b' | b'f')) => true,
            Some((_, b'u')) => {
                let digits = line.get(place + 2..place + 6).and_then(|digits| str::from_utf8(digits).ok());
                let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
                code.and_then(char::from_u32).is_some_and(char::is_control)
            }
            _ => false,
        };
        if is_control {
            return Err(serde::de::Error::custom("a text has a line break or another control character"));
        }
    }
    Ok(())
}

/// Resource of nodes other than CPU and memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResourceOfNodes {
    /// Name of the resource.
    pub name: String,
    /// True if a task uses its need times its yield, as with CPU; otherwise it holds whole units, or
    /// parts of devices.
    pub shared: bool,
    /// True if each unit is a device, of which a task holds a part.
    #[serde(default, skip_serializing_if = "is_default")]
    pub devices: bool,
}

/// Resource that the cluster has as a whole, such as licences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResourceOfCluster {
    /// Name of the resource.
    pub name: String,
    /// Steps as pairs of begin in microseconds and amount, in ascending order; the first begins at 0.
    pub steps: Vec<(u64, u64)>,
    /// True if it is power in milliwatts above that of idle nodes, of which a job has its amount times
    /// its yield; but for that of used devices and sockets, which it has at any yield.
    #[serde(default, skip_serializing_if = "is_default")]
    pub power: bool,
    /// Microseconds after which the steps repeat, without end; absent if the last one has no end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period_us: Option<u64>,
}

/// Use of a resource that the cluster has as a whole, over a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UseOfResource {
    /// Mean number of units in use over time.
    pub mean: f64,
    /// Largest number of units in use.
    pub largest: u64,
}

/// Sleep of the nodes of a cluster, over a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SleepOfRun {
    /// Fraction of the time of all nodes in which they were asleep.
    pub asleep: f64,
    /// Number of times that a node was woken up for a job.
    pub wakes: u64,
    /// Time for which jobs waited on their nodes until these were awake, summed over the jobs, in
    /// microseconds.
    pub woken_us: u64,
}

/// Power of a node, in milliwatts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PowerOfNode {
    /// Power without tasks, without the units of other resources.
    pub idle_mw: u64,
    /// Power while the CPU is busy, without the units of other resources.
    pub busy_mw: u64,
    /// Idle and busy power of a unit of each other resource.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub units_mw: Vec<(u64, u64)>,
    /// True if a device draws all of its power once a task holds a part of it, at any yield.
    #[serde(default, skip_serializing_if = "is_default")]
    pub whole_devices: bool,
    /// Sockets of the CPU, if each of them draws all of its power once a core is used; then `idle_mw` and
    /// `busy_mw` are those of the rest of the node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sockets: Option<SocketsOfNode>,
    /// Rule by which a node without tasks falls asleep; absent if it stays awake.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sleep: Option<SleepOfNode>,
    /// Speed levels below full speed, by descending speed. Their numbers, from 1, are those of their
    /// names in the order in which these first appear among the levels of all classes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<LevelOfNode>,
}

/// Speed level of a node. A node without a level that a job has runs it at full speed and full power.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LevelOfNode {
    /// Name of the level.
    pub name: String,
    /// Speed in units of 2^-20 of the speed of the node, below 2^20. The speed of the node is multiplied
    /// by it, rounded down.
    pub speed: u32,
    /// Power while the CPU is busy, without the units of other resources, in milliwatts.
    pub busy_mw: u64,
    /// Busy power of a unit of each other resource, in milliwatts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub units_mw: Vec<u64>,
}

/// Sockets of the CPU of a node. As many of them are used, at any yield, as have the cores of all tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SocketsOfNode {
    /// Number of sockets.
    pub count: u32,
    /// Number of cores of a socket.
    pub cores_each: u32,
    /// Power of a socket without tasks, in milliwatts.
    pub idle_mw: u64,
    /// Power of a used socket, in milliwatts.
    pub busy_mw: u64,
}

/// Rule by which a node without tasks falls asleep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SleepOfNode {
    /// Power of a node that is asleep, with all its units, in milliwatts.
    pub asleep_mw: u64,
    /// Time without tasks after which a node begins to fall asleep, in microseconds.
    pub after_us: u64,
    /// Time in which it falls asleep and cannot wake up, in microseconds.
    pub falls_us: u64,
    /// Time in which it wakes up, in microseconds.
    pub wakes_us: u64,
}

/// Class of identical nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClassOfNodes {
    /// Name of the class.
    pub name: String,
    /// Number of nodes in the class.
    pub nodes: u32,
    /// CPU of a node, in share units of the reference node.
    pub cpu: u64,
    /// Memory of a node, in share units of the reference node.
    pub memory: u64,
    /// Speed of a node in units of 2^-20. A job progresses at its yield times the speed of its
    /// slowest node, rounded down.
    pub speed: u32,
    /// Number of units of each resource.
    pub resources: Vec<u32>,
    /// Features of a node, which jobs can require.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<String>,
    /// Numbers of devices of a node that are connected with each other, in the order of the devices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub device_groups: Vec<u32>,
    /// Power of a node, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power: Option<PowerOfNode>,
    /// Rule by which a node of unknown power falls asleep; that of a node of known power is in `power`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sleep: Option<SleepOfNode>,
}

/// Bounded stretch by quantile, by weight and by user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Objectives {
    /// Median bounded stretch. For more than a million jobs it may be too low by 0.1 %, as may the
    /// other quantiles.
    pub median_bounded_stretch: f64,
    /// 95th percentile of the bounded stretch.
    pub p95_bounded_stretch: f64,
    /// 99th percentile of the bounded stretch.
    pub p99_bounded_stretch: f64,
    /// Weighting rule of the jobs.
    #[schemars(with = "String")]
    pub weights: WeightRule,
    /// Weight factors of users: pairs of (user number, factor). The factor is 1 for users that are
    /// not listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub user_weights: Vec<(u32, f64)>,
    /// Weighted mean of the bounded stretch.
    pub weighted_bounded_stretch: f64,
    /// Jain's fairness index of the users' means; absent if no user is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fairness: Option<f64>,
    /// Largest mean bounded stretch of a user; absent if no user is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_user_bounded_stretch: Option<f64>,
}

/// Rule for jobs on nodes that fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InterruptionRule {
    /// Interrupted jobs are lost.
    Lose,
    /// Interrupted jobs restart from zero.
    #[default]
    Requeue,
    /// Interrupted jobs restart from their last checkpoint.
    Checkpoint,
}

/// Figures of node failures, from the first submission to the last completion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlatformFigures {
    /// Number of interruptions of jobs, lost jobs included.
    pub interruptions: u64,
    /// Number of jobs that were lost.
    pub lost: u64,
    /// Work that was done and lost, in node-seconds: tasks * CPU need * virtual time.
    pub lost_work_s: f64,
    /// Availability: fraction of the node-seconds in which nodes were up.
    pub availability: f64,
    /// Goodput: run times of completed jobs as work, in node-seconds / the node-seconds in which
    /// nodes were up.
    pub goodput: f64,
}

#[cfg(test)]
mod tests {
    use super::check_texts;

    #[test]
    fn texts_have_no_escaped_control_characters() {
        for right in [r#"{"a":"b"}"#, r#"{"a":"\"\\n \u0041 \/ \t"}"#, r#"{"a":"\\\"x"}"#] {
            assert!(check_texts(right.as_bytes()).is_ok(), "{right}");
        }
        for wrong in [r#"{"a":"\n"}"#, r#"{"a":"\\\r"}"#, r#"{"a":"\u001b[2J"}"#, r#"{"\u009b":1}"#] {
            assert!(check_texts(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
