//! States as JSON, in the form of `squeue --json`.

use super::table::Row;
use super::{Fault, Field};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// State of a running system, in the form of `squeue --json`. Other members are ignored.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct StateFile {
    /// Jobs that run or wait.
    jobs: Vec<JobEntry>,
    /// Time of the state, in seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_update: Option<Number>,
}

/// Job of a state.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct JobEntry {
    /// Number of the job.
    job_id: u64,
    /// User.
    #[serde(default)]
    user_name: Option<String>,
    /// State: `PENDING`, `RUNNING`, or a list that begins with one of them.
    job_state: Words,
    /// Number of nodes.
    #[serde(default)]
    node_count: Option<Number>,
    /// Number of processors.
    #[serde(default)]
    cpus: Option<Number>,
    /// Time limit, in minutes.
    #[serde(default)]
    time_limit: Option<Number>,
    /// Time of the submission, in seconds since 1970.
    #[serde(default)]
    submit_time: Option<Number>,
    /// Time of the start, in seconds since 1970.
    #[serde(default)]
    start_time: Option<Number>,
    /// Reason for which the job waits.
    #[serde(default)]
    state_reason: Option<String>,
    /// Dependencies, such as `afterok:17`.
    #[serde(default)]
    dependency: Option<String>,
}

/// Number, or an object with it, as newer versions of Slurm write.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Number {
    /// The number itself.
    Plain(u64),
    /// A number that may not be set.
    Set {
        /// False if the number has no meaning.
        set: bool,
        /// True if there is no limit.
        #[serde(default)]
        infinite: bool,
        /// The number.
        number: u64,
    },
}

/// Word, or a list of words of which the first counts.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Words {
    /// One word.
    One(String),
    /// Several words.
    Several(Vec<String>),
}

impl Number {
    fn value(&self) -> Option<u64> {
        match *self {
            Number::Plain(number) => Some(number),
            Number::Set { set, infinite, number } => (set && !infinite).then_some(number),
        }
    }
}

/// Reads the jobs and the time of the state.
pub(super) fn rows(text: &str, faults: &mut Vec<Fault>) -> (Vec<Row>, Option<i64>) {
    let mut reader = serde_json::Deserializer::from_str(text);
    let file: StateFile = match serde_path_to_error::deserialize(&mut reader) {
        Ok(file) => file,
        Err(error) => {
            let place = error.inner().line();
            faults.push(Fault { place, job: None, message: format!("{}: {}", error.path(), error.inner()) });
            return (Vec::new(), None);
        }
    };
    let row = |(at, job): (usize, &JobEntry)| {
        let number = |number: &Option<Number>| number.as_ref()?.value();
        let state = match &job.job_state {
            Words::One(word) => Some(word.clone()),
            Words::Several(words) => words.first().cloned(),
        };
        let fields = [
            (Field::Id, Some(job.job_id.to_string())),
            (Field::User, job.user_name.clone()),
            (Field::State, state),
            (Field::Nodes, number(&job.node_count).map(|it| it.to_string())),
            (Field::Processors, number(&job.cpus).map(|it| it.to_string())),
            (Field::Limit, number(&job.time_limit).map(|it| it.to_string())),
            (Field::Submit, number(&job.submit_time).map(|it| it.to_string())),
            (Field::Start, number(&job.start_time).filter(|&it| it > 0).map(|it| it.to_string())),
            (Field::Reason, job.state_reason.clone()),
            (Field::Dependency, job.dependency.clone()),
        ];
        let known = fields.into_iter().filter_map(|(field, text)| Some((field, text?)));
        (at + 1, known.filter(|(_, text)| !text.is_empty()).collect())
    };
    let rows = file.jobs.iter().enumerate().map(row).collect();
    (rows, file.last_update.and_then(|it| it.value()).and_then(|it| i64::try_from(it).ok()))
}
