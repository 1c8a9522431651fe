//! The records of an events file: one JSON object a line, enough to check a simulation from scratch.
//!
//! The first line is a [`Record::Run`]; then come, in the order of simulated time, what happened to each job;
//! the last line is a [`Record::Summary`]. All numbers are the simulator's own integers: times in microseconds
//! (`_us`), shares in units of 1/943,718,400 of a node, yields in units of 2^-20. Within one moment the records
//! are in the order: completions, changes of the platform, submissions, then the changes that the policy decided.
//!
//! Files of clusters whose nodes differ have a [`Record::Classes`] before anything happens; only they have `ask` records.
//! Files of clusters whose nodes go down have a [`Record::Platform`] as their second line. Only they have `window`, `down`, `up`,
//! `interrupt` and `lose` records, and `platform` figures in the summary. Files of policies that order jobs by priority have a
//! [`Record::Priority`] before the first job; if jobs of some classes preempt others, they have these figures and `interrupt` and
//! `lose` records, too, which are then among the changes that the policy decided.

use crate::WeightRule;
use crate::numbers::is_default;
use crate::priority::Priorities;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The version of the format; a reader refuses others.
pub const FORMAT_VERSION: u32 = 3;

/// Tasks of a job on nodes: pairs of (node, tasks).
pub type Placement<'a> = Cow<'a, [(u32, u32)]>;

