//! Classes of jobs by size and by length, since a mean over all jobs hides who pays.

use crate::sample::Sample;
use dfrsim_model::SimSpan;

/// How wide a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SizeClass {
    /// One task.
    Serial,
    /// 2 to 8 tasks.
    Narrow,
    /// 9 to 32 tasks.
    Medium,
    /// More than 32 tasks.
    Wide,
}

/// How long a job runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LengthClass {
    /// At most ten minutes.
    Short,
    /// At most three hours.
    Medium,
    /// Longer than three hours.
    Long,
}

impl SizeClass {
    /// All classes, by rising size.
    pub const ALL: [SizeClass; 4] =
        [SizeClass::Serial, SizeClass::Narrow, SizeClass::Medium, SizeClass::Wide];

    /// The class of a job with this many tasks.
    pub fn of(tasks: u32) -> SizeClass {
        match tasks {
            0..=1 => SizeClass::Serial,
            2..=8 => SizeClass::Narrow,
            9..=32 => SizeClass::Medium,
            33.. => SizeClass::Wide,
        }
    }
    /// A name for tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            SizeClass::Serial => "1",
            SizeClass::Narrow => "2-8",
            SizeClass::Medium => "9-32",
            SizeClass::Wide => ">32",
        }
    }
}

impl LengthClass {
    /// All classes, by rising length.
    pub const ALL: [LengthClass; 3] = [LengthClass::Short, LengthClass::Medium, LengthClass::Long];

    /// The class of a job that runs so long at full speed.
    pub fn of(run_time: SimSpan) -> LengthClass {
        match run_time {
            span if span <= SimSpan::from_secs(600) => LengthClass::Short,
            span if span <= SimSpan::from_secs(3 * 3600) => LengthClass::Medium,
            _ => LengthClass::Long,
        }
    }
    /// A name for tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            LengthClass::Short => "<=10min",
            LengthClass::Medium => "<=3h",
            LengthClass::Long => ">3h",
        }
    }
}

/// The jobs of one class.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassSummary {
    /// Their size.
    pub size: SizeClass,
    /// Their length.
    pub length: LengthClass,
    /// How many.
    pub jobs: usize,
    /// Their mean wait, in seconds.
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
            SizeClass::ALL.into_iter().flat_map(|size| LengthClass::ALL.map(|length| (size, length)));
        classes
            .map(|(size, length)| (size, length, self.totals[size as usize][length as usize]))
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
