//! Tests policies in shells: valid answers, and the message of each error.
#![cfg(unix)]

use dfrsim_cluster::{Metrics, Options, Summary, SummaryOptions, simulate};
use dfrsim_external::families;
use dfrsim_model::platform::classes::{Demands, PlatformFields, UnequalNodes};
use dfrsim_model::platform::{NodeSpan, Outage, Outages};
use dfrsim_model::{Job, JobId, Share, SimSpan, SimTime};
use dfrsim_policies::{Policies, PolicyOptions};
use std::sync::Arc;

fn policies() -> Policies {
    families().into_iter().fold(Policies::standard(), Policies::with_family)
}

/// Creates two jobs of two tasks, each task with half a node's CPU, submitted at 0 s and 4 s, of 10
/// s each.
fn jobs() -> [Job; 2] {
    [1, 2].map(|id| Job {
        id: JobId(id),
        submit: SimTime::from_secs(4 * (id - 1)),
        tasks: 2,
        cpu_need: Share::from_ratio(1, 2),
        memory: Share::from_ratio(1, 10),
        run_time: SimSpan::from_secs(10),
        requested_time: Some(SimSpan::from_secs(20)),
        ..Job::default()
    })
}

/// Simulates two jobs on two nodes, scheduled by a script; returns the summary or the error.
fn run(script: &str) -> Result<Summary, String> {
    run_with(script, Options::default())
}

fn run_with(script: &str, options: Options) -> Result<Summary, String> {
    let name = format!("pipe:sh -c {}", shlex::try_quote(script).unwrap());
    let policy = policies().parse(&name).map_err(|error| error.to_string())?;
    let mut scheduler = policy.scheduler(2, &PolicyOptions::default());
    let mut metrics = Metrics::new(SummaryOptions::new(2));
    let options = Options { estimates: "requested".parse().unwrap(), ..options };
    simulate(2, &options, jobs(), &mut *scheduler, &mut metrics).map_err(|error| error.to_string())?;
    Ok(metrics.summary().unwrap())
}

/// Creates a script that answers each request with the next line, and all further ones with `{}`.
fn answers(lines: &[&str]) -> String {
    let each: String = lines.iter().map(|line| format!("read -r ask; echo '{line}';")).collect();
    format!("{each} while read -r ask; do case $ask in *end*) exit;; esac; echo '{{}}'; done")
}

#[test]
fn a_process_starts_pauses_resumes_moves_and_waits() {
    let script = answers(&[
        "{}",
        r#"{"changes":[{"do":"start","job":0,"nodes":[0,1]}],"wake_at":2.5}"#,
        r#"{"changes":[{"do":"yield","job":0,"yield":0.5}]}"#,
        r#"{"changes":[{"do":"pause","job":0},{"do":"start","job":1,"nodes":"0,0","yield":1}],"wake_at":5}"#,
        r#"{"changes":[{"do":"resume","job":0,"nodes":"1 1"}],"wake_at":6}"#,
        r#"{"changes":[{"do":"migrate","job":0,"nodes":[0,1],"yield":0.25},{"do":"yield","job":1,"yield":0.5}]}"#,
    ]);
    // Job 1 has done 2 s by 6 s and continues at half speed until 22 s. Job 0 has done 2.5 + 0.75 +
    // 1 s by 6 s and continues at a quarter.
    let summary = run(&script).unwrap();
    assert_eq!((summary.preemptions, summary.migrations, summary.jobs), (1, 1, 2));
    assert_eq!(summary.makespan, SimSpan::from_secs(6 + 23));
}

/// Returns options with two nodes of 100 to 200 W, or 140 W at half speed, of which tasks may add 100 W.
fn capped() -> Options {
    let platform = "power = { cap_w = 300 }
        classes = [{ name = 'a', nodes = 2, cores = 4, memory_gb = 8, power = { idle_w = 100, busy_w = 200,
        levels = [{ name = 'eco', speed = 0.5, busy_w = 140 }] } }]";
    let classes = PlatformFields::parse("platform.toml", platform).unwrap().classes().unwrap();
    let unequal = UnequalNodes { classes, demands: Demands::default() };
    Options { unequal: Some(Arc::new(unequal)), ..Options::default() }
}

