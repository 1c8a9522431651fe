//! Reading scenarios: what is wrong is said with its place and the nearest right name.

use dfrsim_cluster::{EstimateModel, Overrun};
use dfrsim_legacy::scenario::{Cut, Fault, Source};
use dfrsim_legacy::{Results, RunOptions, Scenario, Study, run};
use dfrsim_model::{Share, SimSpan};
use dfrsim_policies::catalogue;
use dfrsim_workload::lublin::{CpuNeeds, MemoryModel, MemoryMultiples, UniformMemory};
use dfrsim_workload::prepare::{Annotation, Format};
use proptest::prelude::*;
use std::num::NonZeroU64;
use std::sync::atomic::AtomicBool;

const HEAD: &str = "study = \"online\"\npolicies = [\"FCFS\"]\n";
const MODEL: &str = "[[workloads]]\nname = \"model\"\nnodes = 8\nlublin = { traces = 2, jobs = 10 }\n";

fn errors(text: &str, overrides: &[&str]) -> String {
    let overrides: Vec<String> = overrides.iter().map(|&set| set.to_owned()).collect();
    Scenario::parse(text, "s.toml", &overrides).unwrap_err().to_string()
}
fn parse(text: &str, overrides: &[&str]) -> Scenario {
    let overrides: Vec<String> = overrides.iter().map(|&set| set.to_owned()).collect();
    Scenario::parse(text, "s.toml", &overrides).unwrap_or_else(|errors| panic!("{errors}"))
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
fn unknown_fields_are_answered_with_the_nearest() {
    assert_eq!(
        errors("study = \"online\"\npolices = [\"FCFS\"]\n", &[]),
        "s.toml:2:1: unknown field `polices`; did you mean `policies`?\n  2 | polices = [\"FCFS\"]\n    | ^^^^^^^"
    );
    assert_eq!(
        errors(&format!("{HEAD}[simulation]\npenlty = 0\n"), &[]),
        "s.toml:4:1: unknown field `penlty`; did you mean `penalty`?\n  4 | penlty = 0\n    | ^^^^^^"
    );
    let rules = "[[workloads]]\nname = \"log\"\nnodes = 8\n[workloads.swf]\nfile = \"x\"\nrules = { zero_rum = \"drop\" }\n";
    assert_eq!(
        errors(&format!("{HEAD}{rules}"), &[]),
        "s.toml:8:11: unknown field `zero_rum`; did you mean `zero_run`?\n  \
         8 | rules = { zero_rum = \"drop\" }\n    |           ^^^^^^^^"
    );
    let annotation =
        "[[workloads]]\nname = \"log\"\nnodes = 8\nswf = { file = \"x\", annotation = \"hpc2\" }\n";
    assert_eq!(
        errors(&format!("{HEAD}{annotation}"), &[]),
        "s.toml:6:34: unknown variant `hpc2`; did you mean `hpc2n`?\n  \
         6 | swf = { file = \"x\", annotation = \"hpc2\" }\n    |                                  ^^^^^^"
    );
}

#[test]
fn all_wrong_values_are_reported_at_once() {
    let text = "study = \"online\"\nseed = -1\npolicies = [\"FCSF\", { matching = \"(\" }, { matching = \"^NONE\" }]\n\
        [simulation]\npenalty = -1\ntau = []\nestimates = \"guess\"\n\
        [[workloads]]\nname = \"a\"\nnodes = 0\nlublin = { traces = 0, loads = [0.5, 0] }\n\
        [[workloads]]\nname = \"a\"\nnodes = 1\nswf = { file = \"missing.swf\" }\n\
        [[workloads]]\nname = \"b\"\nnodes = 1\n";
    let errors = errors(text, &[]);
    let messages: Vec<&str> = errors.lines().filter(|line| line.starts_with("s.toml:")).collect();
    let starts = [
        "s.toml:2:8: expected a seed from 0 to 9223372036854775807, found -1",
        "s.toml:3:13: unknown policy `FCSF`; did you mean `FCFS`?",
        "s.toml:3:21: `(` is not a regular expression: ",
        "s.toml:3:41: no policy matches `^NONE`",
        "s.toml:7:13: unknown estimate model `guess`; expected exact, ",
        "s.toml:5:11: expected seconds from 0 to 500 years, found -1",
        "s.toml:6:7: there must be at least one tau",
        "s.toml:10:9: expected a number of nodes from 1 to 4294967295, found 0",
        "s.toml:11:21: expected a number of traces from 1 to 1000000, found 0",
        "s.toml:11:32: expected a load above 0, found 0",
        "s.toml:13:8: there is another workload `a`",
        "s.toml:15:16: no log `missing.swf`; looked for ",
        "s.toml:17:8: workload `b` needs one of `swf = { .. }`, `batsim = { .. }` and `lublin = { .. }`",
    ];
    assert_eq!(messages.len(), starts.len(), "{errors}");
    for (message, start) in messages.iter().zip(starts) {
        assert!(message.starts_with(start), "{message} instead of {start}");
    }
}

#[test]
fn what_is_missing_or_no_toml_is_reported() {
    assert_eq!(errors("", &[]), "s.toml: missing field `study`");
    assert_eq!(
        errors(&format!("{HEAD}simulation = {{ penalty = \"long\" }}\n"), &[]),
        "s.toml:3:26: invalid type: string \"long\", expected a number or a list of numbers\n  \
         3 | simulation = { penalty = \"long\" }\n    |                          ^^^^^^"
    );
    let nothing = errors(HEAD, &[]);
    assert_eq!(nothing, "s.toml: there must be at least one [[workloads]]");
    let broken = errors("study = \npolicies = [\n", &[]);
    assert!(broken.starts_with("s.toml:1:9: ") && broken.contains("\ns.toml:"), "{broken}");
    let empty = errors(&format!("study = \"online\"\npolicies = []\n{MODEL}"), &[]);
    assert!(empty.starts_with("s.toml:2:12: there must be at least one policy"), "{empty}");
    let absent = Scenario::load("no/such/file.toml".as_ref(), &[]).unwrap_err().to_string();
    assert!(absent.starts_with("no/such/file.toml: cannot be read: "), "{absent}");
}

#[test]
fn wrong_assumptions_are_reported_where_they_stand() {
    let lublin = |fields: &str| {
        let workload = format!("[[workloads]]\nname = \"model\"\nnodes = 8\nlublin = {{ {fields} }}\n");
        errors(&format!("{HEAD}{workload}"), &[]).lines().next().unwrap().to_owned()
    };
    let cases = [
        ("cpu = { serial = 2 }", "6:29: expected a part of a node from 0 to 1, found 2"),
        ("cpu = { parallel = 0 }", "6:18: the CPU need of a task must be above 0"),
        ("cpu = { cores = 0 }", "6:28: invalid value: integer `0`, expected a nonzero u32"),
        ("cpu = { seriel = 1 }", "6:20: unknown field `seriel`; did you mean `serial`?"),
        ("memory = \"nothing\"", "6:21: unknown variant `nothing`; there are: `none`, `constant`, "),
        ("memory = { constant = -1 }", "6:21: expected a part of a node from 0 to 1, found -1"),
        (
            "memory = { uniform = { from = 0.5, to = 0.1 } }",
            "6:21: the lower bound 0.5 of the memory lies above",
        ),
        ("memory = { multiples = { single_probability = 2 } }", "6:21: expected a probability from 0 to 1"),
        (
            "memory = { multiples = { unit = 0.2 } }",
            "6:21: expected at least 2 units, and no more than a node has",
        ),
    ];
    for (fields, start) in cases {
        let found = lublin(fields);
        assert!(found.starts_with(&format!("s.toml:{start}")), "{found} instead of {start}");
    }
    let annotation = "[[workloads]]\nname = \"log\"\nnodes = 8\n[workloads.swf]\nfile = \"x\"\n\
        annotation = { lublin = { seed = 1, cpu = { serial = 2 } } }\n";
    let found = errors(&format!("{HEAD}{annotation}"), &[]);
    assert!(found.starts_with("s.toml:8:54: expected a part of a node"), "{found}");
    let set = errors(&format!("{HEAD}{MODEL}"), &["workloads.model.lublin.cpu.serial=2"]);
    assert_eq!(
        set,
        "override `workloads.model.lublin.cpu.serial=2`: expected a part of a node from 0 to 1, found 2"
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
    assert_eq!(names, ["EASY", "CONS", "CONS/REPLAN"]);
    let Source::Lublin(source) = &scenario.workloads[0].source else { panic!("{scenario:?}") };
    assert_eq!(source.loads, [0.5]);
    assert_eq!(source.parameters.nodes.get(), 64, "the model makes jobs for the whole cluster");
}

#[test]
fn wrong_overrides_are_named() {
    let text = format!("{HEAD}{MODEL}");
    let cases = [
        ("simulation.penlty=0", "unknown field `penlty`; did you mean `penalty`?"),
        ("simulaton.penalty=0", "unknown field `simulaton`; did you mean `simulation`?"),
        ("workloads.modle.nodes=1", "`workloads` has no entry `modle`; did you mean `model`?"),
        ("workloads.7.nodes=1", "`workloads` has only 1 entries, from 0; there is no 7"),
        ("workloads.nodes=1", "`workloads` is a list; say which one, by its number or its name"),
        ("workloads.x.nodes=1", "`workloads` has no entry `x`; there are: model"),
        ("workloads=1", "`workloads` is a list of tables; set the keys of one of them"),
        ("study.x=1", "`study` is a value (string), not a table"),
        ("seed", "expected `key=value`"),
        ("simulation..tau=1", "`simulation..tau` is not a key; expected names joined by dots"),
        ("workloads.0.nodes=0", "expected a number of nodes from 1 to 4294967295, found 0"),
        ("policies=[\"EASI\"]", "unknown policy `EASI`; did you mean `EASY`?"),
    ];
    for (set, message) in cases {
        assert_eq!(errors(&text, &[set]), format!("override `{set}`: {message}"));
    }
    let two = errors(&text, &["seed=-1", "workloads.0.nodes=0"]);
    assert_eq!(two.lines().count(), 2, "{two}");
}

#[test]
fn a_log_and_its_fields() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("log.swf"), "").unwrap();
    let path = folder.path().join("s.toml");
    let log = "[[workloads]]\nname = \"log\"\nnodes = 120\n[workloads.swf]\nfile = \"log.swf\"\ncut = \"week\"\n\
        annotation = { hpc2n = { cores = 4 } }\nselect = { first = 10 }\nsize = \"allocated\"\n\
        lines = \"lenient\"\nrules = { zero_run = \"clamp\" }\n";
    std::fs::write(&path, format!("{HEAD}{log}")).unwrap();
    let scenario = Scenario::load(&path, &[]).unwrap();
    let Source::Log(source) = &scenario.workloads[0].source else { panic!("{scenario:?}") };
    assert_eq!(source.path, folder.path().join("log.swf"), "logs are found beside the scenario");
    assert_eq!((source.cut, source.preparation.units), (Cut::Week, Some(120)));
    assert!(matches!(source.preparation.annotation, Annotation::Hpc2n(cluster) if cluster.cores == 4));
    std::fs::write(&path, scenario.to_toml()).unwrap();
    assert_eq!(Scenario::load(&path, &[]).unwrap(), scenario);
}

