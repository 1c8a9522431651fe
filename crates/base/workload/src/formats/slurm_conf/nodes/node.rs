//! Attributes of a `NodeName` line.

use super::super::ConfError;
use super::super::lines::ConfLine;
use super::gres::{self, Gres};
use super::state::NodeState;
use super::topology::{Processors, Topology};
use dfrsim_model::platform::classes::SleepFields;

/// Keys of `NodeName` lines that are used, in lower case.
pub(in super::super) const USED_KEYS: [&str; 19] = [
    "cpus",
    "procs",
    "boards",
    "sockets",
    "socketsperboard",
    "corespersocket",
    "threadspercore",
    "corespeccount",
    "cpuspeclist",
    "weight",
    "realmemory",
    "memspeclimit",
    "feature",
    "features",
    "gres",
    "state",
    "nodename",
    "reason",
    "tmpdisk",
];

/// Keys of `NodeName` lines that are known to some version of Slurm and are not used, in lower case.
const OTHER_KEYS: [&str; 15] = [
    "nodehostname",
    "nodeaddr",
    "port",
    "bcastaddr",
    "arch",
    "os",
    "tresweights",
    "cpubind",
    "restrictedcorespergpu",
    "topology",
    "parameters",
    "certtype",
    "extra",
    "instancetype",
    "suspendtime",
];

/// Attributes of a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in super::super) struct Node {
    pub(super) topology: Topology,
    /// Memory in megabytes; `None` if the file does not give it.
    memory_mb: Option<u64>,
    /// Memory that is kept for the system.
    reserved_mb: u64,
    pub(super) gres: Vec<Gres>,
    pub(super) features: Vec<String>,
    /// Nodes of lower weight are allocated first; Slurm's default is 1.
    pub(super) weight: Option<u32>,
    pub(super) state: NodeState,
    /// Number of jobs that share a core; `None` if jobs do not share cores.
    pub(super) jobs_per_core: Option<u32>,
    /// Rule by which the node sleeps; `None` if it stays awake.
    pub(super) sleep: Option<SleepFields>,
    /// Seconds without jobs after which the node sleeps, if it has a time of its own; `Some(None)` if it
    /// never does.
    pub(super) suspend: Option<Option<u64>>,
}

impl Node {
    /// Parses the attributes of a line, starting from those of `NodeName=DEFAULT`. Keys that are not
    /// simulated are added to `ignored`, and errors to `errors`.
    pub(super) fn of_line(
        line: &ConfLine,
        default: &Node,
        ignored: &mut Vec<String>,
        errors: &mut Vec<ConfError>,
    ) -> Node {
        let mut node = default.clone();
        for (name, value) in &line.pairs[1..] {
            let at = line.at.for_parameter(format!("NodeName {name}"));
            let key = name.to_ascii_lowercase();
            if line.is_stray(name) {
                continue;
            }
            if !USED_KEYS.contains(&key.as_str()) && !OTHER_KEYS.contains(&key.as_str()) {
                let choices = &mut USED_KEYS.into_iter().chain(OTHER_KEYS);
                let at = line.at.for_parameter("NodeName");
                errors.push(at.error(super::super::unknown("parameter", &key, choices)));
                continue;
            }
            match node.set(&key, value, &at) {
                Ok(true) => {}
                Ok(false) => ignored.push(format!("NodeName {name}")),
                Err(error) => errors.push(error),
            }
        }
        node
    }

    /// Sets an attribute; returns whether it is used, or has no effect on schedules.
    fn set(&mut self, key: &str, value: &str, at: &super::super::lines::Location) -> Result<bool, ConfError> {
        if self.topology.set(key, value, at)? {
            return Ok(true);
        }
        match key {
            "weight" => self.weight = Some(at.number(value)?),
            "realmemory" => self.memory_mb = Some(at.number(value)?.into()),
            "memspeclimit" => self.reserved_mb = at.number(value)?.into(),
            "feature" | "features" => {
                let names = value.split(',').map(str::trim).filter(|name| !name.is_empty());
                self.features = names.map(str::to_owned).collect();
            }
            "suspendtime" => self.suspend = Some(at.suspend_time(value)?),
            "gres" => self.gres = gres::parse_list(value, at)?,
            "state" => {
                let expected = "UNKNOWN, DOWN, DRAIN, FAIL, FUTURE or CLOUD";
                self.state = NodeState::of(value).ok_or_else(|| at.unexpected(value, expected))?;
            }
            // Network addresses and local details of a node do not affect scheduling.
            "nodehostname" | "nodeaddr" | "port" | "bcastaddr" | "reason" | "tmpdisk" | "arch" | "os" => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Returns the processors of the node.
    pub(super) fn processors(&self) -> Processors {
        self.topology.processors().unwrap_or(Processors { all: 1, for_jobs: 1, replaced: None })
    }

    /// Returns the memory that jobs can get, in megabytes; `None` if the file does not give it. A
    /// reserved amount that leaves nothing does not count, as in Slurm.
    pub(super) fn memory_mb(&self) -> Option<u64> {
        let memory = self.memory_mb?.max(1);
        Some(memory.checked_sub(self.reserved_mb).filter(|left| *left > 0).unwrap_or(memory))
    }
}
