//! Counts and times the calls of MCB, grouped by the number of jobs to place, as at the end of
//! section 5.4 of the dissertation, and checks the published claims: `census [PENALTY [POLICY]]`.
//!
//! `MCB*/OPT=MIN`, or another fractional policy that uses MCB, is simulated on the 100 unscaled
//! traces of the Lublin model, with no penalty or with one of `PENALTY` seconds, on one thread. Only
//! the packer is timed, without the ranking of the jobs before it and the sharing of the remaining
//! CPU after it.

use dfrsim_cluster::{Options, SimulationError, simulate};
use dfrsim_lab::{Claim, Verdict};
use dfrsim_model::SimSpan;
use dfrsim_policies::PolicyOptions;
use dfrsim_policies::fractional::{Fractional, FractionalScheduler, McbProbe};
use dfrsim_workload::lublin::{LublinParameters, generate, trace_seed};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Number of traces of a scenario.
const TRACES: u32 = 100;
const SEED: u64 = 1;

/// Values that section 5.4 publishes for MCB\*: the calls, the percentage of calls for at most `FEW`
/// jobs, and the maximum number of jobs of a call.
const FEW: usize = 10;
const PUBLISHED_CALLS: u64 = 197_808;
const PUBLISHED_FEW_PERCENT: f64 = 67.25;
const PUBLISHED_MOST: usize = 102;

const MILLISECOND: Duration = Duration::from_millis(1);
/// Fraction of the calls that may exceed the published time, since the machine runs other programs
/// too.
const TOLERATED_SLOW_FRACTION: f64 = 0.001;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let penalty = arguments.next().map_or(Ok(SimSpan::ZERO), |text| text.parse())?;
    let policy = arguments.next().unwrap_or_else(|| "MCB*/OPT=MIN".to_owned());
    let policy = Fractional::parse(&policy).ok_or_else(|| format!("{policy}: not a fractional policy"))?;
    let census = Census::measure(policy, penalty, TRACES, &LublinParameters::default())?;
    if census.all().count == 0 {
        return Err(format!("{policy} never calls MCB").into());
    }
    print!("{}", census.text());
    Ok(())
}

/// MCB calls, grouped by the number of jobs to place.
#[derive(Debug, Default)]
struct Census {
    by_jobs: BTreeMap<usize, Calls>,
}

/// Count and durations of a set of calls.
#[derive(Clone, Copy, Debug, Default)]
struct Calls {
    count: u64,
    /// Total time of the calls.
    time: Duration,
    /// Time of the longest call.
    longest: Duration,
    /// Number of calls that took a millisecond or more.
    slow: u64,
}

impl Calls {
    /// Returns the mean time of a call in microseconds; 0 if there are no calls.
    fn mean_micros(&self) -> f64 {
        if self.count == 0 { 0.0 } else { micros(self.time) / self.count as f64 }
    }

    fn add(&mut self, other: Calls) {
        self.count += other.count;
        self.time += other.time;
        self.longest = self.longest.max(other.longest);
        self.slow += other.slow;
    }
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Probe that times MCB; the time includes neither the ranking of the jobs nor the second phase.
#[derive(Debug)]
struct CallTimer {
    census: Rc<RefCell<Census>>,
    begin: Option<(usize, Instant)>,
}

impl McbProbe for CallTimer {
    fn begin(&mut self, jobs: usize) {
        self.begin = Some((jobs, Instant::now()));
    }
    fn end(&mut self) {
        let Some((jobs, begin)) = self.begin.take() else { return };
        let time = begin.elapsed();
        let call = Calls { count: 1, time, longest: time, slow: u64::from(time >= MILLISECOND) };
        self.census.borrow_mut().by_jobs.entry(jobs).or_default().add(call);
    }
}

impl Census {
    /// Simulates the policy on the given number of traces, one after another.
    fn measure(
        policy: Fractional,
        penalty: SimSpan,
        traces: u32,
        parameters: &LublinParameters,
    ) -> Result<Census, SimulationError> {
        let census = Rc::new(RefCell::new(Census::default()));
        let nodes = parameters.nodes.get();
        let options = Options { penalty, ..Options::default() };
        for trace in 0..traces {
            let timer = Box::new(CallTimer { census: Rc::clone(&census), begin: None });
            let mut scheduler =
                FractionalScheduler::new(policy, nodes, PolicyOptions::default(), None).with_probe(timer);
            let jobs = generate(parameters, trace_seed(SEED, trace));
            simulate(nodes, &options, jobs, &mut scheduler, &mut ())?;
        }
        Ok(census.take())
    }

