//! Tests wide rows on a study of powers: one line per number, one column group per exponent.

use crate::{files, run_with};
use dfrsim_lab::fields::{Scenario, count, list};
use dfrsim_lab::{
    Audit, Column, Digester, Failure, Input, InstanceId, KeyBuilder, Labels, NamedTable, Part, Prepared,
    Registry, Results, RunContext, RunError, RunOptions, RunReport, Shard, ShardUnit, Status, Step, Study,
    Wide, columns, fields,
};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

fields! {
    /// Scenario with numbers and exponents.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Numbers {
        /// Number of numbers.
        pub replications: u32 = count("a number of replications", 1, 1_000), default 4;
        /// Exponents.
        pub exponents: Vec<u32> = list(count("an exponent", 0, 1_000)).nonempty(), default vec![1, 2, 3];
        /// Exponents whose powers have roots.
        pub roots: Vec<u32> = list(count("an exponent", 0, 1_000)), default vec![2];
    }
}

columns! {
    /// Power of a number.
    pub struct Power {
        /// Parity of the number.
        label pub parity: String,
        /// The number.
        instance pub number: u64,
        /// The exponent, as x^n.
        variant pub exponent: String,
        /// The square of the number.
        fact pub square: u64,
        /// The power.
        primary(more) pub power: f64,
        /// Root of the power.
        metric(less) pub root: Option<f64>,
    }
}

struct Powers(Numbers);

impl Study for Powers {
    const NAME: &'static str = "powers";
    const TITLE: &'static str = "Powers of numbers";
    const SEMANTICS: u32 = 1;
    const AUDIT: Audit = Audit::Optional;
    const GRAIN: ShardUnit = ShardUnit::Instances;
    const RUNS: &'static str = "powers";

    type Fields = Numbers;
    type Instance = u64;
    type Variant = u32;
    type Rows = Wide<Power>;

    fn open(scenario: &Scenario<Numbers>, _: &mut Vec<Input>) -> Result<Powers, RunError> {
        Ok(Powers(scenario.fields.clone()))
    }
    fn instances(&self) -> Vec<InstanceId> {
        let parity = |at: u32| if at.is_multiple_of(2) { "odd, of course" } else { "even" };
        let id = |at| InstanceId {
            labels: vec![("parity", parity(at).to_owned()), ("number", (at + 1).to_string())],
            weight: 1,
        };
        (0..self.0.replications).map(id).collect()
    }
    /// Returns all exponents, but only the first one for the last number.
    fn variants(&self, at: usize) -> Vec<u32> {
        let all = if at + 1 == self.0.replications as usize { 1 } else { self.0.exponents.len() };
        self.0.exponents[..all].to_vec()
    }
    fn every_variant(&self) -> Vec<u32> {
        self.0.exponents.clone()
    }
    fn has_metric(&self, exponent: &u32, metric: &Column) -> bool {
        assert_eq!(metric.name, "root");
        self.0.roots.contains(exponent)
    }
    fn prepare(&self, at: usize) -> Result<Prepared<u64>, Failure> {
        let mut digester = Digester::new();
        digester.integer(at as u64);
        Ok(Prepared { instance: at as u64 + 1, digest: digester.digest() })
    }
    fn facts(&self, number: &u64) -> Labels {
        vec![("square", (number * number).to_string())]
    }
    fn key(&self, _: &u32, _: &mut KeyBuilder) {
        unreachable!("wide rows are found by the name of the variant")
    }
    fn labels(&self, exponent: &u32) -> Labels {
        vec![("exponent", format!("x^{exponent}"))]
    }
    fn run(&self, number: &u64, exponent: &u32, watch: RunContext<'_>) -> Result<Vec<Power>, Failure> {
        watch.report_time(Duration::from_millis(u64::from(*exponent)));
        match exponent {
            0 => Err(Failure::new(Status::Infeasible, "")),
            7 => Err(Failure::invalid(format!("{number}, a number; it is refused"))),
            _ => Ok(vec![Power {
                power: (*number as f64 / 2.0).powi(*exponent as i32),
                root: (*number > 1).then_some(0.5),
                ..Power::default()
            }]),
        }
    }
    fn tables(&self, _: &Wide<Power>) -> Vec<NamedTable> {
        Vec::new()
    }
}

fn registry() -> Registry {
    Registry::new().study::<Powers>()
}

const POWERS: &str = "study = 'powers'\n";

fn run(text: &str, folder: &Path) -> RunReport {
    run_with(&registry(), text, &RunOptions { threads: 2, ..RunOptions::new(folder) }, &()).unwrap()
}

fn rows(folder: &Path) -> String {
    let rows = fs::read_to_string(folder.join("rows.csv")).unwrap();
    // Removes the keys.
    rows.lines().map(|line| line.split_once(',').unwrap().1.to_owned() + "\n").collect()
}

