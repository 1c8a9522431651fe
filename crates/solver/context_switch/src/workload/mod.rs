//! Workloads like those of the experiments (section 5): applications of the NAS grid benchmarks, and
//! clusters that run them.

mod application;
mod sample;

pub use application::{Application, Benchmark, Task, traces};
pub use sample::{InitialState, Sample, SampleShape};
