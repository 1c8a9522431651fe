//! Fields of scenarios.

use crate::engine::recorded::Unit;
use crate::engine::sharing::Sharing;
use crate::engine::{Approach, Lowering, Settings, Spare};
use crate::published::Published;
use dfrsim_lab::fields;
use dfrsim_lab::fields::{
    LocatedFile, boolean, choice, count, distinct_tables, flattened, fraction, list, log, name, number,
    one_or_many, optional, positive_fraction, positive_seconds, table,
};
use dfrsim_model::{Seed, Share, SimSpan, Yield};
use dfrsim_packing::mcb::{McbOptions, Packing};

fields! {
    /// Virtual machines that share the CPU of their nodes. Their CPU needs change, and the policies
    /// see only their actual use. Each approach runs on each workload with each setting.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Discovery {
        /// Number of workloads of each testbed.
        pub replications: u32 = count("a number of replications", 1, 1_000_000), default 100;
        /// Approaches that set the weights.
        pub approaches: Vec<Approach> =
            one_or_many(choice(Approach::ALL.iter().map(|&it| (it.name(), it)))), default Approach::ALL.to_vec();
        /// Settings of the policies. Claims are checked with the first one.
        pub settings: Vec<Setting> =
            distinct_tables("name", "a setting", |it: &Setting| &it.name).at_least_one(),
            default vec![Setting::standard()];
        /// Workloads to simulate.
        pub workloads: Vec<Workload> =
            distinct_tables("name", "a workload", |it: &Workload| &it.name).at_least_one();
    }
    renamed { "samples" => "replications", "variants" => "settings" }
}

fields! {
    /// Setting of the policies.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Setting {
        /// Name in rows and tables.
        pub name: String = name("a setting"), default "standard".to_owned();
        /// Length of the discovery phase.
        pub discovery: SimSpan = positive_seconds(), default Settings::default().discovery;
        /// Length of the allocation phase.
        pub allocation: SimSpan = positive_seconds(), default Settings::default().allocation;
        /// Length of the execution phase.
        pub execution: SimSpan = positive_seconds(), default Settings::default().execution;
        /// Period at which use is compared with the estimates during execution; the text does not
        /// specify it.
        pub monitor: SimSpan = positive_seconds(), default Settings::default().monitor;
        /// Relative gain in the expected minimum yield that is needed to migrate machines.
        pub threshold: f64 = number("a fraction of the yield", 0.0..), default Settings::default().threshold;
        /// Duration of a live migration, at most an allocation phase. The machine runs on its old
        /// node and occupies memory on both.
        pub migration: SimSpan = positive_seconds(), default Settings::default().migration;
        /// Fraction of the CPU of both of its nodes that a migration uses while it lasts; the text
        /// has such a cost, but no number.
        pub migration_cpu: f64 = fraction("a fraction of a node"), default 0.0;
        /// Fraction of the CPU of each machine that does not reach its program: that of its kernel,
        /// and what is lost when programs are stopped and resumed. Xen and the policies see it as
        /// used, so that it lowers yields alone.
        pub lost_cpu: f64 = fraction("a fraction of a node"), default 0.0;
        /// Sharing of the CPU: `weights` are work-conserving, `caps` are not.
        pub sharing: Sharing =
            choice(Sharing::ALL.iter().map(|&it| (it.name(), it))), default Sharing::default();
        /// Use of the CPU above the largest minimum yield.
        pub spare: Spare = choice(Spare::ALL.iter().map(|&it| (it.name(), it))), default Spare::default();
        /// Condition for lowering the estimate of a machine's need during execution.
        pub lowering: Lowering =
            choice(Lowering::ALL.iter().map(|&it| (it.name(), it))), default Lowering::default();
        /// Packing rule of MCB.
        pub packing: Packing =
            choice(Packing::ALL.iter().map(|&it| (it.name(), it))), default Packing::default();
        /// Lowest yield that MCB tries.
        pub yield_floor: Yield = positive_fraction("a yield"), default McbOptions::default().floor;
        /// Precision of MCB's search: the distance of its last success and last failure.
        pub yield_precision: Yield = positive_fraction("a yield"), default McbOptions::default().precision;
        /// True if MCB's nodes are renamed so that the least memory migrates.
        pub relabel: bool = boolean(), default false;
    }
    check |setting, at| {
        if let Err(error) = setting.settings().check() {
            at.fault_of_table(error.to_string());
        }
    }
}

fields! {
    /// Workloads of one source.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Workload {
        /// Name in rows and tables.
        pub name: String = name("a workload");
        /// Published table to compare with.
        pub published: Option<Published> =
            optional(choice(Published::ALL.iter().map(|&it| (it.name(), it))));
        /// Source of the machines and their needs.
        pub source: Source = flattened();
    }
}

