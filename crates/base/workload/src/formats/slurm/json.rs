//! The output of `sacct --json` (data parsers v0.0.37 to v0.0.42).

use super::columns::Column;
use super::rows::{LayoutError, push_row};
use serde::Deserialize;
use serde::de::IgnoredAny;

#[derive(Deserialize)]
struct Document {
    jobs: Vec<Job>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Job {
    job_id: u64,
    array: Array,
    het: Het,
    name: JsonText,
    user: JsonText,
    group: JsonText,
    account: JsonText,
    qos: JsonText,
    partition: JsonText,
    constraints: JsonText,
    submit_line: JsonText,
    licenses: JsonText,
    reservation: Named,
    state: JobState,
    allocation_nodes: JsonNumber,
    time: Option<Times>,
    required: Required,
    tres: Tres,
    /// Only `squeue --json` and `scontrol show job --json` have it.
    submit_time: Option<IgnoredAny>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Array {
    job_id: JsonNumber,
    task_id: JsonNumber,
    task: JsonText,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Het {
    job_id: JsonNumber,
    job_offset: JsonNumber,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Named {
    /// Older versions write 0 for none.
    name: JsonNumber,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct JobState {
    current: Words,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Times {
    submission: JsonNumber,
    eligible: JsonNumber,
    start: JsonNumber,
    end: JsonNumber,
    elapsed: JsonNumber,
    suspended: JsonNumber,
    /// Time limit in minutes.
    limit: JsonNumber,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Required {
    #[serde(rename = "CPUs")]
    cpus: JsonNumber,
    /// Megabytes; older versions with Slurm's bit for memory per processor.
    memory: JsonNumber,
    memory_per_cpu: JsonNumber,
    memory_per_node: JsonNumber,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Tres {
    allocated: Vec<Resource>,
    requested: Vec<Resource>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Resource {
    #[serde(rename = "type")]
    kind: JsonText,
    name: JsonText,
    count: JsonNumber,
}

/// A text, which may be null.
type JsonText = Option<String>;

/// A text, or a list of them.
#[derive(Default, Deserialize)]
#[serde(untagged)]
enum Words {
    #[default]
    None,
    One(String),
    Several(Vec<String>),
}

/// A number as Slurm writes it: plain, or an object with a flag that says whether it is set.
#[derive(Default, Deserialize)]
#[serde(untagged)]
enum JsonNumber {
    #[default]
    Null,
    Whole(u64),
    /// A number with Slurm's bit of 64 bits, which some versions write as negative.
    Negative(i64),
    Decimal(f64),
    Optional {
        set: bool,
        #[serde(default)]
        infinite: bool,
        #[serde(default)]
        number: f64,
    },
    Text(String),
}

impl JsonNumber {
    /// Returns the number; empty if it is not set or infinite.
    fn text(&self) -> String {
        match self {
            JsonNumber::Whole(number) => number.to_string(),
            JsonNumber::Negative(number) => (*number as u64).to_string(),
            JsonNumber::Decimal(number) => number.to_string(),
            JsonNumber::Optional { set, infinite, number } if *set && !infinite => number.to_string(),
            JsonNumber::Null | JsonNumber::Optional { .. } => String::new(),
            JsonNumber::Text(text) => text.clone(),
        }
    }

    /// Returns the number if it is above zero; otherwise an empty text.
    fn positive(&self) -> String {
        Some(self.text()).filter(|text| text != "0").unwrap_or_default()
    }
}

/// Columns of the rows.
const COLUMNS: &[Column] = &[
    Column::JobId,
    Column::JobIdRaw,
    Column::JobName,
    Column::User,
    Column::Group,
    Column::Account,
    Column::Qos,
    Column::Partition,
    Column::State,
    Column::Submit,
    Column::Eligible,
    Column::Start,
    Column::End,
    Column::ElapsedRaw,
    Column::Suspended,
    Column::TimelimitRaw,
    Column::Nodes,
    Column::ReqCpus,
    Column::ReqMem,
    Column::ReqTres,
    Column::AllocTres,
    Column::Constraints,
    Column::Reservation,
    Column::SubmitLine,
    Column::Licenses,
];

/// Converts a listing. Its lines are those of the jobs, numbered from 2.
pub(super) fn rows(text: &str) -> Result<String, LayoutError> {
    let document: Document =
        serde_json::from_str(text).map_err(|error| (error.line() as u64, error.to_string()))?;
    let (mut rows, mut lines) = (String::new(), 0);
    push_row(&mut rows, &mut lines, 1, COLUMNS.iter().map(|column| column.name()));
    for (line, job) in (2..).zip(&document.jobs) {
        let Some(times) = &job.time else {
            let of_squeue =
                if job.submit_time.is_some() { "; it is the output of squeue or scontrol" } else { "" };
            return Err((1, format!("jobs[{}] has no member `time`{of_squeue}", line - 2)));
        };
        let fields: Vec<String> = COLUMNS.iter().map(|&column| value(job, times, column)).collect();
        push_row(&mut rows, &mut lines, line, fields.iter().map(String::as_str));
    }
    Ok(rows)
}

fn value(job: &Job, times: &Times, column: Column) -> String {
    let text = |text: &JsonText| text.clone().unwrap_or_default();
    match column {
        Column::JobId => job_id(job),
        Column::JobIdRaw => job.job_id.to_string(),
        Column::JobName => text(&job.name),
        Column::User => text(&job.user),
        Column::Group => text(&job.group),
        Column::Account => text(&job.account),
        Column::Qos => text(&job.qos),
        Column::Partition => text(&job.partition),
        Column::State => match &job.state.current {
            Words::None => String::new(),
            Words::One(state) => state.clone(),
            Words::Several(states) => states.first().cloned().unwrap_or_default(),
        },
        Column::Submit => times.submission.positive(),
        Column::Eligible => times.eligible.positive(),
        Column::Start => times.start.positive(),
        Column::End => times.end.positive(),
        Column::ElapsedRaw => times.elapsed.text(),
        Column::Suspended => times.suspended.text(),
        Column::TimelimitRaw => times.limit.positive(),
        Column::Nodes => job.allocation_nodes.positive(),
        Column::ReqCpus => job.required.cpus.positive(),
        Column::ReqMem => memory(&job.required),
        Column::ReqTres => resources(&job.tres.requested),
        Column::AllocTres => resources(&job.tres.allocated),
        Column::Constraints => text(&job.constraints),
        Column::Reservation => job.reservation.name.positive(),
        Column::SubmitLine => text(&job.submit_line),
        Column::Licenses => text(&job.licenses),
        _ => String::new(),
    }
}

/// Returns the id as `sacct` writes it: `12_3` for a task of an array, `12+1` for a component.
fn job_id(job: &Job) -> String {
    let (array, het) = (job.array.job_id.positive(), job.het.job_id.positive());
    if !array.is_empty() {
        let task = job.array.task_id.text();
        return match &job.array.task {
            Some(tasks) if task.is_empty() => format!("{array}_[{tasks}]"),
            _ => format!("{array}_{task}"),
        };
    }
    match het.is_empty() {
        true => job.job_id.to_string(),
        false => format!("{het}+{}", job.het.job_offset.text()),
    }
}

fn memory(required: &Required) -> String {
    let with = |number: &JsonNumber, unit: &str| {
        Some(number.positive()).filter(|number| !number.is_empty()).map(|number| format!("{number}M{unit}"))
    };
    let per_cpu = with(&required.memory_per_cpu, "c");
    let found =
        per_cpu.or_else(|| with(&required.memory_per_node, "n")).or_else(|| with(&required.memory, "n"));
    found.unwrap_or_default()
}

/// Returns a list of resources as `sacct` writes it: `cpu=4,mem=200M,gres/gpu=2`.
fn resources(list: &[Resource]) -> String {
    let part = |resource: &Resource| {
        let kind = resource.kind.as_deref()?;
        let unit = if kind == "mem" { "M" } else { "" };
        let name = resource.name.as_deref().filter(|name| !name.is_empty());
        let name = name.map_or_else(|| kind.to_owned(), |name| format!("{kind}/{name}"));
        Some(format!("{name}={}{unit}", resource.count.text()))
    };
    list.iter().filter_map(part).collect::<Vec<_>>().join(",")
}
