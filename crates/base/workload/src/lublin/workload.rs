//! Merging of the streams into a workload.

use super::arrivals::{Arrivals, HALF_HOUR};
use super::memory::MemoryStream;
use super::parameters::{Class, ClassParameters, LublinParameters};
use super::shape::{RunTimes, Sizes};
use dfrsim_model::{Job, JobId, Seed, Share, SimSpan, SimTime};
use std::num::NonZeroU32;

/// A job of the model, without CPU needs and memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Submit time in whole seconds since a midnight. The model's own clock is not rounded, so
    /// rounding errors do not accumulate.
    pub submit: SimTime,
    /// Number of processors, from 1 to the number of nodes.
    pub size: u32,
    /// Run time in whole seconds, from 1 to 162,754 (e^12).
    pub run_time: SimSpan,
    /// Class of the job.
    pub class: Class,
}

/// Generator of the jobs of one class.
struct ClassStream {
    class: Class,
    arrivals: Arrivals,
    sizes: Sizes,
    run_times: RunTimes,
    /// Time of the next arrival, in half hours.
    next: f64,
}

impl ClassStream {
    fn new(class: Class, nodes: NonZeroU32, workload: Seed) -> ClassStream {
        let parameters = ClassParameters::of(class, nodes);
        let seed = workload.fork(class.name());
        let mut arrivals = Arrivals::new(&parameters, seed.fork("arrivals").rng());
        let next = arrivals.draw();
        ClassStream {
            class,
            arrivals,
            sizes: Sizes::new(&parameters, nodes, seed.fork("sizes").rng()),
            run_times: RunTimes::new(&parameters, seed.fork("run times").rng()),
            next,
        }
    }
    fn next_arrival(&mut self) -> Arrival {
        let submit = SimTime::from_secs((self.next * HALF_HOUR).round() as u64);
        self.next = self.arrivals.draw();
        let size = self.sizes.draw();
        Arrival { submit, size, run_time: self.run_times.draw(size), class: self.class }
    }
}

/// Returns the model as an endless stream of arrivals, in the order of their times. The number of
/// jobs, CPU needs and memory in the parameters are ignored.
///
/// Each class draws arrivals, sizes and run times from separate streams of random numbers. A shorter
/// workload is therefore a prefix of a longer one, and the arrivals are identical on all machines.
pub fn arrivals(parameters: &LublinParameters, seed: Seed) -> impl Iterator<Item = Arrival> + use<> {
    let nodes = parameters.nodes;
    let classes = parameters.mode.classes().iter();
    let mut streams: Vec<ClassStream> = classes.map(|&class| ClassStream::new(class, nodes, seed)).collect();
    std::iter::from_fn(move || next_of(&mut streams))
}

/// Returns the next arrival of all classes. Ties are resolved by the order of the classes.
fn next_of(streams: &mut [ClassStream]) -> Option<Arrival> {
    streams.iter_mut().min_by(|a, b| a.next.total_cmp(&b.next)).map(ClassStream::next_arrival)
}

/// Returns the arrivals of a workload with the memory of their tasks.
pub(super) fn with_memory(
    parameters: &LublinParameters,
    seed: Seed,
) -> impl Iterator<Item = (Arrival, Share)> + use<> {
    let mut memory = MemoryStream::new(seed, parameters.memory);
    arrivals(parameters, seed).take(parameters.jobs).map(move |arrival| (arrival, memory.draw()))
}

/// Returns the seed of a trace (numbered from 0) in scenarios with this seed. It depends on nothing
/// else, so traces are identical in all workloads, regardless of their names and scaling, and a
/// shorter trace is a prefix of a longer one.
pub fn trace_seed(scenario_seed: u64, trace: u32) -> Seed {
    Seed::new(scenario_seed).fork("lublin").numbered(trace.into())
}

/// Generates a workload of the on-line study: the model's arrivals with ids from 1, and with the
/// assumed CPU needs and memory.
pub fn generate(parameters: &LublinParameters, seed: Seed) -> Vec<Job> {
    jobs(parameters, seed).collect()
}

/// Generates the jobs of [`generate`] one at a time.
pub fn jobs(parameters: &LublinParameters, seed: Seed) -> impl Iterator<Item = Job> + use<> {
    let cpu = parameters.cpu;
    let numbered = (1..).zip(with_memory(parameters, seed));
    numbered.map(move |(id, (Arrival { submit, size, run_time, .. }, memory))| Job {
        id: JobId(id),
        submit,
        tasks: size,
        cpu_need: cpu.of(size),
        memory,
        run_time,
        ..Job::default()
    })
}

#[cfg(test)]
mod tests {
    use super::super::Mode;
    use super::*;

    fn first(mode: Mode, count: usize) -> Vec<(u64, u32, u64, Class)> {
        let parameters = LublinParameters { mode, ..LublinParameters::default() };
        let seconds = |micros: u64| micros / 1_000_000;
        arrivals(&parameters, Seed::new(1))
            .take(count)
            .map(|a| (seconds(a.submit.micros()), a.size, seconds(a.run_time.micros()), a.class))
            .collect()
    }

    /// Published results depend on these numbers: the test detects any change of the model, its
    /// streams or the generator.
    #[test]
    fn golden_arrivals() {
        assert_eq!(
            first(Mode::Typed, 3),
            [(53, 8, 3, Class::Interactive), (93, 6, 1, Class::Interactive), (206, 1, 53889, Class::Batch)]
        );
        assert_eq!(
            first(Mode::Typeless, 3),
            [
                (8552, 1, 368, Class::Typeless),
                (8634, 32, 225, Class::Typeless),
                (9522, 8, 17, Class::Typeless)
            ]
        );
        let memory: Vec<f64> = generate(&LublinParameters::default(), Seed::new(1))
            .iter()
            .take(6)
            .map(|job| job.memory.as_f64())
            .collect();
        assert_eq!(memory, [0.1, 0.1, 0.8, 0.1, 0.1, 0.1]);
    }

    #[test]
    fn arrivals_come_in_order_and_shorter_workloads_begin_longer_ones() {
        for &mode in Mode::ALL {
            let long = LublinParameters { mode, ..LublinParameters::default() };
            let jobs = generate(&long, Seed::new(5));
            assert!(jobs.is_sorted_by_key(|job| job.submit));
            assert_eq!(generate(&LublinParameters { jobs: 100, ..long }, Seed::new(5)), jobs[..100]);
        }
    }
}
