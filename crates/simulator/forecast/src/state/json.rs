//! States as JSON, in the form of `squeue --json`.

use super::table::StateRow;
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
    /// Waiting tasks of an array that are listed as one job, which is refused.
    #[serde(default)]
    array_task_string: Option<String>,
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
    /// Account.
    #[serde(default)]
    account: Option<String>,
    /// Partition.
    #[serde(default)]
    partition: Option<String>,
    /// Quality of service.
    #[serde(default)]
    qos: Option<String>,
    /// Nodes on which the job runs, as in `n[1-3]`.
    #[serde(default)]
    nodes: Option<String>,
    /// Resources that were requested, as in `cpu=4,mem=8G,gres/gpu=1`.
    #[serde(default)]
    tres_req_str: Option<String>,
    /// Resources that were allocated.
    #[serde(default)]
    tres_alloc_str: Option<String>,
    /// Resources of each node, as in `gres/gpu:2`.
    #[serde(default)]
    tres_per_node: Option<String>,
    /// Features that the nodes must have.
    #[serde(default)]
    features: Option<String>,
    /// Reservation in which the job runs.
    #[serde(default)]
    resv_name: Option<String>,
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

/// Word, or a list of words of which the first one is used.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Words {
    /// One word.
    One(String),
    /// Several words.
    Several(Vec<String>),
}

impl Number {
    /// Returns the text of a time limit; `None` if there is no information.
    fn limit(&self) -> Option<String> {
        match *self {
            Number::Set { set: true, infinite: true, .. } => Some("UNLIMITED".to_owned()),
            _ => self.value().map(|minutes| minutes.to_string()),
        }
    }

    fn value(&self) -> Option<u64> {
        match *self {
            Number::Plain(number) => Some(number),
            Number::Set { set, infinite, number } => (set && !infinite).then_some(number),
        }
    }
}

/// Reads the jobs and the time of the state.
pub(super) fn rows(text: &str, faults: &mut Vec<Fault>) -> (Vec<StateRow>, Option<i64>) {
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
            (Field::Tasks, job.array_task_string.clone()),
            (Field::User, job.user_name.clone()),
            (Field::State, state),
            (Field::Nodes, number(&job.node_count).map(|it| it.to_string())),
            (Field::Processors, number(&job.cpus).map(|it| it.to_string())),
            (Field::Limit, job.time_limit.as_ref().and_then(Number::limit)),
            (Field::Submit, number(&job.submit_time).map(|it| it.to_string())),
            (Field::Start, number(&job.start_time).filter(|&it| it > 0).map(|it| it.to_string())),
            (Field::Reason, job.state_reason.clone()),
            (Field::Dependency, job.dependency.clone()),
            (Field::Account, job.account.clone()),
            (Field::Partition, job.partition.clone()),
            (Field::Qos, job.qos.clone()),
            (Field::NodeList, job.nodes.clone()),
            (Field::ReqTres, job.tres_req_str.clone()),
            (Field::AllocTres, job.tres_alloc_str.clone()),
            (Field::TresPerNode, job.tres_per_node.clone()),
            (Field::Features, job.features.clone()),
            (Field::Reservation, job.resv_name.clone()),
        ];
        let known = fields.into_iter().filter_map(|(field, text)| Some((field, text?)));
        (at + 1, known.filter(|(_, text)| !text.is_empty()).collect())
    };
    let rows = file.jobs.iter().enumerate().map(row).collect();
    (rows, file.last_update.and_then(|it| it.value()).and_then(|it| i64::try_from(it).ok()))
}
