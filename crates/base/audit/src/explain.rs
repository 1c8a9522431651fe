//! Explanation of one job in an events file, event by event, with the jobs that held the resources
//! it lacked.

use crate::check::Jobs;
use crate::common::amount_at;
use crate::head::RecordHead;
use crate::job::Job;
use crate::lines::follow;
use crate::{AuditError, Auditor};
use dfrsim_model::batch::BatchPolicy;
use dfrsim_model::event::{Record, ResourceOfCluster};
use dfrsim_model::{Share, SimSpan, SimTime, Yield, stretch};
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Reverse;
use std::fmt;
use std::io::BufRead;

/// Maximum number of holders listed.
const MAX_HOLDERS: usize = 4;

/// Job and its events.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Life {
    /// Submission index of the job, from 0; it identifies the job in the file.
    pub job: u64,
    /// Number of the job in the log.
    pub id: u64,
    /// Number of tasks.
    pub tasks: u32,
    /// CPU need of a task as a fraction of a node.
    pub cpu_need: Share,
    /// Memory of a task as a fraction of a node's memory.
    pub memory: Share,
    /// Run time at full speed.
    #[serde(rename = "run_time_s")]
    pub run_time: SimSpan,
    /// Submit time.
    #[serde(rename = "submit_s")]
    pub submit: SimTime,
    /// Completion time.
    #[serde(rename = "end_s")]
    pub end: SimTime,
    /// Bounded stretch with the tau of the file.
    pub bounded_stretch: f64,
    /// Events of the job in order.
    pub moments: Vec<LifeEvent>,
}

/// Event of the job, and its situation from then on.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LifeEvent {
    /// Time of the event.
    #[serde(rename = "at_s")]
    pub at: SimTime,
    /// Name of the event, as in the events file.
    pub event: &'static str,
    /// Yield from then on; 0 if the job is on no node.
    #[serde(rename = "yield")]
    pub job_yield: Yield,
    /// Resource that it lacks from then on; null at full speed, and after it has left.
    pub lacks: Option<Lack>,
    /// Nodes without a job, if nodes are lacking; some may be down or reserved for another job.
    #[serde(skip)]
    pub free: u32,
    /// Node with the highest CPU demand among the job's nodes, if CPU is lacking.
    pub node: Option<u32>,
    /// CPU demand on that node, in nodes.
    pub needed: Option<f64>,
    /// Resources of the whole cluster of which it needs more than is free, while it is on no node.
    pub lacks_of_cluster: Vec<ClusterLack>,
    /// Largest holders of the lacking resource, without the job itself; if CPU is lacking, only on
    /// that node.
    pub held_by: Vec<Holder>,
}

/// Resource that a job lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Lack {
    /// Memory: the job is on no node.
    Memory,
    /// Nodes: the job is on no node, and the policy allocates whole nodes.
    Nodes,
    /// CPU: the job runs below full speed.
    Cpu,
}

/// Resource of the whole cluster of which a job needs more than is free.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ClusterLack {
    /// Name; `power` under a power cap.
    pub name: String,
    /// Units that the job needs; W of power.
    pub needed: f64,
    /// Units that are free; W of power.
    pub free: f64,
    /// True if it is the power under a power cap.
    #[serde(skip)]
    is_power: bool,
}

/// Holder of a resource.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Holder {
    /// Submission index of the job, from 0.
    pub job: u64,
    /// Number of tasks on that node, or of all tasks if memory or nodes are lacking.
    pub tasks: u32,
    /// Memory of a task as a fraction of a node's memory.
    pub memory: Share,
    /// Time since its submission.
    #[serde(rename = "age_s")]
    pub age: SimSpan,
    /// Fraction of the CPU need that the job gets, from 0 to 1.
    #[serde(rename = "yield")]
    pub job_yield: Yield,
}

/// Explains a job of an events file: `job`, or by default the job with the largest bounded stretch
/// among the completed ones (the first of several). Returns `None` if there is none.
///
/// # Errors
///
/// Returns errors as [`crate::audit`] does: a file with violations is not explained.
pub fn explain(reader: impl BufRead, job: Option<u64>) -> Result<Option<Life>, AuditError> {
    let begin = |first| Ok((Auditor::begin(&first)?, vec![first]));
    let mut largest: Option<(u64, f64)> = None;
    let (auditor, records) = follow(reader, Record::from_json, begin, |(auditor, records), line| {
        if let Ok(Record::Complete { at_us, job: number }) = line
            && let Some(known) = auditor.jobs.get(&number).filter(|_| job.is_none_or(|job| job == number))
        {
            let (flow, run) = (at_us.saturating_sub(known.submit), known.run.max(1));
            let [flow, run] = [flow, run].map(SimSpan::from_micros);
            let value = stretch::bounded(flow, run, auditor.tally.tau);
            largest = largest.filter(|(_, largest)| value <= *largest).or(Some((number, value)));
        }
        auditor.read(&line);
        records.extend(line.ok());
    })?;
    auditor.finish()?;
    Ok(largest.and_then(|(chosen, bounded_stretch)| follow_job(chosen, bounded_stretch, &records)))
}

