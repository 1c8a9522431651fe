//! `dfrsim census`

mod calls;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Answer, OutputFiles, bar};
use crate::picture_files::PictureFile;
use clap::Args;
use dfrsim_lab::Claim;
use dfrsim_policies::fractional::Fractional;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

/// Count and time the calls of the vector packer MCB, by the number of jobs that it places
///
/// The policy is simulated on traces of the Lublin model, sequentially on one thread, and the packer
/// alone is timed: without the preceding ranking of the jobs and the subsequent sharing of the
/// remaining CPU. The defaults reproduce the profile at the end of section 5.4 of the dissertation,
/// whose claims are checked.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim census
  dfrsim census --penalty 300 --policy MCB*/OPT=MIN/MVT=600
  dfrsim census --replications 10 --out calls.csv --picture census.svg")]
pub(crate) struct Census {
    #[command(flatten)]
    options: calls::CensusOptions,
    /// Table to write: a line for each number of jobs
    #[arg(long, value_name = "FILE.csv", value_hint = clap::ValueHint::AnyPath)]
    out: Option<PathBuf>,
    /// Picture of the distribution to write, and its data with the extension .csv
    #[arg(long, value_name = "FILE.svg|FILE.png", value_hint = clap::ValueHint::AnyPath)]
    picture: Option<PathBuf>,
}

/// Profile of the calls of MCB.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Counted {
    policy: String,
    /// Calls by the number of jobs that they place; the last entry has all calls.
    ranges: Vec<Range>,
    /// The published claims, checked.
    claims: Vec<Checked>,
}

/// Calls in a range of numbers of jobs.
#[derive(Debug, Serialize, JsonSchema)]
struct Range {
    from_jobs: usize,
    /// The largest number of jobs; `null` without a limit.
    to_jobs: Option<usize>,
    calls: u64,
    /// The percentage of all calls in this range.
    calls_percent: f64,
    mean_us: f64,
    longest_us: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Checked {
    source: String,
    claim: String,
    /// `holds`, `fails` or `open`.
    verdict: String,
    /// The values on which the verdict is based.
    detail: String,
}

impl Census {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let picture = self.picture.as_deref().map(PictureFile::new).transpose()?;
        let bar = bar(self.options.replications.into(), "{bar:40} {pos}/{len} traces, {eta} left");
        let taken = calls::Census::measure(&self.options, |done| bar.set_position(done.into()));
        bar.finish_and_clear();
        let census = taken.map_err(Failure::input)?;
        if census.all().count == 0 {
            return Err(Failure::input(format!(
                "--policy {}: this policy never calls MCB; expected one with MCB or /per in its name",
                self.options.policy
            )));
        }
        let mut files = OutputFiles::default();
        if let Some(out) = &self.out {
            files.add_bytes(out, census.csv().into_bytes())?;
        }
        if let Some(figure) = picture.as_ref().zip(dfrsim_plots::draw(&census.drawing())) {
            figure.0.write(&mut files, &figure.1)?;
        }
        files.finish()?;
        context.print(&Counted::new(self.options.policy, &census))
    }
}

impl Counted {
    fn new(policy: Fractional, census: &calls::Census) -> Counted {
        let ranges = [(0, Some(10)), (11, Some(20)), (21, Some(50)), (51, Some(100)), (101, None), (0, None)];
        let range = |(from_jobs, to_jobs): (usize, Option<usize>)| {
            let calls = census.between(from_jobs, to_jobs.unwrap_or(usize::MAX));
            Range {
                from_jobs,
                to_jobs,
                calls: calls.count,
                calls_percent: 100.0 * calls.count as f64 / census.all().count as f64,
                mean_us: calls.mean_micros(),
                longest_us: calls.longest.as_secs_f64() * 1e6,
            }
        };
        let checked = |claim: Claim| {
            let Claim { source, claim, verdict, detail, .. } = claim;
            Checked { source, claim, verdict: verdict.to_string(), detail }
        };
        Counted {
            policy: policy.to_string(),
            ranges: ranges.map(range).into(),
            claims: census.claims().into_iter().map(checked).collect(),
        }
    }
}

impl Answer for Counted {
    fn text(&self) -> String {
        let mut text = String::from("    jobs      calls  of all, %  mean, us  longest, us\n");
        for Range { from_jobs, to_jobs, calls, calls_percent, mean_us, longest_us } in &self.ranges {
            let name = match (from_jobs, to_jobs) {
                (0, None) => "all".to_owned(),
                (from, None) => format!("{from} on"),
                (from, Some(to)) => format!("{from}-{to}"),
            };
            text +=
                &format!("{name:>8} {calls:>10} {calls_percent:>10.2} {mean_us:>9.1} {longest_us:>12.0}\n");
        }
        for Checked { claim, verdict, detail, .. } in &self.claims {
            text += &format!("{verdict}: {claim} ({detail})\n");
        }
        text
    }
}
