//! Tests the reading of scenarios: errors are reported with their position and the nearest valid
//! name.

use crate::{read, registry};
use dfrsim_cluster::{EstimateModel, NeedModel, Overrun};
use dfrsim_lab::fields::Scenario;
use dfrsim_model::{Share, SimSpan};
use dfrsim_paper_dfrs::{Cut, Online, Source};
use dfrsim_policies::catalogue;
use dfrsim_workload::lublin::{CpuNeeds, MemoryModel, MemoryMultiples, UniformMemory};
use dfrsim_workload::prepare::Annotation;
use proptest::prelude::*;
use std::fs;
use std::num::NonZeroU64;
use std::path::Path;

const HEAD: &str = "study = \"online\"\npolicies = [\"FCFS\"]\n";
const MODEL: &str = "[[workloads]]\nname = \"model\"\nnodes = 8\nlublin = { replications = 2, jobs = 10 }\n";

fn errors(text: &str, set: &[&str]) -> String {
    read(text, None, set).unwrap_err().to_string()
}
/// Returns the last of the errors, with its lines; those before it are about a missing log.
fn last(text: &str) -> String {
    let errors = errors(text, &[]);
    errors[errors.rfind("s.toml:").unwrap()..].to_owned()
}
fn parse(text: &str, set: &[&str]) -> Scenario<Online> {
    read(text, None, set).unwrap_or_else(|errors| panic!("{errors}"))
}

#[test]
fn defaults_are_those_of_the_study() {
    let scenario = parse(&format!("{HEAD}{MODEL}"), &[]);
    assert_eq!((scenario.seed, scenario.title.as_str()), (1, ""));
    let simulation = &scenario.simulation;
    assert_eq!(simulation.penalties, [SimSpan::from_secs(300)]);
    assert_eq!(simulation.taus, [SimSpan::from_secs(10)]);
    assert_eq!((simulation.estimates, simulation.overrun), (EstimateModel::Exact, Overrun::Extend));
    assert_eq!((simulation.warm_up, simulation.cool_down), (SimSpan::ZERO, SimSpan::ZERO));
}

#[test]
fn moved_submissions_cannot_be_rounded() {
    let jitter = |fields: &str| format!("{HEAD}{MODEL}jitter = {{ {fields} }}\n");
    let parsed = parse(&jitter("up_to_s = 60"), &[]).workloads[0].jitter.unwrap();
    assert_eq!((parsed.copies, parsed.up_to), (20, SimSpan::from_secs(60)));
    let refused = errors(&(jitter("copies = 5") + "submit_step_s = 1\n"), &[]);
    assert!(refused.contains("cannot both be moved at random and be rounded to submit_step_s"), "{refused}");
    assert!(errors(&jitter("copies = 4"), &[]).contains("a number of copies"));
}

#[test]
fn unknown_fields_are_answered_with_the_nearest() {
    assert_eq!(
        errors("study = \"online\"\npolices = [\"FCFS\"]\n", &[]),
        "s.toml: missing field `policies`\ns.toml: expected at least one `workloads` table\n\
         s.toml:2:1: unknown field `polices`; did you mean `policies`?\n  2 | polices = [\"FCFS\"]\n    | ^^^^^^^"
    );
    assert_eq!(
        errors(&format!("{HEAD}[simulation]\npenlty = 0\n{MODEL}"), &[]),
        "s.toml:4:1: unknown field `penlty`; did you mean `penalty`?\n  4 | penlty = 0\n    | ^^^^^^"
    );
    let rules = "[[workloads]]\nname = \"log\"\nnodes = 8\n[workloads.swf]\nfile = \"x\"\nrules = { zero_rum = \"drop\" }\n";
    assert_eq!(
        last(&format!("{HEAD}{rules}")),
        "s.toml:8:11: unknown field `zero_rum`; did you mean `zero_run`?\n  \
         8 | rules = { zero_rum = \"drop\" }\n    |           ^^^^^^^^"
    );
    let annotation =
        "[[workloads]]\nname = \"log\"\nnodes = 8\nswf = { file = \"x\", annotation = \"hpc2\" }\n";
    assert_eq!(
        last(&format!("{HEAD}{annotation}")),
        "s.toml:6:34: unknown variant `hpc2`; did you mean `hpc2n`?\n  \
         6 | swf = { file = \"x\", annotation = \"hpc2\" }\n    |                                  ^^^^^^"
    );
}