/// Follows valid records once more to explain a job.
fn follow_job(chosen: u64, bounded_stretch: f64, records: &[Record<'_>]) -> Option<Life> {
    let (first, records) = records.split_first()?;
    let mut auditor = Auditor::begin(first).ok()?;
    // The number of nodes, if the policy allocates whole nodes.
    let whole = BatchPolicy::parse(&auditor.policy).map(|_| auditor.nodes);
    let mut moments = Vec::new();
    // The last event of the job, as long as records of that time may follow.
    let mut open: Option<(u64, &'static str)> = None;
    for record in records {
        if let Some(RecordHead { at, job: Some(job), name: event, .. }) = RecordHead::of(record)
            && !matches!(event, "link" | "ask")
        {
            let before = open.take_if(|(before, _)| *before < at);
            moments.extend(before.map(|(at, event)| explain_event(at, event, chosen, &auditor, whole)));
            if job == chosen {
                open = Some((at, event));
            }
            if job == chosen && matches!(event, "complete" | "reject" | "kill" | "lose") {
                let (known, end) = (auditor.jobs.get(&job)?, SimTime::from_micros(at));
                moments.push(LifeEvent::unhindered(end, event, Yield::ZERO));
                return Some(Life {
                    job,
                    id: known.id,
                    tasks: known.tasks,
                    cpu_need: share(known.need.into()),
                    memory: share(known.size.held[0]),
                    run_time: SimSpan::from_micros(known.run),
                    submit: SimTime::from_micros(known.submit),
                    end,
                    bounded_stretch,
                    moments,
                });
            }
        }
        auditor.record(record);
    }
    None
}

fn share(units: u64) -> Share {
    u32::try_from(units).ok().and_then(Share::try_from_units).unwrap_or(Share::ONE)
}

impl LifeEvent {
    /// Creates an event after which the job lacks nothing.
    fn unhindered(at: SimTime, event: &'static str, job_yield: Yield) -> LifeEvent {
        let (lacks, free, node, needed, held_by) = Default::default();
        let lacks_of_cluster = Vec::new();
        LifeEvent { at, event, job_yield, lacks, free, node, needed, lacks_of_cluster, held_by }
    }
}

/// Returns the resources of the whole cluster of which a job needs more than is free at a time. Power is
/// one of them under policies at full speed alone, as others run jobs slower.
fn lacks_of_cluster(at_us: u64, own: &Job, auditor: &Auditor, counts_power: bool) -> Vec<ClusterLack> {
    let of = |(place, resource): (usize, &ResourceOfCluster)| {
        let needed = own.size.common.get(place).copied().unwrap_or(0);
        let free = amount_at(resource, at_us).saturating_sub(auditor.common.used(place));
        let unit = if resource.power { 1e3 } else { 1.0 };
        let (name, is_power) = (resource.name.clone(), resource.power);
        let lack = ClusterLack { name, needed: needed as f64 / unit, free: free as f64 / unit, is_power };
        (needed > free && (counts_power || !is_power)).then_some(lack)
    };
    auditor.common.resources().iter().enumerate().filter_map(of).collect()
}

/// Explains an event after which the job is still in the system.
fn explain_event(
    at_us: u64,
    event: &'static str,
    chosen: u64,
    auditor: &Auditor,
    whole: Option<u32>,
) -> LifeEvent {
    let jobs: &Jobs = &auditor.jobs;
    let (own, at) = (&jobs[&chosen], SimTime::from_micros(at_us));
    let holder = |(_, job, tasks): (Reverse<u64>, u64, u32)| Holder {
        job,
        tasks,
        memory: share(jobs[&job].size.held[0]),
        age: at.since(SimTime::from_micros(jobs[&job].submit)),
        job_yield: Yield::try_from_units(jobs[&job].job_yield).unwrap_or(Yield::ONE),
    };
    // Each holder is its amount, its number and its tasks.
    let largest = |mut holders: Vec<(Reverse<u64>, u64, u32)>| -> Vec<Holder> {
        holders.sort_unstable();
        holders.into_iter().take(MAX_HOLDERS).map(holder).collect()
    };
    let unhindered =
        LifeEvent::unhindered(at, event, Yield::try_from_units(own.job_yield).unwrap_or(Yield::ONE));
    if own.placement.is_empty() {
        let running = || jobs.iter().filter(|(_, job)| !job.placement.is_empty());
        let mut taken: Vec<u32> =
            running().flat_map(|(_, job)| &job.placement).map(|(node, _)| *node).collect();
        taken.sort_unstable();
        taken.dedup();
        let memory = |job: &Job| if whole.is_some() { 1 } else { job.size.held[0] };
        let holder =
            |(&number, job): (&u64, &Job)| (Reverse(memory(job) * u64::from(job.tasks)), number, job.tasks);
        let held_by = largest(running().map(holder).collect());
        let lacks = Some(if whole.is_some() { Lack::Nodes } else { Lack::Memory });
        let free = whole.unwrap_or_default().saturating_sub(taken.len() as u32);
        let lacks_of_cluster = lacks_of_cluster(at_us, own, auditor, whole.is_some());
        LifeEvent { lacks, free, lacks_of_cluster, held_by, ..unhindered }
    } else if own.job_yield >= Yield::ONE.units() {
        unhindered
    } else {
        let on = |job: &Job, node| job.placement.iter().find(|(other, _)| *other == node).map(|part| part.1);
        let need = |job: &Job, tasks: u32| u64::from(job.need) * u64::from(tasks);
        let sum = |node: u32| jobs.values().filter_map(|job| Some(need(job, on(job, node)?))).sum::<u64>();
        let (needed, node) =
            own.placement.iter().map(|&(node, _)| (sum(node), Reverse(node))).max().unwrap_or_default();
        let others = jobs.iter().filter(|(job, _)| **job != chosen);
        let there = others.filter_map(|(&number, job)| Some((number, job, on(job, node.0)?)));
        let beside = there.map(|(number, job, tasks)| (Reverse(need(job, tasks)), number, tasks));
        let needed = Some(needed as f64 / f64::from(Share::ONE.units()));
        let (lacks, held_by) = (Some(Lack::Cpu), largest(beside.collect()));
        LifeEvent { lacks, node: Some(node.0), needed, held_by, ..unhindered }
    }
}

impl fmt::Display for Life {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Life { job, id, tasks, cpu_need, memory, run_time, submit, end, bounded_stretch, .. } = self;
        writeln!(
            f,
            "job {job} (number {id} of its log): {tasks} tasks of CPU need {:.2} and memory {:.2}, run time {run_time} s",
            cpu_need.as_f64(),
            memory.as_f64()
        )?;
        writeln!(f, "in the system from {submit} to {end} s: bounded stretch {bounded_stretch:.2}")?;
        for LifeEvent { at, event, job_yield, lacks, free, node, needed, lacks_of_cluster, held_by } in
            &self.moments
        {
            write!(f, "{at} s: {event}")?;
            if *job_yield > Yield::ZERO {
                write!(f, ", yield {:.2}", job_yield.as_f64())?;
            }
            let (node, need) = (node.unwrap_or_default(), needed.unwrap_or_default());
            match (lacks, held_by.as_slice()) {
                (None, _) => {}
                (Some(Lack::Memory), []) => write!(f, "; all nodes are free")?,
                (Some(Lack::Memory), holders) => {
                    write!(f, "; the most memory is held by {}", format_holders(holders))?;
                }
                (Some(Lack::Nodes), []) => write!(f, "; all {free} nodes are free")?,
                (Some(Lack::Nodes), holders) => {
                    let one = |it: &Holder| {
                        format!("job {} ({} tasks, arrived {} s ago)", it.job, it.tasks, it.age)
                    };
                    let holders = holders.iter().map(one).collect::<Vec<_>>().join(", ");
                    write!(
                        f,
                        "; {free} nodes are free for {tasks} tasks, and most nodes are held by {holders}"
                    )?;
                }
                (Some(Lack::Cpu), []) => {
                    write!(f, "; alone on node {node}, where its tasks need {need:.2} nodes")?;
                }
                (Some(Lack::Cpu), beside) => {
                    let beside = format_holders(beside);
                    write!(f, "; node {node} has a demand of {need:.2} nodes and is shared with {beside}")?;
                }
            }
            for ClusterLack { name, needed, free, is_power } in lacks_of_cluster {
                let unit = if *is_power { " W" } else { "" };
                write!(f, "; it needs {needed}{unit} of {name}, of which {free}{unit} are free")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Formats holders as a list in a sentence.
fn format_holders(holders: &[Holder]) -> String {
    let one = |holder: &Holder| {
        let Holder { job, tasks, memory, age, job_yield } = holder;
        let (memory, job_yield) = (memory.as_f64(), job_yield.as_f64());
        format!("job {job} ({tasks} x {memory:.2}, yield {job_yield:.2}, arrived {age} s ago)")
    };
    holders.iter().map(one).collect::<Vec<_>>().join(", ")
}
