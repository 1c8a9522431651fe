//! Classes of jobs by size and run time; a mean over all jobs hides which of them are served worse.

use crate::sample::Sample;
use dfrsim_model::{SimSpan, named};
use schemars::JsonSchema;
use serde::Serialize;

named! {
    /// Class of a job by its number of tasks.
    pub enum SizeClass as "class of sizes" {
        /// One task.
        Serial = "1",
        /// 2 to 8 tasks.
        Narrow = "2-8",
        /// 9 to 32 tasks.
        Medium = "9-32",
        /// More than 32 tasks.
        Wide = ">32",
    }
}

named! {
    /// Class of a job by its run time at full speed.
    pub enum LengthClass as "class of run times" {
        /// Ten minutes at most.
        Short = "<=10min",
        /// Three hours at most.
        Medium = "<=3h",
        /// Longer than three hours.
        Long = ">3h",
    }
}

impl SizeClass {
    /// Returns the class of a job with this number of tasks.
    pub fn of(tasks: u32) -> SizeClass {
        match tasks {
            0..=1 => SizeClass::Serial,
            2..=8 => SizeClass::Narrow,
            9..=32 => SizeClass::Medium,
            33.. => SizeClass::Wide,
        }
    }
}

impl LengthClass {
    /// Returns the class of a job with this run time at full speed.
    pub fn of(run_time: SimSpan) -> LengthClass {
        match run_time {
            span if span <= SimSpan::from_secs(600) => LengthClass::Short,
            span if span <= SimSpan::from_secs(3 * 3600) => LengthClass::Medium,
            _ => LengthClass::Long,
        }
    }
}

/// Figures of the jobs of one class.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ClassSummary {
    /// Size class, serialized by name.
    #[serde(rename = "tasks")]
    #[schemars(with = "String")]
    pub size: SizeClass,
    /// Run time class, serialized by name.
    #[serde(rename = "run_time")]
    #[schemars(with = "String")]
    pub length: LengthClass,
    /// Number of jobs.
    pub jobs: usize,
    /// Mean wait, in seconds.
    #[serde(rename = "mean_wait_s")]
    pub mean_wait: f64,
    /// Mean bounded stretch, for the first tau of the options.
    pub mean_bounded_stretch: f64,
    /// Largest bounded stretch, for the first tau of the options.
    pub max_bounded_stretch: f64,
}

/// Running totals of each class.
#[derive(Clone, Debug)]
pub(crate) struct ClassTotals {
    tau: SimSpan,
    totals: [[ClassTotal; LengthClass::ALL.len()]; SizeClass::ALL.len()],
}

#[derive(Clone, Copy, Debug, Default)]
struct ClassTotal {
    jobs: usize,
    wait: f64,
    bounded_stretch: f64,
    max_bounded_stretch: f64,
}

impl ClassTotals {
    /// Creates totals without jobs; bounded stretches use this tau.
    pub(crate) fn new(tau: SimSpan) -> ClassTotals {
        ClassTotals { tau, totals: Default::default() }
    }

    pub(crate) fn add(&mut self, sample: &Sample) {
        let bounded = sample.bounded_stretch(self.tau);
        let (size, length) = (SizeClass::of(sample.tasks), LengthClass::of(sample.run_time));
        let total = &mut self.totals[size as usize][length as usize];
        total.jobs += 1;
        total.wait += sample.wait.as_secs_f64();
        total.bounded_stretch += bounded;
        total.max_bounded_stretch = total.max_bounded_stretch.max(bounded);
    }

    /// Returns the classes that have jobs, by size, then by run time.
    pub(crate) fn summaries(&self) -> Vec<ClassSummary> {
        let classes =
            SizeClass::ALL.iter().flat_map(|size| LengthClass::ALL.iter().map(move |length| (size, length)));
        classes
            .map(|(&size, &length)| (size, length, self.totals[size as usize][length as usize]))
            .filter(|(_, _, total)| total.jobs > 0)
            .map(|(size, length, total)| ClassSummary {
                size,
                length,
                jobs: total.jobs,
                mean_wait: total.wait / total.jobs as f64,
                mean_bounded_stretch: total.bounded_stretch / total.jobs as f64,
                max_bounded_stretch: total.max_bounded_stretch,
            })
            .collect()
    }
}
