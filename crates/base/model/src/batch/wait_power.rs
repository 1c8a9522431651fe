//! Orders that a search finds for a plan of the whole queue.

/// Power of the waits whose sum a search for the order of the queue minimises (Kopanski and Rzadca
/// 2021, sections 3.2 and 3.3, plan-1, plan-2 and plan-3; after Zheng et al. 2016).
///
/// These rules determine the order of the queue in each cycle that plans. They are complete, so
/// that the same situation always has the same order.
///
/// 1. *Jobs.* Jobs that a limit of the site blocks keep their places. If fewer than two others wait, or
///    none of them fits now beside the running jobs, the queue keeps its order.
/// 2. *Score.* The plan of an order gives each job in turn the earliest slot beside the running jobs and
///    the jobs before it in the order. The wait of a job is that from its submission to its slot in whole
///    seconds, at most 2^32 - 1, which also is the wait of a job without a slot. The score is the sum of
///    the waits to the power; the less the better.
/// 3. *Priorities.* No job is before one of a higher priority of the site.
/// 4. *Few jobs.* Of at most [`WaitPower::MOST_EXHAUSTIVE`] jobs, all permutations are tried, in the
///    lexicographic order of their places in the queue. The first with the least score is the order.
/// 5. *Candidates.* Otherwise these orders are tried, with ties in the order of the queue: the queue
///    itself; by tasks, descending and ascending; by estimate, ascending and descending; and for each
///    resource of the whole cluster, in the order of the platform: by the job's amount, descending and
///    ascending, and by its amount for each task, descending and ascending. The first with the least score
///    is the present order, and the best one so far. If all scores are equal it is the order.
/// 6. *Annealing.* The temperature is the largest minus the least score of the candidates. There are
///    [`WaitPower::COOLING_STEPS`] steps of [`WaitPower::TRIALS`] trials; after each step the temperature
///    is multiplied by 0.9, and it is at least 1. A trial draws three numbers of 64 bits. With the first
///    two, times the number of jobs divided by 2^64, it swaps two jobs of the present order, unless they
///    are the same or have different priorities, which ends the trial. From the third it makes u = (its
///    upper 53 bits + 1) / 2^53. The new order becomes the present one if its score, rounded to a number
///    of double precision, is below the present score - temperature * ln(u) (Metropolis), and the best
///    one if its score is less than that of the best one. The best one is the order.
/// 7. *Numbers.* They are those of SplitMix64 (Steele, Lea and Flood 2014), whose first state in each
///    cycle is the time in microseconds.
///
/// The paper draws the third number only for an order that is no better, seeds its generator once, and
/// stops after 20 s. It sorts by the burst buffer of each processor, and by the ratio of that to the number
/// of processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaitPower {
    /// Sum of the waits. A job may wait for ever.
    One,
    /// Sum of the squares of the waits.
    Two,
    /// Sum of the cubes of the waits.
    Three,
}

impl WaitPower {
    /// Largest number of jobs of which all permutations are tried.
    pub const MOST_EXHAUSTIVE: usize = 5;
    /// Number of temperatures.
    pub const COOLING_STEPS: u32 = 30;
    /// Number of trials at each temperature.
    pub const TRIALS: u32 = 6;
    /// Ratio of a temperature to the one before.
    pub const COOLING_RATE: f64 = 0.9;

    /// Returns the exponent.
    #[must_use]
    pub fn exponent(self) -> u32 {
        match self {
            WaitPower::One => 1,
            WaitPower::Two => 2,
            WaitPower::Three => 3,
        }
    }

    /// Parses an exponent.
    pub(super) fn parse(text: &str) -> Option<WaitPower> {
        [WaitPower::One, WaitPower::Two, WaitPower::Three]
            .into_iter()
            .find(|power| power.exponent().to_string() == text)
    }
}
