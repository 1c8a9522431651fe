//! `dfrsim log info`

use super::remarks::{Contents, remarks};
use super::suggestions::suggestions;
use crate::arguments::LogArguments;
use crate::commands::distribution;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Answer, print_account};
use chrono::DateTime;
use clap::Args;
use dfrsim_cluster::Distribution;
use dfrsim_model::SimTime;
use dfrsim_model::account::AccountSummary;
use dfrsim_workload::log::Header;
use dfrsim_workload::prepare::{self, Anomaly, JobStream, Log, Options, Report};
use dfrsim_workload::traces;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// Show what a log or a Batsim workload contains, what is unusual in it, and how to simulate it
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  dfrsim log info KTH-SP2-1996-2.1-cln.swf.gz")]
pub(crate) struct Info {
    /// Log to describe: SWF, GWF, the output of sacct, accounting of PBS, a workload of Batsim, or with
    /// --columns a table; recognised by its content
    #[arg(value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    #[command(flatten)]
    log: LogArguments,
    /// Number of processors of the machine, for the load; by default the header's MaxProcs
    #[arg(long, value_name = "N")]
    nodes: Option<u32>,
}

/// Contents of a log.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DescribedLog {
    file: String,
    /// The computer, from the header.
    computer: Option<String>,
    /// The installation, from the header.
    installation: Option<String>,
    /// The number of nodes of the machine, from the header.
    nodes: Option<u64>,
    /// The number of processors of the machine, from the header.
    processors: Option<u64>,
    /// Account of the lines.
    account: AccountSummary,
    lines: Lines,
    first_submission: LogTime,
    last_submission: LogTime,
    /// The number of weeks in which jobs were submitted.
    weeks: usize,
    /// The offered load: processors * run time / (machine * span).
    offered_load: Option<f64>,
    /// The distribution of job sizes over all jobs.
    job_processors: Option<Distribution>,
    /// The distribution of run times over all jobs.
    run_time_s: Option<Distribution>,
    /// The distribution of requested times over the jobs that have one.
    requested_time_s: Option<Distribution>,
    /// Remarks to consider before simulating the log.
    remarks: Vec<String>,
    /// Commands that simulate the log.
    suggestions: Vec<String>,
}

/// Counts of lines.
#[derive(Debug, Serialize, JsonSchema)]
struct Lines {
    /// Lines with a record.
    records: u64,
    /// Lines that became jobs.
    jobs: u64,
    /// Lines outside of the selected range.
    not_selected: u64,
    /// Lines that cannot be parsed.
    broken: u64,
    out_of_order: u64,
    /// Anomalous lines, by the name of the rule, for rules that apply to a line.
    anomalies: BTreeMap<&'static str, Treated>,
    /// All counts as text.
    #[serde(rename = "summary")]
    words: String,
}

/// Anomalous lines, by their treatment.
#[derive(Debug, Serialize, JsonSchema)]
struct Treated {
    kept: u64,
    clamped: u64,
    dropped: u64,
}

/// Time of the log.
#[derive(Debug, Serialize, JsonSchema)]
struct LogTime {
    second: u64,
    /// The date, if the header has the start of the log: `2002-07-28 13:50:03 UTC`.
    date: Option<String>,
}