#[test]
fn all_wrong_values_are_reported_at_once() {
    let text = include_str!("faults.toml");
    let errors = errors(text, &[]);
    let messages: Vec<&str> = errors.lines().filter(|line| line.starts_with("s.toml:")).collect();
    let starts: Vec<&str> = include_str!("faults.txt").lines().collect();
    assert_eq!(messages.len(), starts.len(), "{errors}");
    for (message, start) in messages.iter().zip(starts) {
        assert!(message.starts_with(start), "{message} instead of {start}");
    }
}

#[test]
fn what_is_missing_or_no_toml_is_reported() {
    assert_eq!(errors("", &[]), "s.toml: missing field `study`");
    assert_eq!(
        errors(&format!("{HEAD}simulation = {{ penalty = \"long\" }}\n{MODEL}"), &[]),
        "s.toml:3:26: expected a number of seconds from 0 or a list of them, found \"long\"\n  \
         3 | simulation = { penalty = \"long\" }\n    |                          ^^^^^^"
    );
    let empty = errors(HEAD, &[]);
    assert_eq!(empty, "s.toml: expected at least one `workloads` table");
    let broken = errors("study = \npolicies = [\n", &[]);
    assert!(broken.starts_with("s.toml:1:9: ") && broken.contains("\ns.toml:"), "{broken}");
    let empty = errors(&format!("study = \"online\"\npolicies = []\n{MODEL}"), &[]);
    assert!(empty.starts_with("s.toml:2:12: expected at least one policy"), "{empty}");
    let absent = registry().load("no/such/file.toml".as_ref(), &[]).err().unwrap().to_string();
    assert!(absent.starts_with("no/such/file.toml: cannot be read: "), "{absent}");
}

#[test]
fn wrong_assumptions_are_reported_with_their_place() {
    let lublin = |fields: &str| {
        let workload = format!("[[workloads]]\nname = \"model\"\nnodes = 8\nlublin = {{ {fields} }}\n");
        errors(&format!("{HEAD}{workload}"), &[]).lines().next().unwrap().to_owned()
    };
    let cases = [
        ("cpu = { serial = 2 }", "6:29: expected a fraction of a node from 0 to 1, found 2"),
        ("cpu = { parallel = 0 }", "6:18: the CPU need of a task must be positive"),
        ("cpu = { cores = 0 }", "6:28: invalid value: integer `0`, expected a nonzero u32"),
        ("cpu = { seriel = 1 }", "6:20: unknown field `seriel`; did you mean `serial`?"),
        ("memory = \"nothing\"", "6:21: unknown variant `nothing`; expected none, constant, "),
        ("memory = { constant = -1 }", "6:34: expected a fraction of a node from 0 to 1, found -1"),
        ("memory = { uniform = { from = 0.5, to = 0.1 } }", "6:33: the lower bound of memory, 0.5, is above"),
        ("memory = { multiples = { single_probability = 2 } }", "6:35: expected a probability from 0 to 1"),
        (
            "memory = { multiples = { unit = 0.2 } }",
            "6:35: expected a maximum of at least 2 units, and at most one node",
        ),
    ];
    for (fields, start) in cases {
        let found = lublin(fields);
        assert!(found.starts_with(&format!("s.toml:{start}")), "{found} instead of {start}");
    }
    let annotation = "[[workloads]]\nname = \"log\"\nnodes = 8\n[workloads.swf]\nfile = \"x\"\n\
        annotation = { lublin = { seed = 1, cpu = { serial = 2 } } }\n";
    let found = last(&format!("{HEAD}{annotation}"));
    assert!(found.starts_with("s.toml:8:54: expected a fraction of a node"), "{found}");
    let set = errors(&format!("{HEAD}{MODEL}"), &["workloads.model.lublin.cpu.serial=2"]);
    assert_eq!(
        set,
        "override `workloads.model.lublin.cpu.serial=2`: expected a fraction of a node from 0 to 1, found 2"
    );
}

#[test]
fn overrides_replace_what_the_file_says() {
    let text = format!("{HEAD}{MODEL}");
    let scenario = parse(
        &text,
        &[
            "simulation.penalty=[0, 20]",
            "simulation.estimates=factor:2",
            "workloads.0.nodes=64",
            "workloads.model.lublin.loads = 0.5",
            "title=not = TOML",
            "policies=[\"EASY\", { matching = \"^CONS\" }]",
        ],
    );
    assert_eq!(scenario.simulation.penalties, [0, 20].map(SimSpan::from_secs));
    assert_eq!(scenario.simulation.estimates, EstimateModel::Factor(2.0));
    assert_eq!(scenario.workloads[0].nodes.get(), 64);
    assert_eq!(scenario.title, "not = TOML");
    let names: Vec<String> = scenario.policies.iter().map(ToString::to_string).collect();
    assert_eq!(names, ["EASY", "CONS", "CONS/REPLAN", "CONS/PLAN=2"]);
    let Source::Lublin(source) = &scenario.workloads[0].source else { panic!("{scenario:?}") };
    assert_eq!(source.loads, [0.5]);
}

