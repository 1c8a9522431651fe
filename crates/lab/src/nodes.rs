//! Nodes of a cluster in the scenarios of all studies: node classes and down times.

use crate::fields;
use crate::fields::{
    Check, Codec, FileOr, LocatedFile, file, file_known_or, list, named, optional, positive_seconds, seconds,
    serde, table, tables,
};
use dfrsim_model::named::UnknownName;
use dfrsim_model::platform::classes::{PlatformError, PlatformFields, Request, read};
use dfrsim_model::platform::file::ClusterNodes;
use dfrsim_model::platform::{FailureModel, Maintenance, NodeSet, Outages, Rack, TimeDistribution, machines};
use dfrsim_model::{Seed, SimSpan, SimTime};

fields! {
    /// Heterogeneous nodes.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct NodeKinds {
        /// Classes of nodes, which together must make up all nodes: a file (TOML, or XML of
        /// SimGrid), the name of a machine such as `hpc2n-2002`, or a table `{ reference = { cores, memory_gb }, shared = [..], classes = [{
        /// name, nodes, cores, memory_gb, speed, resources, features }] }`. CPU needs and memory of
        /// tasks are fractions of the reference node (the first class unless given). Speeds are at
        /// most 1, since run times are those of the fastest nodes. Tasks allocate whole units of
        /// resources, except for those that are `shared`, which they share as they share CPU.
        pub platform: Option<FileOr<PlatformFields>> = optional(platform());
        /// Requests that are drawn for jobs: `RESOURCE:PROBABILITY:NUMBERS:NEED`, as in
        /// `gpu:0.3:1+2:0.5-1` (each task requests one or two GPUs and uses from half to all of
        /// each), `RESOURCE:PROBABILITY:lognormal(MU,SIGMA)` of a resource of the whole cluster, as in
        /// `burst_buffer:1:tasks*lognormal(3,1)` (units for each task), or `@FEATURE:PROBABILITY`. With
        /// `:max8` at the end, only jobs of at most 8 tasks make requests, and with `:over120` before it,
        /// only those that request more than 120 s.
        pub requests: Vec<Request> = list(named("a request")), default Vec::new();
    }
    check |kinds, at| {
        if kinds.platform.is_none() && !kinds.requests.is_empty() {
            at.fault("requests", "requests need a `platform` whose nodes have the requested resources and features");
        }
    }
}

/// Creates the codec of the nodes of a cluster: a file, the name of a machine, or a table.
pub fn platform() -> Codec<FileOr<PlatformFields>> {
    let is_known = |name: &str| match machines::text(name) {
        Some(_) => Ok(()),
        None => {
            let unknown = UnknownName::new("platform", name, machines::names());
            Err(format!("{unknown}; files of your own end in .toml"))
        }
    };
    file_known_or("the name of a machine", is_known, serde("a table of classes of nodes"))
}

impl NodeKinds {
    /// Checks the node classes against the cluster size, if they are in the scenario itself.
    pub fn check(&self, nodes: u32, at: &mut Check<'_, '_, '_>) {
        let fields = match &self.platform {
            Some(FileOr::Inline(fields)) => fields.clone(),
            Some(machine @ FileOr::File(file)) if machines::text(&file.given).is_some() => {
                let Ok(fields) = platform_fields(machine) else { return };
                fields
            }
            Some(FileOr::File(_)) | None => return,
        };
        match fields.classes_of(nodes) {
            Ok(_) => {}
            Err(PlatformError::Fields(wrong)) => {
                wrong.into_iter().for_each(|it| at.fault_below("platform", &it.path, it.reason));
            }
            Err(error) => at.fault("platform", error.to_string()),
        }
    }
}

/// Returns the node classes, reading the file if they are in one.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn platform_fields(platform: &FileOr<PlatformFields>) -> Result<PlatformFields, String> {
    match platform {
        FileOr::Inline(fields) => Ok(fields.clone()),
        FileOr::File(file) => read(&file.path).map_err(|faults| faults.to_string()),
    }
}

