//! Benchmarks of MCB and of the second phase, averaged over states recorded in simulations: `cargo
//! bench -p dfrsim-policies --bench recorded_states`.
//!
//! One iteration consists of 1,000 calls, so milliseconds per iteration are microseconds per call.

mod recorder;
mod workloads;

use dfrsim_model::Yield;
use dfrsim_packing::mcb::{Mcb, McbOptions, PackJob};
use dfrsim_packing::shares::{SharedJob, Shares};
use dfrsim_policies::fractional::SecondPhase;
use divan::Bencher;
use recorder::{Recording, SIZES, share};
use std::fmt;
use std::sync::Arc;
use workloads::{Workload, recording};

const CALLS: usize = 1_000;

fn main() {
    divan::main();
}

/// States of one size, recorded under a policy on a workload.
#[derive(Clone, Copy, Debug)]
struct Case {
    workload: Workload,
    policy: &'static str,
    /// Index into [`SIZES`].
    size: usize,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (jobs, _) = SIZES[self.size];
        write!(f, "{:?}, {}, about {jobs} jobs", self.workload, self.policy)
    }
}

fn cases(policies: &[&'static str]) -> Vec<Case> {
    let of_policy = |&policy: &&'static str| {
        Workload::ALL
            .into_iter()
            .flat_map(move |workload| (0..SIZES.len()).map(move |size| Case { workload, policy, size }))
    };
    policies.iter().flat_map(of_policy).collect()
}

impl Case {
    /// Returns the recording and prints its number of states of this case; `None` if there are no
    /// such states or the log is missing.
    fn recorded(self, count: impl Fn(&Recording) -> usize) -> Option<Arc<Recording>> {
        let recording = recording(self.workload, self.policy)?;
        let states = count(&recording);
        println!("{states} states");
        (states > 0).then_some(recording)
    }
}

#[divan::bench(args = cases(&["MCB*/OPT=MIN", "MCB*/per/OPT=MIN/MVT=600"]))]
fn mcb(bencher: Bencher<'_, '_>, case: Case) {
    let Some(recording) = case.recorded(|recording| recording.packing[case.size].kept.len()) else { return };
    let states: Vec<Vec<PackJob<'_>>> =
        recording.packing[case.size].kept.iter().map(recorder::PackState::jobs).collect();
    let mut mcb = Mcb::new(case.workload.nodes(), McbOptions::default());
    bencher.bench_local(|| {
        let calls = states.iter().cycle().take(CALLS);
        calls.fold(0, |sum, jobs| sum + u64::from(mcb.map(jobs).value().units()))
    });
}

fn second_phase(bencher: Bencher<'_, '_>, case: Case, phase: SecondPhase) {
    let Some(recording) = case.recorded(|recording| recording.sharing[case.size].kept.len()) else { return };
    let states: Vec<Vec<SharedJob<'_>>> =
        recording.sharing[case.size].kept.iter().map(recorder::ShareState::jobs).collect();
    let (mut shares, mut yields) = (Shares::new(case.workload.nodes()), Vec::new());
    bencher.bench_local(|| {
        states.iter().cycle().take(CALLS).fold(0, |sum, jobs| {
            share(phase, &mut shares, jobs, &mut yields);
            sum + u64::from(yields.last().copied().map_or(0, Yield::units))
        })
    });
}

#[divan::bench(args = cases(&["Greedy*/OPT=MIN", "MCB*/OPT=MIN"]))]
fn max_min(bencher: Bencher<'_, '_>, case: Case) {
    second_phase(bencher, case, SecondPhase::Min);
}

#[divan::bench(args = cases(&["Greedy*/OPT=AVG", "MCB*/OPT=AVG"]))]
fn max_average(bencher: Bencher<'_, '_>, case: Case) {
    second_phase(bencher, case, SecondPhase::Average);
}
