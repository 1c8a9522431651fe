//! `dfrsim log info`

use super::remarks::{Contents, remarks};
use super::suggestions::suggestions;
use crate::arguments::LogArguments;
use crate::failure::Failure;
use crate::output::notice;
use crate::{output, utc};
use clap::Args;
use dfrsim_cluster::Distribution;
use dfrsim_model::SimTime;
use dfrsim_workload::log::Header;
use dfrsim_workload::prepare::{self, JobStream, Log, Options};
use dfrsim_workload::traces;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Say what is in a log or a workload of Batsim, what is odd about it, and how to simulate it
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  dfrsim log info KTH-SP2-1996-2.1-cln.swf.gz")]
pub(crate) struct Info {
    /// The log: SWF, GWF (.gwf), what sacct --parsable2 prints (.sacct), or a workload of Batsim (.json)
    file: PathBuf,
    #[command(flatten)]
    log: LogArguments,
    /// The processors of the machine, for the load; the header's MaxProcs if not given
    #[arg(long, value_name = "N")]
    nodes: Option<u32>,
}

impl Info {
    pub(crate) fn run(self) -> Result<(), Failure> {
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
            notice!("{}: {report}", path.display());
            return Err(LogArguments::no_jobs(&path));
        };
        let mut text = String::new();
        let mut line = |name: &str, value: String| {
            writeln!(text, "{name:<18} {value}").expect("writing to a string cannot fail");
        };
        line("file", path.display().to_string());
        let known = [("computer", header.computer()), ("installation", header.installation())];
        for (name, value) in known.into_iter().filter_map(|(name, value)| Some((name, value?))) {
            line(name, value.to_owned());
        }
        let machine = [("nodes", header.max_nodes()), ("processors", header.max_procs())];
        for (name, value) in machine.into_iter().filter_map(|(name, value)| Some((name, value?))) {
            line(name, value.to_string());
        }
        line("lines", report.to_string());
        line("first submission", moment(&header, first));
        line("last submission", moment(&header, last));
        line("weeks", contents.weeks().to_string());
        let processors =
            self.nodes.or_else(|| header.max_procs().and_then(|count| u32::try_from(count).ok()));
        if let Some(offered) = processors.and_then(|count| contents.offered.load(count).ok()) {
            line("offered load", format!("{offered:.4}"));
        }
        line("", format!("{:>14}{:>14}{:>14}{:>14}{:>14}", "mean", "median", "95 %", "99 %", "max"));
        let figures = [
            ("processors", &contents.processors),
            ("run time [s]", &contents.run_times),
            ("requested [s]", &contents.requested_times),
        ];
        for (name, values) in figures {
            if let Some(Distribution { mean, median, p95, p99, max }) = values.distribution() {
                line(name, format!("{mean:>14.2}{median:>14.2}{p95:>14.2}{p99:>14.2}{max:>14.2}"));
            }
        }
        let remarks = remarks(&header, &contents, &report);
        let suggestions = suggestions(Path::new(&self.file), &header, &contents);
        for (title, paragraphs) in [("remarks", remarks), ("to simulate it", suggestions)] {
            if !paragraphs.is_empty() {
                write!(text, "\n{title}\n").expect("writing to a string cannot fail");
            }
            for paragraph in paragraphs {
                writeln!(text, "  {paragraph}").expect("writing to a string cannot fail");
            }
        }
        output::print(&text)
    }
}

/// The second of the log at which a job arrives, with its date where the header tells when the log began.
fn moment(header: &Header, submit: SimTime) -> String {
    let seconds = submit.micros() / 1_000_000;
    let begin = header.unix_start_time().filter(|&begin| begin > 0);
    let date = begin.and_then(|begin| Some(utc::date(begin.checked_add_unsigned(seconds)?)));
    format!("second {seconds}{}", date.map_or_else(String::new, |date| format!(", {date}")))
}
