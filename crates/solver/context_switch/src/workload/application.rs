//! Applications made of dependent tasks, so that VMs are idle except while their tasks compute.

use dfrsim_model::{Rng, Seed, SimSpan};
use rand::RngExt;

/// A benchmark of the NAS grid suite, as a graph of tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Benchmark {
    /// Embarrassingly distributed: independent SP tasks.
    Ed,
    /// Helical chain: BT, SP, LU, BT, ... in sequence.
    Hc,
    /// Visualisation pipeline: BT, MG, FT in each row; each task waits for the one to its left and
    /// the one above it.
    Vp,
    /// Mixed bag: LU, MG, FT in layers; a task waits for those of the previous layer up to its own
    /// position.
    Mb,
}

impl Benchmark {
    /// All benchmarks.
    pub const ALL: [Benchmark; 4] = [Benchmark::Ed, Benchmark::Hc, Benchmark::Vp, Benchmark::Mb];
}

/// Problem classes W, A and B: number of VMs, each with one task, and amount of work relative to
/// class A.
const CLASSES: [(usize, f64); 3] = [(9, 0.1), (9, 1.0), (18, 4.0)];

/// Seconds of each code in class A on one processing unit: its operation count in units of 10^9, at
/// 10^9 operations per second.
const BT: f64 = 168.0;
const SP: f64 = 102.0;
const LU: f64 = 119.0;
const MG: f64 = 4.0;
const FT: f64 = 7.0;

/// Task of one VM of an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Duration on a dedicated processing unit.
    pub work: SimSpan,
    /// Indices of the tasks that must have finished before.
    pub after: Vec<usize>,
}

/// An application with a task for each VM of a vjob. A VM needs a whole processing unit while its
/// task computes, and none before and after.
///
/// The paper uses 81 traces of real runs, which were not published. These graphs follow the
/// definition of the benchmarks, and times are derived from operation counts on an assumed machine,
/// with a random deviation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Application {
    /// Tasks in topological order.
    pub tasks: Vec<Task>,
}

impl Application {
    /// Creates an application on `vms` VMs (a multiple of 9) with `scale` times the work of class A.
    /// The work of each task deviates at random by up to a quarter.
    pub fn new(benchmark: Benchmark, vms: usize, scale: f64, rng: &mut Rng) -> Application {
        // Layers have three tasks each.
        let before = |task: usize| -> Vec<usize> {
            let (layer, position) = (task / 3, task % 3);
            match benchmark {
                Benchmark::Ed => vec![],
                Benchmark::Hc => task.checked_sub(1).into_iter().collect(),
                Benchmark::Vp => {
                    let left = (position > 0).then(|| task - 1);
                    left.into_iter().chain(task.checked_sub(3)).collect()
                }
                Benchmark::Mb if layer == 0 => vec![],
                Benchmark::Mb => (0..=position).map(|position| (layer - 1) * 3 + position).collect(),
            }
        };
        let seconds = |task: usize| match benchmark {
            Benchmark::Ed => SP,
            Benchmark::Hc => [BT, SP, LU][task % 3],
            Benchmark::Vp => [BT, MG, FT][task % 3],
            Benchmark::Mb => [LU, MG, FT][task / 3 % 3],
        };
        let tasks = (0..vms).map(|task| {
            let seconds = seconds(task) * scale * rng.random_range(0.75..1.25);
            let work = SimSpan::try_from_secs_f64(seconds).unwrap_or(SimSpan::MAX);
            Task { work, after: before(task) }
        });
        Application { tasks: tasks.collect() }
    }

    /// Returns the start and end of each task if no task ever waits for a processing unit.
    pub fn undisturbed(&self) -> Vec<(SimSpan, SimSpan)> {
        let mut times: Vec<(SimSpan, SimSpan)> = Vec::with_capacity(self.tasks.len());
        for task in &self.tasks {
            let begin = task.after.iter().map(|&before| times[before].1).max().unwrap_or_default();
            times.push((begin, begin + task.work));
        }
        times
    }
}

/// Generates the 81 traces (as many as in the experiments) from which vjobs are drawn, cycling
/// through the benchmarks and the classes.
pub fn traces(seed: Seed) -> Vec<Application> {
    let trace = |number: usize| {
        let mut rng = seed.fork("traces").numbered(number as u64).rng();
        let (benchmark, (vms, scale)) = (Benchmark::ALL[number % 4], CLASSES[number / 4 % 3]);
        Application::new(benchmark, vms, scale, &mut rng)
    };
    (0..81).map(trace).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(benchmark: Benchmark) -> Vec<(u64, u64)> {
        let mut application = Application::new(benchmark, 9, 1.0, &mut Seed::new(1).rng());
        application.tasks.iter_mut().for_each(|task| task.work = SimSpan::from_secs(10));
        let seconds = |span: SimSpan| span.micros() / 10_000_000;
        application.undisturbed().iter().map(|(begin, end)| (seconds(*begin), seconds(*end))).collect()
    }

    /// A chain of equal tasks takes nine rounds, a pipeline of three rows five, layers three, and
    /// independent tasks one.
    #[test]
    fn graphs_have_the_shape_of_their_benchmark() {
        let last = |benchmark| order(benchmark).iter().map(|(_, end)| *end).max().unwrap();
        assert_eq!(Benchmark::ALL.map(last), [1, 9, 5, 3]);
        assert_eq!(
            order(Benchmark::Vp).iter().map(|(begin, _)| *begin).collect::<Vec<_>>(),
            [0, 1, 2, 1, 2, 3, 2, 3, 4]
        );
    }

    /// Six cycles of twelve have 48 traces on 9 VMs and 24 on 18; the last nine are four of W, four
    /// of A and one of B.
    #[test]
    fn traces_are_of_nine_and_eighteen_tasks() {
        let traces = traces(Seed::new(1));
        let of = |tasks: usize| traces.iter().filter(|trace| trace.tasks.len() == tasks).count();
        assert_eq!((of(9), of(18)), (56, 25));
    }
}