/// Job 0 runs at half speed from 0 to 20 s, and draws 40 of the 100 W. Job 1 does so beside it from 4 s on. At
/// 20 s it has done 8 of its 10 s, and the rest takes 2 s at full speed.
#[test]
fn a_process_chooses_speed_levels() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("seen");
    let start =
        |job: u64| format!(r#"{{"changes":[{{"do":"start","job":{job},"nodes":[0,1],"level":"eco"}}]}}"#);
    let (first, second) = (start(0), start(1));
    let fast = r#"{"changes":[{"do":"yield","job":1,"yield":1,"level":""}]}"#;
    let script =
        format!("tee {} | ( {} )", copy.display(), answers(&[r#"{"lists":true}"#, &first, &second, fast]));
    assert_eq!(run_with(&script, capped()).unwrap().makespan, SimSpan::from_secs(22));
    let seen = std::fs::read_to_string(copy).unwrap();
    for part in [
        r#""speed":1.0,"level_speeds":[0.5],"#,
        r#""levels":["eco"]"#,
        r#""draws":[100.0,40.0]"#,
        r#""power":100.0"#,
        r#""running":[{"job":0,"tasks":2,"end":40.0,"level":"eco","nodes":[0,1]}]"#,
    ] {
        assert!(seen.contains(part), "{part}\n{seen}");
    }
    let fault =
        |answer: &str, options: Options| run_with(&answers(&["{}", answer, &second]), options).unwrap_err();
    let full = first.replace("eco", "");
    let found = fault(&full, capped());
    assert!(found.contains("the power of the cluster") || found.contains("power"), "{found}");
    let found = fault(&first.replace("eco", "fast"), capped());
    let expected = "job 1: there is no speed level `fast`: expected `eco`, or an empty text for full speed";
    assert!(found.contains(expected), "{found}");
    let found = fault(&first, Options::default());
    assert!(
        found.contains("job 1: there is no speed level `eco`: jobs have speed levels only under"),
        "{found}"
    );
}

#[test]
fn a_process_sees_what_the_page_says() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("seen");
    let script = format!(
        "tee {} | ( {} )",
        copy.display(),
        answers(&[
            r#"{"progress":true}"#,
            r#"{"changes":[{"do":"start","job":0,"nodes":[0,1]}]}"#,
            r#"{"changes":[{"do":"reject","job":1}]}"#,
        ])
    );
    run(&script).unwrap();
    let expected = [
        r#"{"event":"begin","format":1,"nodes":2,"share_units":943718400,"seed":501387407,"penalty":0.0}"#,
        r#"{"event":"decide","now":0.0,"tick":false,"all_submitted":false,"submitted":[{"job":0,"id":1,"submit":0.0,"tasks":2,"cpu_need":0.5,"memory":0.1,"estimate":20.0,"requested_time":20.0}],"completed":[],"progress":[{"job":0,"virtual_time":0.0}]}"#,
        r#"{"event":"decide","now":4.0,"tick":false,"all_submitted":true,"submitted":[{"job":1,"id":2,"submit":4.0,"tasks":2,"cpu_need":0.5,"memory":0.1,"estimate":20.0,"requested_time":20.0}],"completed":[],"progress":[{"job":0,"virtual_time":4.0},{"job":1,"virtual_time":0.0}]}"#,
        r#"{"event":"decide","now":10.0,"tick":false,"all_submitted":true,"submitted":[],"completed":[0],"progress":[]}"#,
        r#"{"event":"end","now":10.0}"#,
    ];
    let seen = std::fs::read_to_string(copy).unwrap();
    assert_eq!(seen.lines().collect::<Vec<&str>>(), expected);
}

#[test]
fn lists_are_enough_for_a_policy() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("seen");
    let script = format!(
        "tee {} | ( {} )",
        copy.display(),
        answers(&[r#"{"lists":true}"#, r#"{"start":[0]}"#, r#"{"start":[1]}"#, r#"{"start":[1]}"#])
    );
    // The second job finds no free node at 4 s, and waits until 10 s.
    assert_eq!(run(&script).unwrap().makespan, SimSpan::from_secs(20));
    let seen = std::fs::read_to_string(copy).unwrap();
    let part =
        |line: usize| seen.lines().nth(line).unwrap().split_once(r#""completed":"#).unwrap().1.to_owned();
    assert_eq!(
        part(1),
        r#"[],"free":[0,1],"waiting":[{"job":0,"tasks":2,"submit":0.0,"estimate":20.0}],"running":[]}"#
    );
    assert_eq!(
        part(2),
        r#"[],"free":[],"waiting":[{"job":1,"tasks":2,"submit":4.0,"estimate":20.0}],"running":[{"job":0,"tasks":2,"end":20.0,"nodes":[0,1]}]}"#
    );
    let policy = policies()
        .parse(&format!("pipe:sh -c {}", shlex::try_quote(&answers(&["{}", r#"{"start":[0]}"#])).unwrap()));
    let mut metrics = Metrics::new(SummaryOptions::new(1));
    let mut scheduler = policy.unwrap().scheduler(1, &PolicyOptions::default());
    // A job of two tasks does not fit on one node.
    let [wide, mut narrow] = jobs();
    narrow.tasks = 1;
    let stalled =
        simulate(1, &Options::default(), [wide, narrow], &mut *scheduler, &mut metrics).unwrap_err();
    assert!(stalled.to_string().contains("1 jobs remain, the first of them job 2"), "{stalled}");
    let fault = run(&answers(&["{}", r#"{"start":[0]}"#, r#"{"start":[0]}"#])).unwrap_err();
    assert!(fault.contains("it starts job 1, which is already running"), "{fault}");
}

#[test]
fn a_killed_job_counts_as_turned_away() {
    let script = answers(&[
        "{}",
        r#"{"changes":[{"do":"start","job":0,"nodes":"0-1"}]}"#,
        r#"{"changes":[{"do":"kill","job":0},{"do":"start","job":1,"nodes":"0-1"}]}"#,
    ]);
    let summary = run(&script).unwrap();
    assert_eq!((summary.jobs, summary.rejected), (1, 1));
}

#[test]
fn every_fault_says_what_is_wrong() {
    let first = |answer: &str| answers(&["{}", answer]);
    for (script, expected) in [
        ("exit 3".to_owned(), "its process ended with exit status: 3"),
        (
            "echo cannot import easy >&2; exit 1".into(),
            "last lines of its standard error: cannot import easy",
        ),
        ("kill -9 $$".into(), "its process ended with signal: 9"),
        ("read -r ask; printf '{\"chang'".into(), "after an incomplete line: `{\"chang`"),
        ("read -r ask; echo '{'".into(), "its answer cannot be read: EOF while parsing"),
        ("read -r ask; echo hello; read -r ask".into(), "expected value at line 1 column 1: `hello`"),
        ("read -r ask; printf '\\377\\n'; read -r ask".into(), "its answer is not UTF-8"),
        (
            "read -r ask; echo '{\"error\":\"two nodes are too few\"}'; read -r ask".into(),
            "it says: two nodes are too few",
        ),
        (first(r#"{"error":"lost"}"#), "it says: lost"),
        (first(r#"{"change":[]}"#), "unknown field `change`"),
        (first(r#"{"changes":[{"do":"dance","job":0}]}"#), "unknown variant `dance`"),
        (first(r#"{"changes":[{"do":"start","job":0}]}"#), "missing field `nodes`"),
        (
            first(r#"{"changes":[{"do":"start","job":0,"nodes":[0.5]}]}"#),
            "nodes are a list of numbers or a text",
        ),
        (
            first(r#"{"changes":[{"do":"start","job":9,"nodes":[0]}]}"#),
            "it names job 9, which is not in the system",
        ),
        (
            first(r#"{"changes":[{"do":"start","job":0,"nodes":"0-4"}]}"#),
            "job 1: there is no node 4, only 0 to 1",
        ),
        (first(r#"{"changes":[{"do":"start","job":0,"nodes":[0,7]}]}"#), "for job 1: node 7 does not exist"),
        (
            first(r#"{"changes":[{"do":"start","job":0,"nodes":[0]}]}"#),
            "for job 1: placed 1 tasks of a job with 2",
        ),
        (
            first(r#"{"changes":[{"do":"start","job":0,"nodes":[0,1],"yield":2}]}"#),
            "job 1: yield 2 is not between 0 and 1",
        ),
        (
            first(r#"{"changes":[{"do":"start","job":0,"nodes":[0,1]},{"do":"pause","job":0}]}"#),
            "job named twice in one decision",
        ),
        (
            first(r#"{"changes":[{"do":"resume","job":0,"nodes":[0,1]}]}"#),
            "a job in state Waiting cannot resume",
        ),
        (first(r#"{"wake_at":0}"#), "a wake-up at 0 s is not in the future"),
        (first(r#"{"wake_at":-1}"#), "wake_at: -1 is not a time in seconds"),
    ] {
        let found = run(&script).unwrap_err();
        assert!(found.contains(expected), "{script}\n{found}");
    }
}

#[test]
fn a_name_that_is_none_says_what_is_missing() {
    let fault = |name: &str| policies().parse(name).unwrap_err().to_string();
    assert_eq!(fault("pipe:"), "policy `pipe:`: expected a command after the colon");
    assert!(fault("pip:x").contains("did you mean `pipe:COMMAND`?"), "{}", fault("pip:x"));
    assert!(fault("batsim:pybatsim").contains("{endpoint}"), "{}", fault("batsim:pybatsim"));
    let missing = policies().parse("pipe:/no/such/program").unwrap();
    let mut scheduler = missing.scheduler(2, &PolicyOptions::default());
    let found = simulate(2, &Options::default(), jobs(), &mut *scheduler, &mut ()).unwrap_err();
    assert!(found.to_string().contains("`/no/such/program` cannot be started"), "{found}");
}

#[test]
fn a_node_that_is_down_is_refused() {
    let nodes = NodeSpan { first: 1, nodes: 1 };
    let down = Outage { from: SimTime::ZERO, until: SimTime::from_secs(100), nodes };
    let outages = Outages { failures: vec![down], ..Outages::default() };
    let options = Options { outages: Some(outages.into()), ..Options::default() };
    let script = answers(&["{}", r#"{"changes":[{"do":"start","job":0,"nodes":[0,1]}]}"#]);
    assert_eq!(run_with(&script, options).unwrap_err(), "invalid decision at 0 s for job 1: node 1 is down");
}

/// A process that left the session of its policy has its own process group, too.
#[cfg(target_os = "linux")]
#[test]
fn a_process_in_a_session_of_its_own_ends_with_its_simulation() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("number");
    let escaping = format!("setsid sh -c 'echo $$ > {}; exec sleep 300' &", file.display());
    let start = r#"{"changes":[{"do":"start","job":0,"nodes":[0,1]}]}"#;
    let wait = format!("while ! [ -s {} ]; do sleep 0.01; done;", file.display());
    run(&format!("{escaping} {wait} {}", answers(&["{}", start]))).unwrap_err();
    let number = std::fs::read_to_string(&file).unwrap();
    let status = || std::fs::read_to_string(format!("/proc/{}/status", number.trim())).unwrap_or_default();
    // The signal was sent, but the process may still have to take it, and to be reaped.
    let has_ended = || status().is_empty() || status().contains("State:\tZ");
    let ends = (0..1_000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        has_ended()
    });
    assert!(ends, "{}", status());
}