#[test]
fn wrong_overrides_are_named() {
    let text = format!("{HEAD}{MODEL}");
    let cases = [
        ("simulation.penlty=0", "unknown field `penlty`; did you mean `penalty`?"),
        ("simulaton.penalty=0", "unknown field `simulaton`; did you mean `simulation`?"),
        ("workloads.modle.nodes=1", "`workloads` has no entry `modle`; did you mean `model`?"),
        ("workloads.7.nodes=1", "`workloads` has only 1 entries, counted from 0; there is no entry 7"),
        ("workloads.nodes=1", "`workloads` is a list; select an entry by its index or its name"),
        ("workloads.x.nodes=1", "`workloads` has no entry `x`; expected one of `model`"),
        ("workloads=1", "`workloads` is a list of tables; set the keys of one of them"),
        ("study.x=1", "`study` is a value (string), not a table"),
        ("seed", "expected `key=value`"),
        ("simulation..tau=1", "`simulation..tau` is not a key; expected names joined by dots"),
        ("workloads.0.nodes=0", "expected a number of nodes from 1 to 10000000, found 0"),
        ("policies=[\"EASI\"]", "unknown policy `EASI`; did you mean `EASY`?"),
    ];
    for (set, message) in cases {
        assert_eq!(errors(&text, &[set]), format!("override `{set}`: {message}"));
    }
    let two = errors(&text, &["seed=-1", "workloads.0.nodes=0"]);
    assert_eq!(two.lines().count(), 2, "{two}");
}

/// Reads a workload in a folder with a file of this name, and checks that the resolved scenario is
/// equal.
fn with_file(folder: &Path, file: &str, workload: &str) -> Scenario<Online> {
    fs::write(folder.join(file), "").unwrap();
    let scenario = read(&format!("{HEAD}{workload}"), Some(folder), &[]).unwrap();
    assert_eq!(read(&scenario.to_toml("online"), Some(folder), &[]).unwrap(), scenario);
    scenario
}

#[test]
fn a_log_and_its_fields() {
    let folder = tempfile::tempdir().unwrap();
    let log = "[[workloads]]\nname = \"log\"\nnodes = 120\n[workloads.swf]\nfile = \"log.swf\"\ncut = \"week\"\n\
        annotation = { hpc2n = { cores = 4 } }\nselect = { first = 10 }\nsize = \"allocated\"\n\
        lines = \"lenient\"\nrules = { zero_run = \"clamp\" }\n";
    let scenario = with_file(folder.path(), "log.swf", log);
    let Source::Swf(source) = &scenario.workloads[0].source else { panic!("{scenario:?}") };
    assert_eq!(source.log.file.path, folder.path().join("log.swf"), "logs are found beside the scenario");
    assert_eq!((source.log.cut, source.log.select.first), (Cut::Week, Some(10)));
    assert!(matches!(source.log.annotation, Annotation::Hpc2n(cluster) if cluster.cores == 4));
}

#[test]
fn a_workload_of_batsim_and_its_fields() {
    let folder = tempfile::tempdir().unwrap();
    let fields = "[[workloads]]\nname = \"w\"\nnodes = 4\n[workloads.batsim]\nfile = \"jobs\"\nflops = 1e9\n\
        annotation = { lublin = { seed = 3 } }\nrules = { failed = \"drop\" }\n";
    let scenario = with_file(folder.path(), "jobs", fields);
    let Source::Batsim(source) = &scenario.workloads[0].source else { panic!("{scenario:?}") };
    assert_eq!(source.flops.map(NonZeroU64::get), Some(1_000_000_000));
    assert!(matches!(source.log.annotation, Annotation::Lublin { seed: 3, .. }));

    let wrong =
        |set: &str| read(&format!("{HEAD}{fields}"), Some(folder.path()), &[set]).unwrap_err().to_string();
    let flops = wrong("workloads.w.batsim.flops=0");
    assert_eq!(
        flops,
        "override `workloads.w.batsim.flops=0`: expected flop/s from 1 to 1000000000000000000, found 0"
    );
    assert!(wrong("workloads.w.batsim.size=allocated").contains("unknown field `size`"), "of SWF alone");
}