#[test]
fn a_line_is_an_instance() {
    let folder = tempfile::tempdir().unwrap();
    let report = run(&format!("{POWERS}exponents = [1, 2, 0, 7]\n"), folder.path());
    assert_eq!((report.counts.total, report.counts.failures()), (13, 3));
    assert_eq!((report.counts.of(Status::Ok), report.counts.of(Status::Infeasible)), (7, 3));
    assert_eq!(report.failures[0], "odd, of course, 1, x^7: invalid: 1, a number; it is refused");
    let expected = "status,message,parity,number,square,x^1,x^2,x^2:root,x^0,x^7\n\
         invalid,\"x^7: 1, a number, it is refused\",\"odd, of course\",1,1,0.5,0.25,,infeasible,invalid\n\
         invalid,\"x^7: 2, a number, it is refused\",even,2,4,1,1,0.5,infeasible,invalid\n\
         invalid,\"x^7: 3, a number, it is refused\",\"odd, of course\",3,9,1.5,2.25,0.5,infeasible,invalid\n\
         ok,,even,4,16,2,,,,\n";
    assert_eq!(rows(folder.path()), expected);
    let times = fs::read_to_string(folder.path().join("times.csv")).unwrap();
    let expected = "parity,exponent,runs,mean_ms\n\"odd, of course\",x^1,2,1\n\"odd, of course\",x^2,2,2\n\
         \"odd, of course\",x^0,2,0\n\"odd, of course\",x^7,2,7\neven,x^1,2,1\neven,x^2,1,2\neven,x^0,1,0\neven,x^7,1,7\n";
    assert_eq!(times, expected);

    let registry = registry();
    let results = Results::read(folder.path(), &registry).unwrap();
    let frames = results.rows().unwrap();
    let frame = &frames[0];
    let place = |column| frame.column_index(column).unwrap();
    let text = |row, column| frame.text(row, place(column));
    assert_eq!(frame.len(), 13);
    assert_eq!(
        (text(5, "exponent"), text(5, "power"), text(5, "root")),
        ("x^2".into(), "1".into(), "0.5".into())
    );
    assert_eq!(
        (text(5, "number"), text(6, "power"), text(6, "root")),
        ("2".into(), String::new(), String::new())
    );
    assert_eq!((frame.status[6], frame.message(6)), (Status::Infeasible, ""));
    assert_eq!((frame.status[7], frame.message(7)), (Status::Invalid, "2, a number, it is refused"));
    assert_eq!((text(12, "exponent"), text(12, "square")), ("x^1".into(), "16".into()));
    assert_eq!(results.times().unwrap().unwrap().lines.len(), 8);
}

#[test]
fn columns_are_reused_one_by_one() {
    let [folder, fresh] = std::array::from_fn(|_| tempfile::tempdir().unwrap());
    run(POWERS, folder.path());
    let times = fs::read(folder.path().join("times.csv")).unwrap();
    let counts = |text: &str| {
        let report = run(&format!("{POWERS}{text}"), folder.path());
        (report.counts.restored, report.counts.computed, report.notices.len())
    };
    assert_eq!(counts(""), (10, 0, 0));
    assert_eq!(fs::read(folder.path().join("times.csv")).unwrap(), times, "those that computed the rows");
    assert_eq!(counts("exponents = [3]\n"), (3, 1, 0));
    assert_eq!(counts("exponents = [3, 7, 0, 1]\n"), (4, 9, 0));
    // Failures are known in later runs, with their messages.
    let before = rows(folder.path());
    assert_eq!(counts("exponents = [3, 7, 0, 1]\n"), (13, 0, 0));
    assert_eq!(rows(folder.path()), before);
    // Computes an additional metric for rows that did not have it.
    assert_eq!(counts("exponents = [3, 7, 0, 1]\nroots = [3, 7, 0]\n"), (9, 4, 0));
    assert_eq!(counts("exponents = [3]\nreplications = 2\n"), (2, 0, 1));
    assert_eq!(counts("exponents = [1, 2, 3]\nreplications = 5\n"), (2, 11, 0));
    run(&format!("{POWERS}exponents = [1, 2, 3]\nreplications = 5\n"), fresh.path());
    let without_times = |folder| {
        let mut files = files(folder);
        files.remove("times.csv");
        files
    };
    assert_eq!(without_times(folder.path()), without_times(fresh.path()));
}

#[test]
fn shards_merge_to_the_same_rows() {
    let [whole, parts] = std::array::from_fn(|_| tempfile::tempdir().unwrap());
    let text = format!("{POWERS}exponents = [0, 1, 2, 7]\nreplications = 9\n");
    run(&text, whole.path());
    for number in 1..=3 {
        let part = Part::Shard(Shard::new(number, 3).unwrap());
        run_with(&registry(), &text, &RunOptions { part, ..RunOptions::new(parts.path()) }, &()).unwrap();
    }
    let part = Part::Merged(Vec::new());
    run_with(&registry(), &text, &RunOptions { part, ..RunOptions::new(parts.path()) }, &()).unwrap();
    let mut expected = files(whole.path());
    expected.remove("times.csv");
    assert_eq!(files(parts.path()), expected);
}

/// Interrupts a run after each number of instances, then resumes it with an equal scenario and with
/// a wider one.
#[test]
fn an_interrupted_run_goes_on() {
    let whole = tempfile::tempdir().unwrap();
    let wider = format!("{POWERS}exponents = [1, 2, 3, 4]\n");
    for (text, restored) in [(POWERS, [3, 6, 9]), (&wider, [3, 6, 9])] {
        run(text, whole.path());
        for (after, restored) in (1..=3).zip(restored) {
            let folder = tempfile::tempdir().unwrap();
            let (interrupt, finished) = (AtomicBool::new(false), AtomicUsize::new(0));
            let stop = |step: &Step<'_>| {
                assert_eq!(
                    step.values.len(),
                    step.finished - finished.swap(step.finished, Ordering::Relaxed)
                );
                if step.finished >= 3 * after {
                    interrupt.store(true, Ordering::Relaxed);
                }
            };
            let scenario = registry().parse(POWERS, "toy.toml", None, &[]).unwrap();
            let options = RunOptions { threads: 1, ..RunOptions::new(folder.path()) };
            let error = scenario.run(&options, &interrupt, &stop).unwrap_err();
            assert!(matches!(error, RunError::Interrupted { total: 10, .. }), "{error}");
            let report = run(text, folder.path());
            assert_eq!(report.counts.restored, restored, "{after}");
            assert_eq!(rows(folder.path()), rows(whole.path()));
        }
    }
}
