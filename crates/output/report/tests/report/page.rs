use crate::toy::Toy;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dfrsim_lab::{Registry, Results, RunOptions};
use dfrsim_plots::{Figure, FigureOptions, Window, draw_results};
use dfrsim_report::{Picture, Schedule, page};
use sha2::{Digest as _, Sha256};
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Scenario whose names try to break out of the page.
const SCENARIO: &str =
    "study = 'waiting'\ntitle = 'A <b> & \"c\"'\nname = '</script><i>'\nseconds = [1, 2, 123]\n";

/// Events of a job of 10 s on node 0.
const EVENTS: &str = r#"{"event":"run","format":3,"policy":"FCFS","nodes":2,"penalty_us":0,"tau_us":10000000}
{"event":"submit","at_us":0,"job":0,"id":7,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":10000000}
{"event":"start","at_us":0,"job":0,"on":[[0,1]],"yield":1048576}
{"event":"complete","at_us":10000000,"job":0}
{"event":"summary","completed":1,"rejected":0,"makespan_us":10000000,"max_stretch":1.0,"max_bounded_stretch":1.0,"mean_bounded_stretch":1.0,"mean_turnaround_s":10.0,"utilisation":0.5,"preemptions":0,"migrations":0,"migrated_tasks":0}
"#;

fn registry() -> Registry {
    Registry::new().study::<Toy>()
}

fn run(scenario: &str, folder: &Path, registry: &Registry) {
    let scenario = registry.parse(scenario, "few.toml", None, &[]).unwrap();
    let options = RunOptions { threads: 1, ..RunOptions::new(folder) };
    scenario.run(&options, &AtomicBool::new(false), &()).unwrap();
}

fn page_of(scenario: &str) -> String {
    let (folder, registry) = (tempfile::tempdir().unwrap(), registry());
    run(scenario, folder.path(), &registry);
    page(&Results::read(folder.path(), &registry).unwrap(), &[], &[]).unwrap()
}

#[test]
fn the_page_needs_no_network_and_takes_any_name() {
    let (folder, registry) = (tempfile::tempdir().unwrap(), registry());
    run(SCENARIO, folder.path(), &registry);
    let results = Results::read(folder.path(), &registry).unwrap();
    let picture = Picture { title: "A \"picture\"".to_owned(), svg: "<svg id=\"#1\">100%</svg>".to_owned() };
    let page = page(&results, &[picture], &[]).unwrap();
    assert!(page.contains("<h1>A &lt;b&gt; &amp; &quot;c&quot;</h1>"));
    assert!(!page.contains("<i>"), "no part of a name is taken for a tag");
    // A browser runs only the scripts of the page.
    let (_, policy) = page.split_once("Content-Security-Policy\" content=\"").unwrap();
    let (policy, _) = policy.split_once('"').unwrap();
    assert!(policy.starts_with("default-src 'none'; ") && !policy.contains("script-src 'unsafe"), "{policy}");
    for script in page.split("<script>").skip(1) {
        let (script, _) = script.split_once("</script>").unwrap();
        let digest = STANDARD.encode(Sha256::digest(script));
        assert!(policy.contains(&format!("'sha256-{digest}'")), "{policy}");
    }
    assert!(page.contains(r"\u003c/script>\u003ci>"), "in data neither");
    assert!(page.contains("data:image/svg+xml,%3Csvg id=&quot;%231&quot;%3E100%25%3C/svg%3E"));
    for reference in ["http:", "https:", "src=\"/", "@import"] {
        assert!(!page.contains(reference), "{reference} would need a network");
    }
    assert!(!page.contains("id=\"warnings\""));
    assert!(page.contains("seconds = [1, 2, 123]"), "the scenario is in the page");
}

#[test]
fn the_header_says_what_was_run() {
    let page = page_of(SCENARIO);
    for words in ["waiting: Waiting in queues", "9: 9 ok", "off; no independent checker", "seed 1</dd>"] {
        assert!(page.contains(words), "{words}");
    }
    let untitled = page_of("study = 'waiting'\n");
    assert!(untitled.contains("<h1>Waiting in queues</h1>"));
}

/// Servers take 1, 2 and 123 s for queues of 1, 2 and 3 jobs.
#[test]
fn the_page_opens_with_the_answer() {
    let page = page_of(SCENARIO);
    let sentence = "<strong>1</strong> is best: mean wait s (min) 2.000 (95 % interval";
    let places = [sentence, "<section id=\"tables\" "].map(|words| page.find(words));
    assert!(places[0].is_some() && places[0] < places[1], "{places:?}");
    assert!(page.contains("over 3 instances. It beats <strong>2</strong>, the second, on 3 of 3 instances"));
    assert!(page.contains("title=\"123 is better than 1 on 0 of 3 instances, equal on 0\">0</td>"));
    let one = page_of("study = 'waiting'\nseconds = [2]\n");
    assert!(one.contains("mean wait s (min): <strong>4.000 (95 %"));
}

#[test]
fn schedules_are_in_the_page() {
    let (folder, registry) = (tempfile::tempdir().unwrap(), registry());
    run(SCENARIO, folder.path(), &registry);
    let events = folder.path().join("events.jsonl");
    fs::write(&events, EVENTS).unwrap();
    let schedule = Schedule::read(&events, Window::default()).unwrap().with_title("day 1".to_owned());
    assert_eq!((schedule.title(), schedule.counted().as_str()), ("day 1", "1 job"));
    let results = Results::read(folder.path(), &registry).unwrap();
    let page = page(&results, &[], &[schedule.clone(), schedule]).unwrap();
    assert_eq!(page.matches("<figure class=\"schedule\">").count(), 2);
    assert!(page.contains("<details open data-long><summary>day 1</summary>"), "the first is unfolded");
    assert!(page.contains("<details data-long><summary>day 1</summary>"), "the second is not");
}

#[test]
fn units_are_those_of_the_rows() {
    let page = page_of(SCENARIO);
    for heading in ["server (s)", "wait s (min)", "mean wait (s)"] {
        assert!(page.contains(&format!("<button type=\"button\">{heading}</button>")), "{heading}");
    }
    let places =
        ["table-wait_s_by_server", "table-all"].map(|id| page.find(&format!("<details id=\"{id}\"")));
    assert!(places[0].is_some() && places[0] < places[1], "tables of the primary metric come first");
}

#[test]
fn claims_have_coloured_verdicts() {
    let page = page_of(SCENARIO);
    assert!(page.contains("1 hold, 1 fail, 1 open"));
    for verdict in ["holds", "fails", "open"] {
        assert!(page.contains(&format!("<td class=\"verdict {verdict}\">{verdict}</td>")), "{verdict}");
    }
    assert!(page.contains("waits are &lt;fair&gt;"));
}

#[test]
fn groups_lead_to_their_instances() {
    let page = page_of("study = 'waiting'\nqueues = 2\n");
    let data = r#""metrics":[{"name":"wait s (min)","doc":"The wait of the last job.","more_is_better":false,"is_primary":true}"#;
    assert!(page.contains(data));
    assert!(page.contains(r#"{"keys":[0,0],"runs":2,"measured":2,"mean":1.5,"worst":2.0}"#));
    // Group, queue, status, wait and jobs.
    assert!(page.contains(r#""rows":[[0,0,0,1,1],[1,0,0,2,1],[0,1,0,2,2],[1,1,0,4,2]]"#));
}

#[test]
fn failed_and_unfinished_runs_are_warnings() {
    let (folder, registry) = (tempfile::tempdir().unwrap(), registry());
    run("study = 'waiting'\nqueues = 60\nseconds = [0, 1]\n", folder.path(), &registry);
    let mut results = Results::read(folder.path(), &registry).unwrap();
    results.has_newer_run = true;
    let page = page(&results, &[], &[]).unwrap();
    assert!(page.contains("A later run in this folder is unfinished"));
    assert!(page.contains("queue, queue 0, server 0 s: violation: a server takes &lt;no&gt; time"));
    assert!(page.contains("10 more runs failed"));
    assert!(page.contains("120: 60 ok, 60 violation"));
}

#[test]
fn a_missing_or_altered_table_is_an_error() {
    let (folder, registry) = (tempfile::tempdir().unwrap(), registry());
    run(SCENARIO, folder.path(), &registry);
    let results = Results::read(folder.path(), &registry).unwrap();
    let table = folder.path().join("tables/all.csv");
    for damage in [|path: &Path| fs::write(path, "a,b\n1\n"), |path: &Path| fs::remove_file(path)] {
        damage(&table).unwrap();
        let error = page(&results, &[], &[]).unwrap_err().to_string();
        assert!(error.contains("all.csv"), "{error}");
    }
}

#[test]
fn figures_of_all_columns_and_of_the_study_are_in_the_page() {
    let (folder, registry) = (tempfile::tempdir().unwrap(), registry());
    run(SCENARIO, folder.path(), &registry);
    let results = Results::read(folder.path(), &registry).unwrap();
    let drawn = draw_results(&results, &registry, &FigureOptions::default()).unwrap();
    let stems: Vec<&str> = drawn.figures.iter().map(|(_, figure)| figure.stem.as_str()).collect();
    // The study draws one of the standard figures itself.
    let expected = ["wait-s-boxes", "wait-s-distribution", "wait-s-means", "wait-s-by-server"];
    assert_eq!((stems.as_slice(), drawn.left_out.as_slice()), (&expected[..], &[][..]));
    assert_eq!(drawn.figures[0].0, "All waits");
    let picture = |(title, figure): &(String, Figure)| Picture {
        title: title.clone(),
        svg: figure.picture.svg_for_page(),
    };
    let pictures: Vec<Picture> = drawn.figures.iter().map(picture).collect();
    let page = page(&results, &pictures, &[]).unwrap();
    assert_eq!(page.matches("<figure>").count(), 4);
}

#[test]
fn long_tables_are_limited() {
    let page = page_of("study = 'waiting'\nqueues = 1000\nseconds = [1, 2, 3, 4, 5, 6]\n");
    assert!(page.contains("The first 5000 of 6000 lines; tables/all.csv has all of them."));
}