fields! {
    /// Source of the machines and their needs.
    #[derive(Clone, Debug, PartialEq)]
    pub enum Source {
        /// Random needs, with a workload for each replication.
        Testbed(Testbed) as "testbed" = table();
        /// CPU traces from files, with one workload.
        Recorded(Recorded) as "recorded" = table();
    }
}

/// Largest number of machines of a testbed.
const MAX_MACHINES: u64 = 1_000_000;

fields! {
    /// Machines with uniform needs from 0 to 1, the same number on each node, and hogs
    /// (dissertation, section 7.3).
    #[derive(Clone, Debug, PartialEq)]
    pub struct Testbed {
        /// Number of nodes.
        pub nodes: u32 = count("a number of nodes", 1, 100_000), default 4;
        /// Number of machines with random needs on each node.
        pub vms_per_node: u32 = count("a number of machines", 0, 100_000), default 3;
        /// Number of machines that always need a whole node, one on each of the first nodes.
        pub hogs: u32 = count("a number of hogs", 0, 100_000), default 0;
        /// Fraction of a node's memory that each machine reserves, at least 0.01. It occupies half
        /// of that, so that memory is free for migrations.
        pub memory: Share = fraction("a fraction of a node"), default Share::from_ratio(1, 4);
        /// Mean time between changes of a need; times are exponentially distributed.
        pub mean_change: SimSpan = positive_seconds(), default SimSpan::from_secs(1_200);
        /// Time during which the machines run.
        pub span: SimSpan = positive_seconds(), default SimSpan::from_secs(43_200);
    }
    check |testbed, at| {
        // The feasibility of a workload does not depend on its needs. A workload with one step for
        // each machine is quick to generate.
        let steady = crate::engine::Testbed { mean_change: SimSpan::MAX, ..testbed.testbed() };
        if u64::from(testbed.nodes) * u64::from(testbed.vms_per_node) > MAX_MACHINES {
            at.fault_of_table(format!("expected at most {MAX_MACHINES} machines on all nodes together"));
        } else if let Err(error) = steady.workload(Seed::new(0)) {
            at.fault_of_table(error.to_string());
        }
    }
}

fields! {
    /// CPU traces from files. Machines are assigned to the nodes in turn, in the order of files and
    /// columns.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Recorded {
        /// Files with a line for each interval and, separated by commas, a value for each machine.
        /// With one number per line there is one machine. A first line without numbers, blank lines
        /// and lines with `#` are ignored.
        pub files: Vec<LocatedFile> = list(log()).nonempty();
        /// Number of nodes.
        pub nodes: u32 = count("a number of nodes", 1, 100_000);
        /// Fraction of a node's memory that each machine reserves, at least 0.01.
        pub memory: Share = fraction("a fraction of a node"), default Share::from_ratio(1, 4);
        /// Length of the interval of a line.
        pub interval: SimSpan = positive_seconds(), default SimSpan::from_secs(300);
        /// Unit of values: percentages of a node, or fractions of it.
        pub unit: Unit = choice(Unit::ALL.iter().map(|&it| (it.name(), it))), default Unit::Percent;
        /// Length of the traces to use; by default that of the shortest.
        pub span: Option<SimSpan> = optional(positive_seconds());
    }
}

impl Setting {
    pub(crate) fn standard() -> Setting {
        fields::defaults().expect("every field of a setting has a default")
    }

    pub(crate) fn settings(&self) -> Settings {
        Settings {
            discovery: self.discovery,
            allocation: self.allocation,
            execution: self.execution,
            monitor: self.monitor,
            threshold: self.threshold,
            migration: self.migration,
            migration_cpu: Share::try_from_f64(self.migration_cpu).unwrap_or(Share::ONE),
            lost_cpu: Share::try_from_f64(self.lost_cpu).unwrap_or(Share::ONE),
            sharing: self.sharing,
            spare: self.spare,
            lowering: self.lowering,
            mcb: McbOptions {
                packing: self.packing,
                floor: self.yield_floor,
                precision: self.yield_precision,
                ..McbOptions::default()
            },
            relabel: self.relabel,
        }
    }
}

impl Testbed {
    pub(crate) fn testbed(&self) -> crate::engine::Testbed {
        let Testbed { nodes, vms_per_node, hogs, memory, mean_change, span } = *self;
        crate::engine::Testbed { nodes, vms_per_node, hogs, memory, mean_change, span }
    }
}

impl Source {
    /// Returns the number of workloads of this source.
    pub(crate) fn replications(&self, of_testbeds: u32) -> u32 {
        match self {
            Source::Testbed(_) => of_testbeds,
            Source::Recorded(_) => 1,
        }
    }
}
