//! `dfrsim bench`

mod works;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Answer, notice, table};
use clap::Args;
use dfrsim_input::{Faults, Input, Reader};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::iter;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use works::Work;

/// Measurements of the reference machine, which has rating 1.
const REFERENCE: &str = include_str!("bench/reference.json");

/// Rate this machine on five fixed benchmarks
///
/// Each benchmark is the same everywhere, needs no file, keeps one core busy, and counts by its
/// fastest run. Its result is checked. The rating is the speed relative to the reference machine:
/// the geometric mean of the speed-ups over the benchmarks. Run it while no other program runs.
#[derive(Args, Debug)]
#[command(
    override_usage = "dfrsim bench [WORK]... [OPTIONS]",
    after_help = "\
Examples:
  dfrsim bench
  dfrsim bench --name 'our front end' --format json > ours.json
  dfrsim bench --with ours.json theirs.json          compare this machine with others
  valgrind --tool=cachegrind --cache-sim=no dfrsim bench easy --repeat 1     count the instructions of one benchmark"
)]
pub(crate) struct Bench {
    /// Benchmarks to run; by default all
    #[arg(value_name = "WORK", value_enum)]
    works: Vec<Work>,
    /// Number of runs of each benchmark
    #[arg(long, value_name = "N", default_value = "10")]
    repeat: NonZeroU32,
    /// Name of this machine; by default the model of its processor
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Machines to show along with this one: files with their answers to --format json
    #[arg(long, value_name = "FILE.json", num_args = 1.., value_hint = clap::ValueHint::FilePath)]
    with: Vec<PathBuf>,
}

/// Speeds of machines.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Rated {
    #[serde(flatten)]
    this: Machine,
    /// The machines of the given files, and the reference machine.
    others: Vec<Machine>,
}

/// Measurements of one machine.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Machine {
    machine: String,
    /// The speed relative to the reference machine: the geometric mean of the speed-ups over the
    /// benchmarks.
    rating: f64,
    works: Vec<Measured>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Measured {
    work: Work,
    /// The duration of the fastest run, in seconds.
    seconds: f64,
}

impl Bench {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let reference = machine(&Input::json("the reference", REFERENCE).map_err(Failure::input)?);
        let reference = reference.map_err(Failure::input)?;
        let given = self.with.iter().map(|path| machine(&Input::open(path)?));
        let given = given.collect::<Result<Vec<_>, Faults>>().map_err(Failure::input)?;
        let works = if self.works.is_empty() { Work::ALL.to_vec() } else { self.works };
        let measure = |work: Work| {
            notice!("{}: {}", work.name(), work.description());
            let seconds = fastest(work, self.repeat)?.as_secs_f64();
            Ok(Measured { work, seconds })
        };
        let works = works.into_iter().map(measure).collect::<Result<Vec<_>, Failure>>()?;
        let this = Machine { machine: self.name.unwrap_or_else(processor), rating: 1.0, works };
        let rated = |machine: Machine| Machine { rating: machine.speed_relative_to(&reference), ..machine };
        let this = rated(this);
        let others = given.into_iter().map(rated).collect::<Vec<_>>();
        context.print(&Rated { this, others: others.into_iter().chain(iter::once(reference)).collect() })
    }
}

/// Reads the answer of a machine from a JSON file.
fn machine(answer: &Input) -> Result<Machine, Faults> {
    let mut reader = Reader::default();
    let read: Option<Machine> = reader.parsed(&answer.root());
    for Measured { work, seconds } in read.iter().flat_map(|machine| &machine.works) {
        if !(seconds.is_finite() && *seconds > 0.0) {
            reader.fault(&answer.root(), format!("{seconds} s for `{}` should be above 0", work.name()));
        }
    }
    reader.finish(read)
}

/// Runs a benchmark `repeat` times and returns the shortest time.
fn fastest(work: Work, repeat: NonZeroU32) -> Result<Duration, Failure> {
    let mut run = work.prepare();
    let timed = (0..repeat.get()).map(|_| {
        let begin = Instant::now();
        let found = run();
        let time = begin.elapsed();
        if found == work.expected_result() {
            return Ok(time);
        }
        let (work, expected) = (work.name(), work.expected_result());
        Err(Failure::Result(format!(
            "{work}: the result is {found}, expected {expected}: this build or this machine computes incorrectly"
        )))
    });
    timed.reduce(|shortest, time| Ok(shortest?.min(time?))).expect("each benchmark is run at least once")
}

/// Returns the processor model that the system reports, or else the architecture.
fn processor() -> String {
    let listed = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let named = listed.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    named.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}

impl Machine {
    /// Returns the seconds of a benchmark, if it was measured.
    fn seconds(&self, work: Work) -> Option<f64> {
        self.works.iter().find(|measured| measured.work == work).map(|measured| measured.seconds)
    }

    /// Computes the speed relative to another machine, over the benchmarks that both have.
    fn speed_relative_to(&self, other: &Machine) -> f64 {
        let ratio =
            |&Measured { work, seconds }: &Measured| other.seconds(work).map(|other| (other / seconds).ln());
        let ratios: Vec<f64> = self.works.iter().filter_map(ratio).collect();
        (ratios.iter().sum::<f64>() / ratios.len().max(1) as f64).exp()
    }

    fn line(&self) -> [String; 7] {
        let seconds = Work::ALL.map(|work| self.seconds(work));
        let [read, easy, cons, dfrs, pack] =
            seconds.map(|seconds| seconds.map_or_else(|| "-".to_owned(), |seconds| format!("{seconds:.4}")));
        [self.machine.clone(), format!("{:.2}", self.rating), read, easy, cons, dfrs, pack]
    }
}

impl Answer for Rated {
    fn text(&self) -> String {
        let [read, easy, cons, dfrs, pack] = Work::ALL.map(Work::name);
        let machines = iter::once(&self.this).chain(&self.others);
        let table = table(["machine", "rating", read, easy, cons, dfrs, pack], machines.map(Machine::line));
        format!("seconds of the fastest run\n\n{table}")
    }
}
