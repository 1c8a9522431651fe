//! The nodes of a cluster, as the scenarios of all studies have them: how they differ, and when they are down.

use crate::fields;
use crate::fields::{
    Check, FileOr, LocatedFile, file, file_or, list, named, optional, positive_seconds, seconds, serde,
    table, tables,
};
use dfrsim_model::platform::classes::{PlatformError, PlatformFields, Request, read};
use dfrsim_model::platform::{FailureModel, Maintenance, NodeSet, Outages, Rack, Times};
use dfrsim_model::{Seed, SimSpan, SimTime};

fields! {
    /// How nodes differ.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct NodeKinds {
        /// The classes of nodes, where they differ, which must make up all nodes: a file (TOML, or XML of SimGrid), or a table
        /// `{ reference = { cores, memory_gb }, shared = [..], classes = [{ name, nodes, cores, memory_gb, speed, resources, features }] }`.
        /// CPU needs and memory of tasks are parts of the reference node (the first class's unless given); speeds are at most 1, since
        /// run times are those of the fastest nodes. Tasks hold whole units of resources, but share those that are `shared` as they
        /// share CPU.
        pub platform: Option<FileOr<PlatformFields>> = optional(file_or(serde("a table of classes of nodes")));
        /// What jobs, which are drawn, ask for: `RESOURCE:PROBABILITY:NUMBERS:NEED`, as `gpu:0.3:1+2:0.5-1` (each task one or two GPUs,
        /// and to use from half to all of each), or `@FEATURE:PROBABILITY`; with `:max8` at the end, only jobs of at most 8 tasks.
        pub requests: Vec<Request> = list(named("a request")), default Vec::new();
    }
    check |kinds, at| {
        if kinds.platform.is_none() && !kinds.requests.is_empty() {
            at.fault("requests", "expected a `platform` whose nodes have what jobs ask for");
        }
    }
}

impl NodeKinds {
    /// Checks the classes of a cluster of this many nodes, if the scenario itself has them.
    pub fn check(&self, nodes: u32, at: &mut Check<'_, '_, '_>) {
        let Some(FileOr::Here(fields)) = &self.platform else { return };
        match fields.classes_of(nodes) {
            Ok(_) => {}
            Err(PlatformError::Fields(wrong)) => {
                wrong.into_iter().for_each(|it| at.fault_below("platform", &it.path, it.reason));
            }
            Err(error) => at.fault("platform", error.to_string()),
        }
    }
}

/// Reads classes of nodes.
///
/// # Errors
/// If a file with them cannot be read.
pub fn platform_fields(platform: &FileOr<PlatformFields>) -> Result<PlatformFields, String> {
    match platform {
        FileOr::Here(fields) => Ok(fields.clone()),
        FileOr::File(file) => read(&file.path).map_err(|faults| faults.to_string()),
    }
}

fields! {
    /// When nodes are down.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct DownTimes {
        /// Outages in a file, CSV or JSONL, with the fields `nodes`, `from_s`, `until_s` and, for windows that policies know of,
        /// `announced_s`.
        pub file: Option<LocatedFile> = optional(file());
        /// Failures that are drawn for each instance, as long as jobs arrive.
        pub failures: Option<DrawnFailures> = optional(table());
        /// Windows that are repeated, as long as jobs arrive.
        pub maintenance: Vec<MaintenanceFields> = tables();
    }
}

fields! {
    /// How nodes fail, each by itself.
    #[derive(Clone, Debug, PartialEq)]
    pub struct DrawnFailures {
        /// The time from a repair to the next failure: `exponential:MEAN`, `weibull:MEAN:SHAPE`, `lognormal:MEAN:DEVIATION` or `fixed:MEAN`,
        /// in seconds.
        pub between: Times = named("a distribution of times");
        /// How long a repair takes.
        pub repair: Times = named("a distribution of times");
        /// `NODES:PROBABILITY`: the nodes of a rack, and how likely a failure takes the whole rack down.
        pub rack: Option<Rack> = optional(named("racks"));
    }
}

fields! {
    /// Windows of the same length, in which nodes are down. Policies know of them in advance: batch policies start no job that reaches
    /// into one by its estimate.
    #[derive(Clone, Debug, PartialEq)]
    pub struct MaintenanceFields {
        /// The nodes: `all`, or numbers and ranges such as `0-15 20`.
        pub nodes: Option<NodeSet> = optional(named("nodes"));
        /// When the first one begins.
        pub first as "first_s": SimSpan = seconds(..);
        /// From one begin to the next.
        pub every as "every_s": SimSpan = positive_seconds();
        /// How long each is.
        pub length as "length_s": SimSpan = positive_seconds();
        /// How long before its begin each is announced.
        pub notice as "notice_s": SimSpan = seconds(..), default SimSpan::from_secs(14 * 86_400);
    }
    check |maintenance, at| {
        if maintenance.length >= maintenance.every {
            at.fault("length_s", "expected windows shorter than the time from one to the next");
        }
    }
}

impl DownTimes {
    /// The outages of a cluster of this many nodes. Drawn failures and repeated windows begin no later than `until`.
    ///
    /// # Errors
    /// If the file cannot be read, or the outages cannot be simulated.
    pub fn outages(&self, nodes: u32, until: SimTime, seed: Seed) -> Result<Outages, String> {
        let mut outages = Outages::default();
        if let Some(given) = &self.file {
            let read = dfrsim_model::platform::file::read(&given.path, nodes);
            let read = read.map_err(|faults| faults.to_string())?;
            (outages.failures, outages.windows) = (read.failures, read.windows);
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