#[test]
fn a_workload_of_batsim_and_its_fields() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("jobs"), "").unwrap();
    let path = folder.path().join("s.toml");
    let fields = "[[workloads]]\nname = \"w\"\nnodes = 4\n[workloads.batsim]\nfile = \"jobs\"\nflops = 1e9\n\
        annotation = { lublin = { seed = 3 } }\nrules = { failed = \"drop\" }\n";
    std::fs::write(&path, format!("{HEAD}{fields}")).unwrap();
    let scenario = Scenario::load(&path, &[]).unwrap();
    let Source::Log(source) = &scenario.workloads[0].source else { panic!("{scenario:?}") };
    assert_eq!(source.path, folder.path().join("jobs"));
    let preparation = source.preparation;
    assert_eq!((preparation.format, preparation.units), (Format::Batsim, Some(4)));
    assert_eq!(preparation.flops.map(NonZeroU64::get), Some(1_000_000_000));
    assert!(matches!(preparation.annotation, Annotation::Lublin { seed: 3, .. }));
    std::fs::write(&path, scenario.to_toml()).unwrap();
    assert_eq!(Scenario::load(&path, &[]).unwrap(), scenario);

    let told = Scenario::load(&path, &["workloads.w.batsim.flops=0".into()]).unwrap_err().to_string();
    assert_eq!(told, "override `workloads.w.batsim.flops=0`: expected flop/s from 1 to 1e18, found 0");
    assert!(Scenario::load(&path, &["workloads.w.batsim.size=allocated".into()]).is_err(), "no such field");
}