    /// Returns the calls for `least` to `most` jobs, inclusive.
    fn between(&self, least: usize, most: usize) -> Calls {
        let mut all = Calls::default();
        self.by_jobs.range(least..=most).for_each(|(_, calls)| all.add(*calls));
        all
    }

    fn all(&self) -> Calls {
        self.between(0, usize::MAX)
    }

    /// Returns the percentage of the calls that place at most `jobs` jobs.
    fn percent_up_to(&self, jobs: usize) -> f64 {
        100.0 * self.between(0, jobs).count as f64 / self.all().count as f64
    }

    /// Formats the table of calls by ranges of the number of jobs, followed by the checked claims.
    fn text(&self) -> String {
        let ranges = [
            ("0-10", 0, 10),
            ("11-20", 11, 20),
            ("21-50", 21, 50),
            ("51-100", 51, 100),
            ("101 on", 101, usize::MAX),
            ("all", 0, usize::MAX),
        ];
        let mut text = String::from("    jobs      calls  of all, %  mean, us  longest, us\n");
        for (name, least, most) in ranges {
            let calls = self.between(least, most);
            let percent = 100.0 * calls.count as f64 / self.all().count as f64;
            let (count, mean, longest) = (calls.count, calls.mean_micros(), micros(calls.longest));
            text += &format!("{name:>8} {count:>10} {percent:>10.2} {mean:>9.1} {longest:>12.0}\n");
        }
        for Claim { claim, verdict, detail, .. } in self.claims() {
            text += &format!("{verdict}: {claim} ({detail})\n");
        }
        text
    }

    /// Checks the published claims about the calls against this profile.
    fn claims(&self) -> [Claim; 3] {
        const SOURCE: &str = "dissertation, section 5.4";
        let (all, few, many) = (self.all(), self.between(0, FEW), self.between(FEW + 1, usize::MAX));
        let most = self.by_jobs.last_key_value().map_or(0, |(jobs, _)| *jobs);
        let percent = self.percent_up_to(FEW);
        let claim = |text: &str, holds, detail| Claim::new(SOURCE, text, Verdict::from_bool(holds), detail);
        [
            claim(
                "About 200,000 calls, two thirds of them for 10 jobs or fewer, the others for up to about 100",
                (all.count as f64 / PUBLISHED_CALLS as f64 - 1.0).abs() <= 0.1
                    && (percent - PUBLISHED_FEW_PERCENT).abs() <= 5.0
                    && (most as f64 / PUBLISHED_MOST as f64 - 1.0).abs() <= 0.1,
                format!(
                    "{} calls, {percent:.2} %, at most {most} jobs; published: {PUBLISHED_CALLS}, {PUBLISHED_FEW_PERCENT} %, {PUBLISHED_MOST}",
                    all.count
                ),
            ),
            claim(
                "999 of 1,000 calls for 10 jobs or fewer take less than 1 ms",
                few.slow as f64 <= TOLERATED_SLOW_FRACTION * few.count as f64,
                format!("{} of {} take longer; {:.1} us on average", few.slow, few.count, few.mean_micros()),
            ),
            claim(
                "A call for more jobs takes 0.25 s on average and less than 4.5 s",
                many.mean_micros() <= 0.25e6 && many.longest < Duration::from_millis(4_500),
                format!("{:.1} us on average, {:.0} us at most", many.mean_micros(), micros(many.longest)),
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MCB\* places all jobs at each submission and completion, except if several coincide or the
    /// last job has left.
    #[test]
    fn every_event_is_counted_once() {
        let parameters = LublinParameters { jobs: 200, ..LublinParameters::default() };
        let measure = |name: &str| {
            let policy = Fractional::parse(name).unwrap();
            Census::measure(policy, SimSpan::ZERO, 2, &parameters).unwrap()
        };
        let census = measure("MCB*/OPT=MIN");
        let calls = census.all().count;
        assert!((700..=798).contains(&calls), "{calls}");
        assert_eq!(census.between(0, 5).count + census.between(6, usize::MAX).count, calls);
        let text = census.text();
        assert_eq!(text.lines().count(), 10, "{text}");
        assert!(text.contains("fails: About 200,000 calls"), "{text}");
        assert!(measure("Greedy*/OPT=MIN").by_jobs.is_empty());
    }
}