impl Info {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let path = traces::locate(&self.file).map_err(Failure::input)?;
        let options = Options { units: self.nodes, ..self.log.options() };
        let work = |jobs: &mut JobStream<Log>| {
            let mut contents = Contents::default();
            let header = jobs.header().clone();
            while let Some((job, record)) = jobs.next_with_record() {
                contents.add(&job, &record);
            }
            (header, contents)
        };
        let read = prepare::with_jobs(&path, &options, work);
        let ((header, contents), report) = read.map_err(|error| self.log.failure(&error))?;
        let Some((first, last)) = contents.span() else {
            print_account(&path, &report.account().summary());
            return Err(self.log.no_jobs(&path));
        };
        let processors =
            self.nodes.or_else(|| header.max_procs().and_then(|count| u32::try_from(count).ok()));
        context.print(&DescribedLog {
            file: path.display().to_string(),
            computer: header.computer().map(str::to_owned),
            installation: header.installation().map(str::to_owned),
            nodes: header.max_nodes(),
            processors: header.max_procs(),
            account: report.account().summary(),
            lines: Lines::of(&report),
            first_submission: LogTime::new(&header, first),
            last_submission: LogTime::new(&header, last),
            weeks: contents.weeks(),
            offered_load: processors.and_then(|count| contents.offered.load(count).ok()),
            job_processors: contents.processors.distribution(),
            run_time_s: contents.run_times.distribution(),
            requested_time_s: contents.requested_times.distribution(),
            remarks: remarks(&header, &contents, &report),
            suggestions: suggestions(
                (self.file.as_path(), self.log.columns()),
                &header,
                &contents,
                self.nodes,
            ),
        })
    }
}

impl Answer for DescribedLog {
    fn text(&self) -> String {
        let mut text: String =
            self.account.paragraphs(&self.file).iter().map(|line| format!("{line}\n")).collect();
        text.push('\n');
        let mut line = |name: &str, value: String| {
            text += &format!("{name:<18} {value}\n");
        };
        let known = [("computer", &self.computer), ("installation", &self.installation)];
        for (name, value) in known.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?))) {
            line(name, value.clone());
        }
        let machine = [("nodes", self.nodes), ("processors", self.processors)];
        for (name, value) in machine.into_iter().filter_map(|(name, value)| Some((name, value?))) {
            line(name, value.to_string());
        }
        line("first submission", self.first_submission.to_string());
        line("last submission", self.last_submission.to_string());
        line("weeks", self.weeks.to_string());
        if let Some(offered) = self.offered_load {
            line("offered load", format!("{offered:.4}"));
        }
        line("", distribution::heading());
        let figures = [
            ("processors", self.job_processors),
            ("run time [s]", self.run_time_s),
            ("requested [s]", self.requested_time_s),
        ];
        for (name, values) in figures.into_iter().filter_map(|(name, values)| Some((name, values?))) {
            line(name, distribution::line(&values));
        }
        for (title, paragraphs) in [("remarks", &self.remarks), ("to simulate it", &self.suggestions)] {
            if !paragraphs.is_empty() {
                text += &format!("\n{title}\n");
            }
            for paragraph in paragraphs {
                text += &format!("  {paragraph}\n");
            }
        }
        text
    }
}

impl Lines {
    fn of(report: &Report) -> Lines {
        let counted = Anomaly::ALL.iter().map(|&anomaly| (anomaly, report.counts.of(anomaly)));
        let treated = counted.filter(|(_, counts)| counts.kept + counts.clamped + counts.dropped > 0);
        Lines {
            records: report.counts.records,
            jobs: report.counts.jobs,
            not_selected: report.counts.outside,
            broken: report.read.broken,
            out_of_order: report.read.out_of_order,
            anomalies: treated
                .map(|(anomaly, counts)| {
                    let (kept, clamped, dropped) = (counts.kept, counts.clamped, counts.dropped);
                    (anomaly.name(), Treated { kept, clamped, dropped })
                })
                .collect(),
            words: report.to_string(),
        }
    }
}

impl LogTime {
    /// Converts a submit time to the second of the log, with its date if the header has the log's
    /// start time.
    fn new(header: &Header, submit: SimTime) -> LogTime {
        let second = submit.micros() / 1_000_000;
        let begin = header.unix_start_time().filter(|&begin| begin > 0);
        let time = begin.and_then(|begin| DateTime::from_timestamp(begin.checked_add_unsigned(second)?, 0));
        let date = time.map(|time| time.format("%Y-%m-%d %H:%M:%S UTC").to_string());
        LogTime { second, date }
    }
}

impl fmt::Display for LogTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "second {}", self.second)?;
        self.date.iter().try_for_each(|date| write!(f, ", {date}"))
    }
}
