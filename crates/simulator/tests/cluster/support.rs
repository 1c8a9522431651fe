//! A scheduler that follows a script and records what it sees.

use dfrsim_cluster::{
    Decision, JobHandle, JobRecord, Observer, Occurrence, Options, Scheduler, SimulationError, Situation,
    simulate,
};
use dfrsim_model::{Job, JobId, NodeId, NodeTasks, Share, SimSpan, SimTime, Yield};

/// Action on a job, which is given by its index in the order of submission.
#[derive(Clone, Debug)]
pub(crate) enum Do {
    Start(usize, Vec<(u32, u32)>, Yield),
    Resume(usize, Vec<(u32, u32)>, Yield),
    Migrate(usize, Vec<(u32, u32)>, Yield),
    SetYield(usize, Yield),
    Pause(usize),
    Reject(usize),
    Kill(usize),
    Requeue(usize),
    Lose(usize),
    WakeAt(SimTime),
}

/// Actions by second.
pub(crate) type Steps = Vec<(u64, Vec<Do>)>;

/// Performs the listed actions at each listed second, and keeps a diary.
#[derive(Default)]
pub(crate) struct Script {
    steps: Steps,
    /// True if it wakes itself up for the next listed second.
    wakes: bool,
    handles: Vec<JobHandle>,
    pub(crate) diary: Vec<Moment>,
}

/// Snapshot of what a scheduler saw at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Moment {
    pub(crate) second: f64,
    /// Indices in the order of submission.
    pub(crate) completed: Vec<u64>,
    pub(crate) submitted: Vec<u64>,
    pub(crate) tick: bool,
    /// Virtual times of the jobs in the system, in seconds.
    pub(crate) virtual_times: Vec<f64>,
    pub(crate) handles: usize,
}

impl Script {
    /// Creates a script that wakes up for each of its listed seconds.
    pub(crate) fn new(steps: Steps) -> Script {
        Script { steps, wakes: true, ..Script::default() }
    }
    /// Creates a script that wakes up only when one of its actions requests that.
    pub(crate) fn sleepy(steps: Steps) -> Script {
        Script { steps, ..Script::default() }
    }
}

impl Scheduler for Script {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        let view = situation.view;
        self.handles.extend(situation.submitted);
        let sequences = |jobs: &[JobHandle]| jobs.iter().map(|&job| view.job(job).sequence()).collect();
        self.diary.push(Moment {
            second: view.now().as_secs_f64(),
            completed: sequences(situation.completed),
            submitted: sequences(situation.submitted),
            tick: situation.tick,
            virtual_times: view
                .jobs()
                .iter()
                .map(|&job| view.job(job).virtual_time().as_secs_f64())
                .collect(),
            handles: view.handles(),
        });
        let now = view.now();
        let steps = self.steps.iter().filter(|(second, _)| SimTime::from_secs(*second) == now);
        for action in steps.flat_map(|(_, actions)| actions) {
            match action {
                Do::Start(job, on, share) => decision.start(self.handles[*job], placement(on), *share),
                Do::Resume(job, on, share) => decision.resume(self.handles[*job], placement(on), *share),
                Do::Migrate(job, on, share) => decision.migrate(self.handles[*job], placement(on), *share),
                Do::SetYield(job, share) => decision.set_yield(self.handles[*job], *share),
                Do::Pause(job) => decision.pause(self.handles[*job]),
                Do::Reject(job) => decision.reject(self.handles[*job]),
                Do::Kill(job) => decision.kill(self.handles[*job]),
                Do::Requeue(job) => decision.requeue(self.handles[*job]),
                Do::Lose(job) => decision.lose(self.handles[*job]),
                Do::WakeAt(time) => decision.wake_at(*time),
            }
        }
        let later =
            self.steps.iter().map(|(second, _)| SimTime::from_secs(*second)).filter(|&time| time > now);
        if let Some(time) = later.min().filter(|_| self.wakes) {
            decision.wake_at(time);
        }
    }
}

fn placement(on: &[(u32, u32)]) -> impl Iterator<Item = NodeTasks> {
    on.iter().map(|&(node, tasks)| NodeTasks { node: NodeId(node), tasks })
}

pub(crate) fn half() -> Yield {
    Yield::from_ratio(1, 2)
}

/// Creates a job from its submit time and run time in seconds and its tasks. A task needs half of a
/// node's CPU and a tenth of its memory.
pub(crate) fn job(id: u64, submit: u64, tasks: u32, run: u64) -> Job {
    Job {
        id: JobId(id),
        submit: SimTime::from_secs(submit),
        tasks,
        cpu_need: Share::from_ratio(1, 2),
        memory: Share::from_ratio(1, 10),
        run_time: SimSpan::from_secs(run),
        ..Job::default()
    }
}

/// Records of the completed jobs, in the order of completion.
#[derive(Default)]
pub(crate) struct Records(pub(crate) Vec<JobRecord>);

impl Observer for Records {
    fn observe(&mut self, _: SimTime, _: u64, occurrence: Occurrence<'_>) {
        if let Occurrence::Completed(record) = occurrence {
            self.0.push(record.clone());
        }
    }
}

pub(crate) fn penalty(seconds: u64) -> Options {
    Options { penalty: SimSpan::from_secs(seconds), ..Options::default() }
}

/// Returns the end times of the jobs on two nodes, in the order of completion, in seconds.
pub(crate) fn ends(
    options: &Options,
    jobs: Vec<Job>,
    script: &mut Script,
) -> Result<Vec<f64>, SimulationError> {
    let mut records = Records::default();
    simulate(2, options, jobs, script, &mut records)?;
    Ok(records.0.iter().map(|record| record.end.as_secs_f64()).collect())
}