/// Rejects changing CPU needs for policies that keep yields between ticks.
#[test]
fn cpu_needs_are_discovered_where_policies_can_do_with_that() {
    let known = "[simulation]\ncpu_needs = ['exact', 'factor:0.5', 'whole']\ndiscovery_s = [60, 10]\n";
    let scenario = parse(&format!("{HEAD}{known}{MODEL}"), &[]);
    let simulation = &scenario.simulation;
    assert_eq!(simulation.cpu_needs, [NeedModel::Exact, NeedModel::Factor(0.5), NeedModel::Whole]);
    assert_eq!(simulation.discovery, [60, 10].map(SimSpan::from_secs));
    let text =
        format!("{HEAD}{known}[[sweep]]\nperiod_s = 600\npolicies = ['/stretch-per/OPT=MAX']\n{MODEL}");
    let found = errors(&text, &[]);
    assert!(found.contains("/stretch-per/OPT=MAX keeps its yields between ticks"), "{found}");
    assert!(read(&text, None, &["simulation.discovery_s=[]"]).is_ok());
}

#[test]
fn old_names_are_refused_with_the_new_ones() {
    let text = format!("{HEAD}{MODEL}");
    for (set, message) in [
        ("simulation.period=600", "`period` is now called `period_s`"),
        ("workloads.model.lublin.traces=3", "`traces` is now called `replications`"),
    ] {
        assert_eq!(errors(&text, &[set]), format!("override `{set}`: {message}"));
    }
}

fn memory_models() -> impl Strategy<Value = MemoryModel> {
    let shares = (0..=Share::ONE.units() / 4).prop_map(|units| Share::try_from_units(units).unwrap());
    let uniform = |(from, to)| UniformMemory::new(Share::min(from, to), Share::max(from, to)).unwrap();
    let multiples = |(unit, probability, most)| MemoryMultiples::new(unit, probability, most).unwrap();
    prop_oneof![
        Just(MemoryModel::None),
        shares.clone().prop_map(MemoryModel::Constant),
        (shares.clone(), shares.clone()).prop_map(uniform).prop_map(MemoryModel::Uniform),
        (shares, 0.0..=1.0, 2_u32..=4).prop_map(multiples).prop_map(MemoryModel::Multiples),
    ]
}

proptest! {
    /// A scenario written with all of its fields reads back unchanged.
    #[test]
    fn a_resolved_scenario_is_itself(
        seed in 0..i64::MAX,
        title in "\\PC{0,20}",
        policies in prop::sample::subsequence(catalogue(), 1..=5),
        penalties in prop::collection::vec(0_u64..1 << 50, 1..4),
        taus in prop::collection::vec(0_u64..1 << 50, 1..4),
        estimates in prop::sample::select(vec!["exact", "requested", "none", "factor:1.5", "random:3"]),
        kill: bool,
        trim in 0_u64..1 << 50,
        nodes in 1_u32..=10_000_000,
        traces in 1_u32..1000,
        jobs in 1_usize..1_000_000,
        loads in prop::collection::vec(1e-6_f64..1e6, 0..4),
        cores in 1_u32..1000,
        memory in memory_models(),
    ) {
        let mut scenario = parse(&format!("{HEAD}{MODEL}"), &[]);
        scenario.seed = seed as u64;
        scenario.title = title;
        scenario.fields.policies = policies.into_iter().map(|info| info.policy).collect();
        let spans = |mut micros: Vec<u64>| -> Vec<SimSpan> {
            micros.sort_unstable();
            micros.dedup();
            micros.into_iter().map(SimSpan::from_micros).collect()
        };
        scenario.fields.simulation.penalties = spans(penalties);
        scenario.fields.simulation.taus = spans(taus);
        scenario.fields.simulation.estimates = estimates.parse().unwrap();
        scenario.fields.simulation.overrun = if kill { Overrun::Kill } else { Overrun::Extend };
        scenario.fields.simulation.warm_up = SimSpan::from_micros(trim);
        scenario.fields.simulation.cool_down = SimSpan::from_micros(trim / 3);
        scenario.fields.workloads[0].nodes = nodes.try_into().unwrap();
        if let Source::Lublin(source) = &mut scenario.fields.workloads[0].source {
            source.replications = traces;
            source.jobs = jobs;
            source.loads = loads;
            source.cpu = CpuNeeds::new(cores.try_into().unwrap(), None, None).unwrap();
            source.memory = memory;
        }
        let text = scenario.to_toml("online");
        prop_assert_eq!(parse(&text, &[]), scenario, "{}", text);
    }
}
