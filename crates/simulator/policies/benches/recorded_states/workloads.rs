//! Workloads that are simulated to record states.

use crate::recorder::{Recorder, Recording};
use dfrsim_cluster::{Options, simulate};
use dfrsim_model::{Job, Seed, SimSpan};
use dfrsim_policies::Policy;
use dfrsim_workload::load::scale_to_load;
use dfrsim_workload::lublin::{LublinParameters, generate};
use dfrsim_workload::prepare::{self, Annotation, ClusterAssumptions};
use dfrsim_workload::{cut, traces};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Number of instances of each workload: weeks of the log, or synthetic traces.
const INSTANCES: usize = 40;

/// A set of workload instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Workload {
    /// Synthetic traces of 1,000 jobs at load 0.9.
    Lublin,
    /// The weeks of the HPC2N log with the most jobs.
    Hpc2n,
}

impl Workload {
    pub(crate) const ALL: [Workload; 2] = [Workload::Lublin, Workload::Hpc2n];

    pub(crate) const fn nodes(self) -> u32 {
        match self {
            Workload::Lublin => 128,
            Workload::Hpc2n => 120,
        }
    }

    fn instances(self) -> Option<Vec<Vec<Job>>> {
        match self {
            Workload::Lublin => Some((0..INSTANCES as u64).map(scaled_trace).collect()),
            Workload::Hpc2n => {
                let base = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.."));
                let path = traces::locate_from(base, "HPC2N-2002-2.1-cln.swf.gz").ok()?;
                let annotation = Annotation::Hpc2n(ClusterAssumptions::default());
                let options =
                    prepare::Options { annotation, units: Some(self.nodes()), ..prepare::Options::default() };
                let (jobs, _) = prepare::read_jobs(&path, &options).unwrap();
                // The weeks with the most jobs are used, because about 100 jobs in the system are
                // rare otherwise.
                let mut weeks: Vec<Vec<Job>> = cut::weeks(jobs).into_iter().map(|(_, jobs)| jobs).collect();
                weeks.sort_by_key(|jobs| std::cmp::Reverse(jobs.len()));
                weeks.truncate(INSTANCES);
                Some(weeks)
            }
        }
    }
}

fn scaled_trace(number: u64) -> Vec<Job> {
    let parameters = LublinParameters::default();
    let mut jobs = generate(&parameters, Seed::new(1).fork("lublin").numbered(number));
    scale_to_load(&mut jobs, parameters.nodes.get(), 0.9).unwrap();
    jobs
}

/// Returns the states of a policy on a workload, recorded at the first call; `None` if the log is
/// missing.
pub(crate) fn recording(workload: Workload, policy: &'static str) -> Option<Arc<Recording>> {
    type Recordings = BTreeMap<(Workload, &'static str), Option<Arc<Recording>>>;
    static DONE: Mutex<Recordings> = Mutex::new(BTreeMap::new());
    DONE.lock()
        .unwrap()
        .entry((workload, policy))
        .or_insert_with(|| record(workload, policy).map(Arc::new))
        .clone()
}

fn record(workload: Workload, policy: &str) -> Option<Recording> {
    let Some(instances) = workload.instances() else {
        println!("skipped: no trace");
        return None;
    };
    let Policy::Fractional(parts) = policy.parse().unwrap() else { panic!("{policy} is not fractional") };
    let options = Options { penalty: SimSpan::from_secs(300), ..Options::default() };
    let mut recording = Recording::new();
    for jobs in instances {
        let mut recorder = Recorder::new(parts, workload.nodes(), &mut recording);
        simulate(workload.nodes(), &options, jobs, &mut recorder, &mut ()).unwrap();
    }
    Some(recording)
}
