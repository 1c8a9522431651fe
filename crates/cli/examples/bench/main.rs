//! Rates this machine on five fixed benchmarks: `bench [REPEAT [WORK...]]`.
//!
//! Each benchmark is the same everywhere, needs no file, keeps one core busy, and counts by its
//! fastest run, by default of ten. Its result is checked. The rating is the speed relative to the
//! reference machine, that of `crates/SPEED.md`: the geometric mean of the speed-ups over the
//! benchmarks.

mod works;

use std::env;
use std::error::Error;
use std::num::NonZeroU32;
use std::time::{Duration, Instant};
use works::Work;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let repeat = arguments.next().map_or(Ok(NonZeroU32::new(10).expect("10 is not 0")), |it| it.parse())?;
    let mut works = arguments.map(|name| Work::named(&name)).collect::<Result<Vec<_>, _>>()?;
    if works.is_empty() {
        works = Work::ALL.to_vec();
    }
    let mut logarithms = 0.0;
    println!("work  seconds  reference");
    for &work in &works {
        let (seconds, reference) = (fastest(work, repeat)?.as_secs_f64(), work.reference_seconds());
        logarithms += (reference / seconds).ln();
        println!("{}  {seconds:.5}    {reference:.5}  {}", work.name(), work.description());
    }
    println!("rating {:.2}", (logarithms / works.len() as f64).exp());
    Ok(())
}

/// Runs a benchmark `repeat` times and returns the shortest time.
fn fastest(work: Work, repeat: NonZeroU32) -> Result<Duration, String> {
    let mut run = work.prepare();
    let timed = (0..repeat.get()).map(|_| {
        let begin = Instant::now();
        let found = run();
        let time = begin.elapsed();
        if found == work.expected_result() {
            return Ok(time);
        }
        let (work, expected) = (work.name(), work.expected_result());
        Err(format!(
            "{work}: the result is {found}, expected {expected}: this build or this machine computes incorrectly"
        ))
    });
    timed.reduce(|shortest, time| Ok(shortest?.min(time?))).expect("each benchmark is run at least once")
}