/// Two jobs of 10 and 20 s on one node, in a workload of Batsim: the second waits 10 s, so its stretch is 1.5.
#[test]
fn a_workload_of_batsim_is_run() {
    let folder = tempfile::tempdir().unwrap();
    let jobs = r#"{"nb_res": 1, "jobs": [
        {"id": "a", "subtime": 0, "res": 1, "profile": "p"}, {"id": "b", "subtime": 0, "res": 1, "profile": "q"}],
        "profiles": {"p": {"type": "delay", "delay": 10}, "q": {"type": "parallel_homogeneous", "cpu": 40, "com": 0}}}"#;
    std::fs::write(folder.path().join("w"), jobs).unwrap();
    let path = folder.path().join("s.toml");
    let text = "study = 'online'\npolicies = ['FCFS']\n[[workloads]]\nname = 'w'\nnodes = 1\n\
        batsim = { file = 'w', flops = 2 }\n";
    std::fs::write(&path, text).unwrap();
    let scenario = Scenario::load(&path, &[]).unwrap();
    let out = folder.path().join("out");
    let options = RunOptions { threads: 1, audit: true, ..RunOptions::new(&out) };
    run(&scenario, &options, &AtomicBool::new(false), &()).unwrap();
    let rows = Results::read(&out).unwrap().rows;
    let figures = rows[0].outcome.as_ref().unwrap();
    assert_eq!((rows.len(), figures.max_stretch, figures.counted), (1, 1.5, 2));
}

