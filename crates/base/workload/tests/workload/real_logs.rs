//! Tests facts of real logs.

use dfrsim_model::{Job, Share, SimTime};
use dfrsim_workload::cut;
use dfrsim_workload::formats::swf;
use dfrsim_workload::log::{Source as _, Strictness};
use dfrsim_workload::prepare::{
    Annotation, Anomaly, ClusterAssumptions, Options, Report, Rule, Rules, SizeField, StatusRule, read_jobs,
};
use dfrsim_workload::traces;
use std::path::{Path, PathBuf};

const HPC2N: &str = "HPC2N-2002-2.1-cln.swf.gz";
const KTH: &str = "KTH-SP2-1996-2.1-cln.swf.gz";
const SDSC: &str = "SDSC-SP2-1998-4.2-cln.swf.gz";
const CTC: &str = "CTC-SP2-1996-3.1-cln.swf.gz";

fn trace(name: &str) -> PathBuf {
    let base = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.."));
    traces::locate_from(base, name).unwrap_or_else(|missing| panic!("{missing}"))
}

fn prepared(name: &str, options: &Options) -> (Vec<Job>, Report) {
    read_jobs(&trace(name), options).unwrap()
}

/// Checks the workload of the on-line study: 202,876 jobs, of which 2,142 have no memory
/// (dissertation, 5.3.1), in 182 weeks of at most 4,507 jobs; no job has more tasks than the 120
/// nodes.
#[test]
#[ignore = "needs logs: HPC2N"]
fn hpc2n_is_the_workload_of_the_study() {
    let annotation = Annotation::Hpc2n(ClusterAssumptions::default());
    let options = Options { annotation, units: Some(120), ..Options::default() };
    let (jobs, report) = prepared(HPC2N, &options);
    assert_eq!(report.counts.to_string(), "202876 records, 202876 jobs");
    assert_eq!(report.counts.without_memory, 2_142);
    assert_eq!(report.read.out_of_order, 0);

    let tenth = Share::from_ratio(1, 10);
    let half = Share::from_ratio(1, 2);
    assert!(
        jobs.iter().all(|job| job.memory >= tenth && (job.cpu_need == Share::ONE || job.cpu_need == half))
    );

    let weeks = cut::weeks(jobs);
    assert_eq!(weeks.len(), 182);
    assert!((0..).zip(&weeks).all(|(number, (week, _))| number == *week));
    assert_eq!(weeks.iter().map(|(_, jobs)| jobs.len()).max(), Some(4_507));
}

/// Job 1 has 30 processors and no memory: 15 tasks with a fifth of a node each.
#[test]
#[ignore = "needs logs: HPC2N"]
fn hpc2n_headers_and_first_job() {
    let path = trace(HPC2N);
    let mut reader = swf::open(&path, Strictness::Strict).unwrap();
    assert_eq!(reader.header().max_procs(), Some(240));
    assert_eq!(reader.header().unix_start_time(), Some(1_027_839_845));
    assert_eq!(reader.header().value("TimeZoneString"), Some("Europe/Stockholm"));
    let first = reader.next().unwrap();
    assert_eq!(first.record.to_string(), "1 0 308434 31405 30 31405 -1 30 37980 -1 1 1 1 -1 -1 1 -1 -1");

    let annotation = Annotation::Hpc2n(ClusterAssumptions::default());
    let select = cut::Selection { first: Some(1), ..cut::Selection::default() };
    let (jobs, _) = read_jobs(&path, &Options { annotation, select, ..Options::default() }).unwrap();
    assert_eq!(jobs.len(), 1);
    assert_eq!((jobs[0].tasks, jobs[0].cpu_need, jobs[0].memory), (15, Share::ONE, Share::from_ratio(1, 5)));
    assert_eq!(jobs[0].submit, SimTime::ZERO);
}

/// Counted independently with awk: 5,671 unknown and 10 zero run times, 16,598 jobs of status 5, 35
/// jobs that ran without requested time, and no other anomalies.
#[test]
#[ignore = "needs logs: SDSC"]
fn sdsc_rules() {
    let (jobs, report) = prepared(SDSC, &Options { units: Some(128), ..Options::default() });
    assert_eq!(jobs.len(), 59_715 - 5_681);
    assert_eq!(
        report.counts.to_string(),
        "59715 records, 54034 jobs; cancelled: 16598 kept; zero_run: 5681 dropped; jobs without requested time: 35"
    );

    let rules = Rules { zero_run: Rule::Clamp, ..Rules::default() };
    let (jobs, report) = prepared(SDSC, &Options { rules, ..Options::default() });
    assert_eq!(jobs.len(), 59_715);
    assert_eq!(report.counts.of(Anomaly::ZeroRun).clamped, 5_681);

    let rules = Rules { cancelled: StatusRule::Error, ..Rules::default() };
    let faults = read_jobs(&trace(SDSC), &Options { rules, ..Options::default() }).unwrap_err().to_string();
    assert!(faults.ends_with(": 16578 more errors"), "{faults}");
    assert!(faults.lines().next().unwrap().contains("job 11: it is cancelled"), "{faults}");
}

/// Counted independently with awk: 7,946 jobs of status 0, 8 lines with run time 0, and 1 without
/// any size.
#[test]
#[ignore = "needs logs: KTH"]
fn kth_rules() {
    let (jobs, report) = prepared(KTH, &Options { units: Some(100), ..Options::default() });
    assert_eq!(report.counts.of(Anomaly::Failed).kept, 7_946);
    assert_eq!(report.counts.of(Anomaly::ZeroSize).dropped, 1);
    assert_eq!(report.counts.of(Anomaly::ZeroRun).dropped, 8);
    assert_eq!(jobs.len(), 28_476 - 1 - 8);

    let rules = Rules { too_wide: Rule::Drop, ..Rules::default() };
    let (narrow, report) = prepared(KTH, &Options { rules, units: Some(50), ..Options::default() });
    let wide = jobs.iter().filter(|job| job.tasks > 50).count();
    assert!(wide > 0);
    assert_eq!(report.counts.of(Anomaly::TooWide).dropped, wide as u64);
    assert_eq!(narrow.len() + wide, jobs.len());
}

/// This log has no requested processors: both size fields use field 5.
#[test]
#[ignore = "needs logs: CTC"]
fn ctc_falls_back_to_allocated_processors() {
    let (requested, report) = prepared(CTC, &Options::default());
    assert_eq!(report.counts.records, 77_222);
    let options = Options { size: SizeField::Allocated, ..Options::default() };
    assert_eq!(prepared(CTC, &options).0, requested);
    assert_eq!(requested.iter().map(|job| job.tasks).max(), Some(336));
}

/// Reading, writing and reading again changes no log, including its header.
#[test]
#[ignore = "needs logs: HPC2N, KTH, SDSC and CTC"]
fn real_logs_survive_writing() {
    for path in [HPC2N, KTH, SDSC, CTC].map(trace) {
        let mut once = swf::open(&path, Strictness::Strict).unwrap();
        let header = once.header().clone();
        let records: Vec<_> = once.by_ref().map(|line| line.record).collect();
        once.finish().unwrap();
        let mut written = Vec::new();
        swf::write(&mut written, &header, &records).unwrap();
        let again = swf::read_all_from(&written[..], "written.swf", Strictness::Strict).unwrap();
        assert_eq!(again.header(), &header);
        assert!(again.map(|line| line.record).eq(records));
    }
}
