//! A study with every kind of field.

use dfrsim_lab::fields;
use dfrsim_lab::fields::*;
use dfrsim_model::{Share, SimSpan, Yield};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};
use std::str::FromStr;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Policy(pub(crate) &'static str);

pub(crate) const POLICIES: [&str; 4] = ["FCFS", "EASY", "EASY/SJF", "MCB"];

impl FromStr for Policy {
    type Err = String;
    fn from_str(name: &str) -> Result<Policy, String> {
        let found = POLICIES.into_iter().find(|each| *each == name);
        found.map(Policy).ok_or_else(|| unknown("policy", name, POLICIES))
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Policies of the environment; all by default.
pub(crate) struct Registry(pub(crate) Vec<Policy>);

fn policies() -> Codec<Vec<Policy>> {
    selected("a policy", named("a policy"), |environment: &Environment| {
        let all = match environment.get::<Registry>() {
            Some(Registry(policies)) => policies.clone(),
            None => POLICIES.map(Policy).to_vec(),
        };
        all.into_iter().map(|policy| (policy.to_string(), policy)).collect()
    })
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Overrun {
    Extend,
    Kill,
}

#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Annotation {
    #[default]
    None,
    Cores(Cores),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Cores {
    cores: u32,
    memory_kb: u64,
}

impl Default for Cores {
    fn default() -> Cores {
        Cores { cores: 2, memory_kb: 2_097_152 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Speed(u32);

fn speed(value: f64) -> Result<Speed, String> {
    let thousandths = (value * 1_000.0).round();
    if thousandths < 1.0 || (thousandths / 1_000.0 - value).abs() > 1e-9 {
        return Err(format!("expected a speed with three decimals, found {value}"));
    }
    Ok(Speed(thousandths as u32))
}

fields! {
    /// Scenario with every kind of field.
    #[derive(Clone, Debug, PartialEq)]
    pub(crate) struct Everything {
        /// Policies.
        pub(crate) policies: Vec<Policy> = policies();
        /// Number of replications.
        pub(crate) replications: u32 = count("a number of replications", 1, 10_000), default 1;
        /// True if the run is audited.
        pub(crate) audit: bool = boolean(), default true;
        /// Sizes, which may be none.
        pub(crate) sizes: Vec<usize> = list(count("a number of resources", 1, 100)), default vec![2, 3];
        /// For so long.
        pub(crate) time_limit: Option<SimSpan> = optional(positive_seconds());
        /// What simulations have in common.
        pub(crate) simulation: Simulation = table();
        /// The second phase.
        pub(crate) second: Option<Second> = optional(table());
        /// Workloads.
        pub(crate) workloads: Vec<Workload> =
            distinct_tables("name", "a workload", |workload: &Workload| &workload.name).at_least_one();
        /// Clusters by name.
        pub(crate) clusters: BTreeMap<String, Cluster> = map(table());
    }
    renamed { "seeds" => "replications", "policy" => "policies" }
}

fields! {
    /// What simulations
    /// have in common.
    #[derive(Clone, Debug, PartialEq)]
    pub(crate) struct Simulation {
        /// Penalties in seconds.
        pub(crate) penalties as "penalty": Vec<SimSpan> =
            one_or_many(seconds(..)), default vec![SimSpan::from_secs(300)];
        /// Smallest yield.
        pub(crate) floor: Yield = positive_fraction("a yield"), default Yield::nearest(0.01);
        /// Memory as a fraction of a node.
        pub(crate) memory: Share = fraction("a part of a node"), default Share::ONE;
        /// Behaviour at the end of an estimate.
        pub(crate) overrun: Overrun =
            choice([("extend", Overrun::Extend), ("kill", Overrun::Kill)]), default Overrun::Extend;
        /// Speed in flop/s.
        pub(crate) flops: Option<NonZeroU64> = optional(via(
            number("flop/s", 1.0..=1e18),
            |value: f64| NonZeroU64::new(value.round() as u64).ok_or("expected some flop/s"),
            |value: &NonZeroU64| value.get() as f64,
        ));
        /// Warm-up, then cool-down.
        pub(crate) margins: (SimSpan, SimSpan) = with(
            |at, reader| match at.items()?.as_slice() {
                [first, second] => Some((seconds(..).read(first, reader)?, seconds(..).read(second, reader)?)),
                _ => reader.expected(at, "two numbers of seconds"),
            },
            |(first, second): &(SimSpan, SimSpan)| {
                Value::Array(vec![first.as_secs_f64().into(), second.as_secs_f64().into()])
            },
            "two numbers of seconds",
        ), default (SimSpan::ZERO, SimSpan::ZERO);
    }
    check |simulation, at| {
        if simulation.margins.0 > SimSpan::from_secs(1_000) && simulation.overrun == Overrun::Kill {
            at.fault("margins", "a warm-up this long goes with `overrun = \"extend\"` only");
        }
    }
}

fields! {
    /// The second phase.
    #[derive(Clone, Debug, PartialEq)]
    pub(crate) struct Second {
        /// Policies of the second phase, which may be empty.
        pub(crate) policies: Vec<Policy> = any_selected("a policy", named("a policy"), |_: &Environment| {
            POLICIES.map(|name| (name.to_owned(), Policy(name))).to_vec()
        }), default Vec::new();
    }
}

fields! {
    /// A workload.
    #[derive(Clone, Debug, PartialEq)]
    pub(crate) struct Workload {
        /// Name of the workload.
        pub(crate) name: String = name("a workload");
        /// Nodes.
        pub(crate) nodes: NonZeroU32 = count("a number of nodes", 1, u32::MAX);
        /// Source of the jobs.
        pub(crate) source: Source = flattened();
    }
}

fields! {
    /// Source of the jobs.
    #[derive(Clone, Debug, PartialEq)]
    pub(crate) enum Source {
        /// A log.
        Log(Log) as "log" = table();
        /// Equal jobs.
        Equal(u32) as "equal" = count("a number of jobs", 1, 1_000_000);
    }
}

fields! {
    /// A log.
    #[derive(Clone, Debug, PartialEq)]
    pub(crate) struct Log {
        /// File of the log.
        pub(crate) file: LocatedFile = file();
        /// Annotation of the log.
        pub(crate) annotation: Annotation = shorthand(
            [("cores", Annotation::Cores(Cores::default()))],
            serde("an annotation"),
        ), default Annotation::None;
    }
}

fields! {
    /// A cluster.
    #[derive(Clone, Debug, PartialEq)]
    pub(crate) struct Cluster {
        /// Speed of the cluster.
        pub(crate) speed: Speed = via(
            positive("a speed"),
            speed,
            |speed: &Speed| f64::from(speed.0) / 1_000.0,
        ), default Speed(1_000);
    }
}

/// Creates an environment in which every file exists, except those called "missing".
pub(crate) fn environment() -> Environment {
    Environment::new().with(FileLocator::new(|request| match request.name {
        "missing" => Err("there is no file missing".into()),
        name => Ok(LocatedFile::new(name, format!("/logs/{name}"))),
    }))
}

pub(crate) fn read(text: &str, overrides: &[&str]) -> Result<Scenario<Everything>, Faults> {
    let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
    let environment = environment();
    let source = ScenarioSource {
        text,
        name: "a.toml",
        folder: None,
        overrides: &overrides,
        environment: &environment,
    };
    Scenario::read(&source, "everything")
}

/// Returns the errors of a scenario, as `line:column: message`, or with the override instead of the
/// position.
pub(crate) fn faults(text: &str, overrides: &[&str]) -> Vec<String> {
    let errors = read(text, overrides).expect_err("the scenario is wrong");
    let place = |fault: &Fault| match (fault.line, fault.column) {
        (Some(line), Some(column)) => format!("{line}:{column}"),
        _ if fault.file == "a.toml" => "file".to_owned(),
        _ => fault.file.clone(),
    };
    errors.0.iter().map(|fault| format!("{}: {}", place(fault), fault.message)).collect()
}

pub(crate) const SMALL: &str = include_str!("example_small.toml");

pub(crate) const FULL: &str = include_str!("example_full.toml");