/// The scenarios of the repository are read as they are; some of them need a log that may not be there.
#[test]
fn the_scenarios_of_the_repository_are_right() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/");
    let instances = |name: &str| {
        let path = format!("{folder}{name}.toml");
        let scenario = Scenario::load(path.as_ref(), &[]).unwrap_or_else(|errors| panic!("{errors}"));
        let Source::Lublin(source) = &scenario.workloads[0].source else { panic!("{scenario:?}") };
        source.traces as usize * source.loads.len().max(1)
    };
    assert_eq!(["quickstart", "unscaled", "scaled"].map(instances), [30, 100, 900]);
    let (mut policies, mut algorithms) = (Vec::new(), Vec::new());
    for file in std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
        if file.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        match Study::load(&file, &[]) {
            Ok(Study::Online(scenario)) => policies.push(scenario.policies.len()),
            Ok(Study::Offline(scenario)) => algorithms.push(scenario.algorithms.len()),
            Ok(Study::Experiment(experiment)) => assert!(!experiment.title().is_empty()),
            Err(errors) => {
                let of_logs = |fault: &Fault| fault.message.starts_with("no log `");
                assert!(errors.faults().iter().all(of_logs), "{errors}");
            }
        }
    }
    assert!(policies.len() >= 6 && policies.contains(&118), "{policies:?}");
    // 49 passes, GREEDY, GREEDYLIGHT, 14 vector packing algorithms, RRND, RRNDNZ and GA.
    assert!(algorithms.len() >= 5 && algorithms.contains(&68), "{algorithms:?}");
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
    /// Whatever a scenario says, it says the same when it is written with every field spelt out.
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
        nodes in 1_u32..,
        traces in 1_u32..1000,
        jobs in 1_usize..1_000_000,
        loads in prop::collection::vec(1e-6_f64..1e6, 0..4),
        cores in 1_u32..1000,
        memory in memory_models(),
    ) {
        let mut scenario = parse(&format!("{HEAD}{MODEL}"), &[]);
        scenario.seed = seed as u64;
        scenario.title = title;
        scenario.policies = policies.into_iter().map(|info| info.policy).collect();
        let spans = |mut micros: Vec<u64>| -> Vec<SimSpan> {
            micros.sort_unstable();
            micros.dedup();
            micros.into_iter().map(SimSpan::from_micros).collect()
        };
        scenario.simulation.penalties = spans(penalties);
        scenario.simulation.taus = spans(taus);
        scenario.simulation.estimates = estimates.parse().unwrap();
        scenario.simulation.overrun = if kill { Overrun::Kill } else { Overrun::Extend };
        scenario.simulation.warm_up = SimSpan::from_micros(trim);
        scenario.simulation.cool_down = SimSpan::from_micros(trim / 3);
        scenario.workloads[0].nodes = nodes.try_into().unwrap();
        if let Source::Lublin(source) = &mut scenario.workloads[0].source {
            source.traces = traces;
            source.parameters.jobs = jobs;
            source.parameters.nodes = nodes.try_into().unwrap();
            source.loads = loads;
            source.parameters.cpu = CpuNeeds::new(cores.try_into().unwrap(), None, None).unwrap();
            source.parameters.memory = memory;
        }
        let text = scenario.to_toml();
        prop_assert_eq!(Scenario::parse(&text, "resolved.toml", &[]).unwrap(), scenario, "{}", text);
    }
}
