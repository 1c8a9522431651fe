//! The fields of the nodes of a cluster.

use dfrsim_lab::fields;
use dfrsim_lab::fields::{LocatedFile, file, named, optional, positive_seconds, seconds, table, tables};
use dfrsim_model::SimSpan;
use dfrsim_platform::classes::{NodeClasses, PlatformFields};
use dfrsim_platform::{Interruption, NodeSet, Rack, Times};

fields! {
    /// When nodes of a cluster are down. Times are seconds from the begin of each workload on.
    #[derive(Clone, Debug, PartialEq)]
    pub struct NodeOutageFields {
        /// What happens to jobs on nodes that go down: `lose` (they go back to the meta-scheduler), `requeue` (they begin again there),
        /// or `checkpoint:INTERVAL:COST:RESTART` in seconds of their work (they begin again there from their last checkpoint).
        pub interruption: Interruption = named("what happens to jobs"), default Interruption::Requeue;
        /// Outages in a file, CSV or JSONL, with the fields `nodes`, `from_s`, `until_s` and, for windows that policies know of,
        /// `announced_s`.
        pub file: Option<LocatedFile> = optional(file());
        /// Failures that are drawn for each replication, as long as jobs may arrive.
        pub failures: Option<NodeFailureFields> = optional(table());
        /// Windows that are repeated, as long as jobs may arrive.
        pub maintenance: Vec<WindowFields> = tables();
    }
}

fields! {
    /// How nodes fail, each by itself.
    #[derive(Clone, Debug, PartialEq)]
    pub struct NodeFailureFields {
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
    /// Windows of the same length, in which nodes are down, and of which policies know in advance.
    #[derive(Clone, Debug, PartialEq)]
    pub struct WindowFields {
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
    check |window, at| {
        if window.length >= window.every {
            at.fault("length_s", "expected windows shorter than the time from one to the next");
        }
    }
}

/// The classes of a platform, which must have as many nodes as the cluster has cores.
pub(crate) fn classes(fields: &PlatformFields, cores: u32) -> Result<NodeClasses, String> {
    let classes = fields.classes().map_err(|error| error.to_string())?;
    match classes.nodes() {
        found if found == cores => Ok(classes),
        found => Err(format!("the classes have {found} nodes, the cluster {cores}")),
    }
}
