//! The benchmarks, which are identical on every machine.

use dfrsim::cluster::{EstimateModel, JobRecord, Observer, Occurrence, Options, simulate};
use dfrsim::model::{Job, Seed, SimSpan, SimTime};
use dfrsim::offline::instances::DissertationScenario;
use dfrsim::offline::vector::{Algorithm, Options as PackingOptions, VectorPacking};
use dfrsim::policies::{Policy, PolicyOptions};
use dfrsim::workload::formats::swf;
use dfrsim::workload::load::scale_to_load;
use dfrsim::workload::log::{Source as _, Strictness};
use dfrsim::workload::lublin::{LublinParameters, generate, to_log};

const SEED: Seed = Seed::new(3);
/// Number of nodes of all clusters.
const NODES: u32 = 128;

/// A benchmark; each takes a fraction of a second.
#[derive(Clone, Copy, Debug)]
pub(super) enum Work {
    /// Reading the SWF text of a log.
    Read,
    /// Simulation of EASY.
    Easy,
    /// Simulation of conservative backfilling with wrong estimates.
    Cons,
    /// Simulation of the best published fractional policy.
    Dfrs,
    /// Packing of services onto nodes.
    Pack,
}

impl Work {
    pub(super) const ALL: [Work; 5] = [Work::Read, Work::Easy, Work::Cons, Work::Dfrs, Work::Pack];

    /// Returns the name, the number of jobs or services, the expected result, and the seconds of the
    /// reference machine: two cores of an AMD EPYC in a virtual machine.
    const fn facts(self) -> (&'static str, u32, u64, f64) {
        match self {
            Work::Read => ("read", 50_000, 70_904_284, 0.01359),
            Work::Easy => ("easy", 50_000, 1_014_747_500, 0.03023),
            Work::Cons => ("cons", 10_000, 151_914_010, 0.05409),
            Work::Dfrs => ("dfrs", 1_000, 37_320_495, 0.04262),
            Work::Pack => ("pack", 5_000, 316_222, 0.01241),
        }
    }

    /// Finds the benchmark of this name.
    ///
    /// # Errors
    /// Returns an error that lists the names if there is none.
    pub(super) fn named(name: &str) -> Result<Work, String> {
        let found = Work::ALL.into_iter().find(|work| work.name() == name);
        found.ok_or_else(|| format!("{name}: expected one of {}", Work::ALL.map(Work::name).join(", ")))
    }

    pub(super) const fn name(self) -> &'static str {
        self.facts().0
    }

    /// Returns a one-line description of the benchmark.
    pub(super) const fn description(self) -> &'static str {
        match self {
            Work::Read => "read the SWF text of 50,000 jobs",
            Work::Easy => "simulate EASY on 50,000 jobs",
            Work::Cons => "simulate conservative backfilling with wrong estimates on 10,000 jobs",
            Work::Dfrs => "simulate the best published fractional policy on 1,000 jobs",
            Work::Pack => "pack 5,000 services with four resources onto 1,000 nodes",
        }
    }

    /// Returns the expected result: the sum of all run times or turnaround times in seconds, or the
    /// units of the yield.
    pub(super) const fn expected_result(self) -> u64 {
        self.facts().2
    }

    /// Returns the time that the reference machine takes.
    pub(super) const fn reference_seconds(self) -> f64 {
        self.facts().3
    }

    /// Prepares the input and returns the closure to be timed.
    pub(super) fn prepare(self) -> Box<dyn FnMut() -> u64> {
        match self {
            Work::Read => {
                let (header, records) = to_log(&self.parameters(), SEED);
                let mut text = Vec::new();
                swf::write(&mut text, &header, records).expect("writing to memory cannot fail");
                Box::new(move || read(&text))
            }
            Work::Easy => self.simulation("EASY", Options::default()),
            Work::Cons => {
                let estimates = EstimateModel::Random(5.0);
                self.simulation("CONS", Options { estimates, ..Options::default() })
            }
            Work::Dfrs => {
                let penalty = SimSpan::from_secs(300);
                self.simulation("GreedyPM*/per/OPT=MIN/MVT=600", Options { penalty, ..Options::default() })
            }
            Work::Pack => {
                let services = DissertationScenario {
                    nodes: 1_000,
                    jobs: self.facts().1,
                    dimensions: 4,
                    sigma: 0.5,
                    rho: 0.25,
                    slack: 0.4,
                };
                let instance = services.instance(SEED);
                let mut packing = VectorPacking::new(Algorithm::EJECT, PackingOptions::default());
                Box::new(move || {
                    let packed = packing.solve(&instance).expect("the sizes fit");
                    packed.map_or(0, |solution| solution.minimum_yield.units().into())
                })
            }
        }
    }

    fn parameters(self) -> LublinParameters {
        LublinParameters { jobs: self.facts().1 as usize, ..LublinParameters::default() }
    }

    fn simulation(self, policy: &str, options: Options) -> Box<dyn FnMut() -> u64> {
        let policy: Policy = policy.parse().expect("the name of the policy is valid");
        let mut jobs: Vec<Job> = generate(&self.parameters(), SEED);
        scale_to_load(&mut jobs, NODES, 0.8).expect("the total work of the jobs is positive");
        Box::new(move || {
            let mut turnarounds = Turnarounds::default();
            let mut scheduler = policy.scheduler(NODES, &PolicyOptions::default());
            simulate(NODES, &options, jobs.iter().cloned(), scheduler.as_mut(), &mut turnarounds)
                .expect("policies of this program make valid decisions");
            turnarounds.0.micros() / 1_000_000
        })
    }
}

fn read(text: &[u8]) -> u64 {
    let mut log = swf::read(text, "text", Strictness::Strict).expect("the text has a header");
    let mut run_times = 0;
    for line in log.by_ref() {
        run_times += line.record.run_time.map_or(0, SimSpan::micros);
    }
    log.finish().expect("the text is complete");
    run_times / 1_000_000
}

/// Sum of the turnaround times of all jobs.
#[derive(Default)]
struct Turnarounds(SimSpan);

impl Observer for Turnarounds {
    fn observe(&mut self, _: SimTime, _: u64, occurrence: Occurrence<'_>) {
        if let Occurrence::Completed(record) = occurrence {
            self.0 += JobRecord::turnaround(record);
        }
    }
}