fields! {
    /// Down times of nodes.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct DownTimes {
        /// File of outages, CSV or JSONL, with the fields `nodes`, `from_s`, `until_s` and, for
        /// windows announced to policies, `announced_s`, and for drained nodes, whose jobs run to
        /// their end, `drain`. Nodes are numbers, or names if the classes
        /// of nodes have `hosts`.
        pub file: Option<LocatedFile> = optional(file());
        /// Random failures, drawn for each instance for as long as jobs arrive.
        pub failures: Option<DrawnFailures> = optional(table());
        /// Periodic maintenance windows, for as long as jobs arrive.
        pub maintenance: Vec<MaintenanceFields> = tables();
    }
}

fields! {
    /// Random failures of nodes, independent of each other.
    #[derive(Clone, Debug, PartialEq)]
    pub struct DrawnFailures {
        /// Distribution of the time from a repair to the next failure, in seconds:
        /// `exponential:MEAN`, `weibull:MEAN:SHAPE`, `lognormal:MEAN:DEVIATION` or `fixed:MEAN`.
        pub between: TimeDistribution = named("a distribution of times");
        /// Distribution of the repair time, in seconds.
        pub repair: TimeDistribution = named("a distribution of times");
        /// Rack failures, `NODES:PROBABILITY`: the nodes per rack, and the probability that a
        /// failure takes the whole rack down.
        pub rack: Option<Rack> = optional(named("racks"));
    }
}

fields! {
    /// Periodic windows of equal length in which nodes are down. Policies know them in advance:
    /// batch policies start no job whose estimate reaches into one.
    #[derive(Clone, Debug, PartialEq)]
    pub struct MaintenanceFields {
        /// Affected nodes: `all`, or numbers and ranges such as `0-15 20`.
        pub nodes: Option<NodeSet> = optional(named("nodes"));
        /// Start of the first window.
        pub first as "first_s": SimSpan = seconds(..);
        /// Time from the start of one window to the start of the next.
        pub every as "every_s": SimSpan = positive_seconds();
        /// Length of each window.
        pub length as "length_s": SimSpan = positive_seconds();
        /// Time between the announcement of a window and its start.
        pub notice as "notice_s": SimSpan = seconds(..), default SimSpan::from_secs(14 * 86_400);
    }
    check |maintenance, at| {
        if maintenance.length >= maintenance.every {
            at.fault("length_s", "a maintenance window must be shorter than the period `every_s`");
        }
    }
}

impl DownTimes {
    /// Builds the outages of a cluster. Drawn failures and periodic windows start no later than
    /// `until`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or if the outages cannot be simulated.
    pub fn outages(&self, of: ClusterNodes<'_>, until: SimTime, seed: Seed) -> Result<Outages, String> {
        let nodes = of.nodes;
        let mut outages = Outages::default();
        if let Some(given) = &self.file {
            let read = dfrsim_model::platform::file::read(&given.path, of);
            let read = read.map_err(|faults| faults.to_string())?;
            (outages.failures, outages.windows, outages.drains) = (read.failures, read.windows, read.drains);
        }
        if let Some(DrawnFailures { between, repair, rack }) = &self.failures {
            let model = FailureModel { between: *between, repair: *repair, rack: *rack };
            outages.failures.extend(model.draw(nodes, until, seed));
        }
        for MaintenanceFields { nodes: set, first, every, length, notice } in &self.maintenance {
            let set = set.as_ref().unwrap_or(&NodeSet::ALL);
            let first = SimTime::ZERO + *first;
            let repeated = Maintenance { first, every: *every, length: *length, notice: *notice };
            outages.windows.extend(repeated.windows(&set.spans(nodes), until));
        }
        outages.check(nodes).map_err(|error| error.to_string())?;
        Ok(outages)
    }
}