/// One line of an events file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case", deny_unknown_fields)]
pub enum Record<'a> {
    /// The simulated setting.
    Run {
        /// The version of the format.
        #[schemars(extend("const" = FORMAT_VERSION))]
        format: u32,
        /// The name of the policy.
        policy: Cow<'a, str>,
        /// The number of nodes.
        nodes: u32,
        /// The rescheduling penalty: how long a resumed or migrated job makes no progress.
        penalty_us: u64,
        /// The tau of the bounded stretch in the summary.
        // Files of version 1 have it there: they must be refused for their version.
        #[serde(default)]
        tau_us: u64,
        /// What the name of the policy leaves open and is not as by default, in words: its decisions are not those of the name alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        options: Option<Cow<'a, str>>,
        /// The time between ticks, of policies that have any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        period_us: Option<u64>,
    },
    /// What happens to jobs on nodes that go down. The second record, if nodes do.
    Platform {
        /// The rule.
        interruption: InterruptionRule,
        /// The work between two checkpoints; 0 without checkpoints.
        #[serde(default)]
        interval_us: u64,
        /// The work that a checkpoint takes. It comes on top of the run time of a job and of what is known of it: one for each
        /// interval that ends before the job does.
        #[serde(default)]
        cost_us: u64,
        /// How long a job that begins from a checkpoint makes no progress.
        #[serde(default)]
        restart_us: u64,
    },
    /// By what the policy orders waiting jobs, and which limits they have. Before the first job, if jobs have priorities.
    Priority {
        /// The settings.
        settings: Box<Priorities>,
    },
    /// The nodes differ. The second record then, or the third behind a [`Record::Platform`].
    Classes {
        /// What nodes have beside CPU and memory.
        resources: Vec<ResourceOfNodes>,
        /// The classes: the first one has the nodes with the lowest numbers.
        classes: Vec<ClassOfNodes>,
        /// The cores of the reference node; tasks that hold whole cores hold their CPU need of these, rounded up, and at least one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cores: Option<u32>,
    },
    /// An outage is announced.
    Window {
        /// The moment of the announcement.
        at_us: u64,
        /// The lowest node.
        first: u32,
        /// How many nodes.
        nodes: u32,
        /// When they go down.
        from_us: u64,
        /// When the outage is over.
        until_us: u64,
    },
    /// Nodes go down that were up.
    Down {
        /// The moment.
        at_us: u64,
        /// The nodes: pairs of (lowest node, how many).
        nodes: Cow<'a, [(u32, u32)]>,
    },
    /// Nodes are up again.
    Up {
        /// The moment.
        at_us: u64,
        /// The nodes: pairs of (lowest node, how many).
        nodes: Cow<'a, [(u32, u32)]>,
    },
    /// A node of a running job went down, or it makes room for another one: it is on no node, and waits to be started again.
    Interrupt {
        /// The moment.
        at_us: u64,
        /// The job.
        job: u64,
        /// The work that it has when it starts again, checkpoints included.
        kept_us: u64,
    },
    /// A node of a running job went down, or it makes room for another one, and the job has left for good.
    Lose {
        /// The moment.
        at_us: u64,
        /// The job.
        job: u64,
    },
    /// A job arrives.
    Submit {
        /// The moment.
        at_us: u64,
        /// The place of the job in the order of submission, from 0: the name of the job in all further records.
        job: u64,
        /// The number of the job in its log.
        id: u64,
        /// Its tasks.
        tasks: u32,
        /// The CPU need of a task, in share units.
        cpu_need: u32,
        /// The memory of a task, in share units.
        memory: u32,
        /// Its run time at full speed.
        run_us: u64,
        /// What the policy knew of its run time: absent if that is the run time itself, the largest number of 64 bits
        /// if the run time was unknown to it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        estimate_us: Option<u64>,
        /// The number of its user in the log, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        user: Option<u32>,
        /// The group of its user (an account of Slurm), if known and used.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<u32>,
        /// The queue that it was submitted to (a QOS of Slurm), if known and used.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        queue: Option<u32>,
        /// The partition that it was submitted to, if known and used.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        partition: Option<u32>,
    },
    /// The job that was just submitted follows others that have left the system or started, or others will follow it.
    Link {
        /// The moment.
        at_us: u64,
        /// The job.
        job: u64,
        /// The job that it follows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<u64>,
        /// Others that it follows as well.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        others: Vec<u64>,
        /// The think time: it is submitted this long after all of them have left (one microsecond at least after one that was
        /// rejected or killed).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        think_us: Option<u64>,
        /// Its own time of submission, if it is not submitted before that, either.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        not_before_us: Option<u64>,
        /// Jobs of which it follows the start, or the end if they left without one: pairs of the job and the time from then, in
        /// microseconds.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        starts: Vec<(u64, u64)>,
        /// How many jobs will be submitted when it has left.
        #[serde(default, skip_serializing_if = "is_default")]
        followers: u32,
        /// How many jobs follow its start.
        #[serde(default, skip_serializing_if = "is_default")]
        start_followers: u32,
    },
    /// What the tasks of the job that was just submitted ask for beside CPU and memory.
    Ask {
        /// The moment.
        at_us: u64,
        /// The job.
        job: u64,
        /// For each resource the number of units, and the part of each that a task can use, in share units: it matters where the
        /// resource is shared.
        resources: Vec<(u32, u32)>,
        /// The features that its nodes must have.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        features: Vec<String>,
    },
    /// A waiting job starts.
    Start {
        /// The moment.
        at_us: u64,
        /// The job.
        job: u64,
        /// Where its tasks are.
        on: Placement<'a>,
        /// Its yield, in units of 2^-20.
        #[serde(rename = "yield")]
        job_yield: u32,
    },
    /// A running job is paused: its nodes are free.
    Pause {
        /// The moment.
        at_us: u64,
        /// The job.
        job: u64,
    },
    /// A paused job goes on, after the penalty.
    Resume {
        /// The moment.
        at_us: u64,
        /// The job.
        job: u64,
        /// Where its tasks are.
        on: Placement<'a>,
        /// Its yield, in units of 2^-20.
        #[serde(rename = "yield")]
        job_yield: u32,
    },
    /// A running job has tasks on other nodes from now on, and goes on after the penalty.
    Migrate {
        /// The moment.
        at_us: u64,
        /// The job.
        job: u64,
        /// The new nodes of its tasks.
        on: Placement<'a>,
        /// Its yield, in units of 2^-20.
        #[serde(rename = "yield")]
        job_yield: u32,
    },
    /// A running job gets another yield and stays where it is.
    Yield {
        /// The moment.
        at_us: u64,
        /// The job.
        job: u64,
        /// Its yield, in units of 2^-20.
        #[serde(rename = "yield")]
        job_yield: u32,
    },
    /// A waiting job is rejected for good.
    Reject {
        /// The moment.
        at_us: u64,
        /// The job.
        job: u64,
    },
    /// The policy ends a running job before its work is done.
    Kill {
        /// The moment.
        at_us: u64,
        /// The job.
        job: u64,
    },
    /// A job has done all of its work.
    Complete {
        /// The moment.
        at_us: u64,
        /// The job.
        job: u64,
    },
    /// What the simulator says of the whole run, for the audit to recompute.
    Summary {
        /// Completed jobs.
        completed: u64,
        /// Jobs that were rejected or killed.
        rejected: u64,
        /// From the first submission to the last completion.
        makespan_us: u64,
        /// The largest stretch of a job.
        max_stretch: f64,
        /// The largest bounded stretch of a job.
        max_bounded_stretch: f64,
        /// The mean of the bounded stretch.
        mean_bounded_stretch: f64,
        /// The mean turnaround, in seconds.
        mean_turnaround_s: f64,
        /// Work done / (nodes * makespan).
        utilisation: f64,
        /// How often a job was paused.
        preemptions: u64,
        /// How often a job was migrated.
        migrations: u64,
        /// Tasks that changed node in migrations, added up.
        migrated_tasks: u64,
        /// Further figures, which older files lack.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        objectives: Option<Objectives>,
        /// The figures of a run in which nodes go down.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        platform: Option<PlatformFigures>,
    },
}

