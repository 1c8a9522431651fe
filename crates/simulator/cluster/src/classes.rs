//! Classes of jobs by size and by length, since a mean over all jobs hides who pays.

use crate::sample::Sample;
use dfrsim_model::{SimSpan, named};
use schemars::JsonSchema;
use serde::Serialize;

named! {
    /// How wide a job is.
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
    /// How long a job runs.
    pub enum LengthClass as "class of run times" {
        /// At most ten minutes.
        Short = "<=10min",
        /// At most three hours.
        Medium = "<=3h",
        /// Longer than three hours.
        Long = ">3h",
    }
}

impl SizeClass {
    /// The class of a job with this many tasks.
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
    /// The class of a job that runs so long at full speed.
    pub fn of(run_time: SimSpan) -> LengthClass {
        match run_time {
            span if span <= SimSpan::from_secs(600) => LengthClass::Short,
            span if span <= SimSpan::from_secs(3 * 3600) => LengthClass::Medium,
            _ => LengthClass::Long,
        }
    }
}

/// The jobs of one class.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ClassSummary {
    /// The name of the class of sizes.
    #[serde(rename = "tasks")]
    #[schemars(with = "String")]
    pub size: SizeClass,
    /// The name of the class of run times.
    #[serde(rename = "run_time")]
    #[schemars(with = "String")]
    pub length: LengthClass,
    /// How many.
    pub jobs: usize,
    /// Their mean wait, in seconds.
    #[serde(rename = "mean_wait_s")]
    pub mean_wait: f64,
    /// Their mean bounded stretch, with the first tau.
    pub mean_bounded_stretch: f64,
    /// Their largest bounded stretch, with the first tau.
    pub max_bounded_stretch: f64,
}

/// Adds up the jobs of each class.
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
    /// Of no jobs, with this tau.
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

    /// The classes that have jobs, by size, then length.
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