impl Record<'_> {
    /// Reads a line of a file.
    ///
    /// # Errors
    /// If it is not a record.
    // Generated code is large: only here is it compiled for texts.
    pub fn from_json(line: &[u8]) -> serde_json::Result<Record<'static>> {
        serde_json::from_slice(line)
    }
}

/// Something that nodes have beside CPU and memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResourceOfNodes {
    /// Its name.
    pub name: String,
    /// Whether a task uses its need of it times its yield, as of CPU; otherwise it holds whole units.
    pub shared: bool,
}

/// Nodes that are like each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClassOfNodes {
    /// Its name.
    pub name: String,
    /// How many nodes it has.
    pub nodes: u32,
    /// The CPU of a node, in share units of the reference node.
    pub cpu: u64,
    /// The memory of a node, in the same units.
    pub memory: u64,
    /// The speed of a node, in units of 2^-20: a job progresses at its yield times the speed of its slowest node, rounded down.
    pub speed: u32,
    /// The units of each resource.
    pub resources: Vec<u32>,
    /// The features.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<String>,
}

/// Figures of the bounded stretch by quantile, by weight and by user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Objectives {
    /// Half of the jobs have no more; of more than a million jobs it may be too low by 0.1 %, as may the other quantiles.
    pub median_bounded_stretch: f64,
    /// 95 % of the jobs have no more.
    pub p95_bounded_stretch: f64,
    /// 99 % of the jobs have no more.
    pub p99_bounded_stretch: f64,
    /// The rule of the weights.
    #[schemars(with = "String")]
    pub weights: WeightRule,
    /// Numbers of users, and by what the weights of their jobs are multiplied; 1 of users that are not listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub user_weights: Vec<(u32, f64)>,
    /// The weighted mean.
    pub weighted_bounded_stretch: f64,
    /// Jain's index of the users' means; absent if no user is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fairness: Option<f64>,
    /// The largest mean of a user; absent if no user is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_user_bounded_stretch: Option<f64>,
}

/// What happens to jobs on nodes that go down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InterruptionRule {
    /// They leave for good.
    Lose,
    /// They begin again from zero.
    #[default]
    Requeue,
    /// They begin again from their last checkpoint.
    Checkpoint,
}

/// What outages amount to, from the first submission to the last completion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlatformFigures {
    /// How often a job was interrupted, lost jobs included.
    pub interruptions: u64,
    /// Jobs that left for good.
    pub lost: u64,
    /// Work that was done and not kept, in node-seconds: tasks * CPU need * virtual time.
    pub lost_work_s: f64,
    /// The part of the node-seconds in which nodes were up.
    pub availability: f64,
    /// The run times of completed jobs as work, in node-seconds / the node-seconds in which nodes were up.
    pub goodput: f64,
}
