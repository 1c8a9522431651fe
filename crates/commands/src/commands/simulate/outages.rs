//! Node failures and maintenance windows, as given on the command line.

use crate::failure::Failure;
use clap::Args;
use dfrsim_lab::fields::LocatedFile;
use dfrsim_lab::{DownTimes, DrawnFailures, MaintenanceFields};
use dfrsim_model::platform::file::ClusterNodes;
use dfrsim_model::platform::{Interruption, Outages, Rack, TimeDistribution};
use dfrsim_model::{Seed, SimSpan, SimTime};
use std::error::Error;
use std::path::PathBuf;

/// Node failures and maintenance windows.
#[derive(Args, Debug)]
#[command(next_help_heading = "Outages")]
pub(super) struct OutageArguments {
    /// Failures: a file, CSV or JSONL, with nodes (numbers, or names of a site's nodes), `from_s`, `until_s`, for windows
    /// `announced_s`, and for drained nodes, whose jobs run to their end, `drain`; or BETWEEN,REPAIR: distributions of times in seconds (exponential:MEAN,
    /// weibull:MEAN:SHAPE, lognormal:MEAN:DEVIATION, fixed:MEAN) from which failures are drawn until
    /// the last job arrives
    #[arg(long, value_name = "FILE|BETWEEN,REPAIR", value_hint = clap::ValueHint::FilePath)]
    failures: Option<String>,
    /// Nodes per rack, and the probability that a drawn failure takes the whole rack down
    #[arg(long, value_name = "NODES:PROBABILITY", requires = "failures")]
    rack: Option<Rack>,
    /// Maintenance windows, repeated until the last job arrives, in seconds; by default of all
    /// nodes. May be given several times
    #[arg(long, value_name = "FIRST:EVERY:LENGTH[:NODES]", value_parser = maintenance)]
    maintenance: Vec<MaintenanceFields>,
    /// Time by which a maintenance window is announced in advance; by default two weeks
    #[arg(long, value_name = "SECONDS", default_value = "1209600")]
    notice: SimSpan,
    /// Treatment of jobs on nodes that go down: lose, requeue, or checkpoint:INTERVAL:COST[:RESTART]
    /// in seconds
    #[arg(long, value_name = "RULE", default_value = "requeue")]
    interruption: Interruption,
}

fn maintenance(text: &str) -> Result<MaintenanceFields, Box<dyn Error + Send + Sync>> {
    let expected =
        "expected FIRST:EVERY:LENGTH or FIRST:EVERY:LENGTH:NODES, such as 86400:2592000:28800:0-15";
    let mut words = text.splitn(4, ':');
    let mut span = || words.next().and_then(|word| word.parse::<SimSpan>().ok()).ok_or(expected);
    let (first, every, length) = (span()?, span()?, span()?);
    let nodes = words.next().map(str::parse).transpose()?;
    if length.is_zero() || length >= every {
        return Err("expected a LENGTH above 0 and below EVERY".into());
    }
    Ok(MaintenanceFields { nodes, first, every, length, notice: SimSpan::ZERO })
}

/// Parses the distributions `BETWEEN,REPAIR`; returns `None` if there is no comma.
fn distributions(text: &str) -> Option<Result<(TimeDistribution, TimeDistribution), String>> {
    let (between, repair) = text.split_once(',')?;
    let parse = |text: &str| text.parse::<TimeDistribution>().map_err(|error| error.to_string());
    Some(parse(between).and_then(|between| Ok((between, parse(repair)?))))
}

impl OutageArguments {
    /// Builds the outages of a cluster, `of_site` among them; `None` if its nodes are always up.
    /// Drawn failures and repeated windows begin no later than the last arrival.
    pub(super) fn outages(
        &self,
        nodes: ClusterNodes<'_>,
        of_site: &Outages,
        last_arrival: SimTime,
        seed: u64,
    ) -> Result<Option<Outages>, Failure> {
        if self.failures.is_none() && self.maintenance.is_empty() && of_site.is_empty() {
            return Ok(None);
        }
        let announced = |it: &MaintenanceFields| MaintenanceFields { notice: self.notice, ..it.clone() };
        let maintenance = self.maintenance.iter().map(announced).collect();
        let mut times = DownTimes { maintenance, ..DownTimes::default() };
        match self.failures.as_deref().map(|text| (text, distributions(text))) {
            None => {}
            Some((_, Some(Ok((between, repair))))) => {
                times.failures = Some(DrawnFailures { between, repair, rack: self.rack });
            }
            Some((text, found)) => {
                let path = PathBuf::from(text);
                if let (Some(Err(error)), false) = (found, path.exists()) {
                    return Err(Failure::input(format!("--failures: {error}")));
                }
                if !path.exists() {
                    let message = format!(
                        "--failures: there is no file {text:?}; expected one, or two distributions in seconds, of the time between failures and of the repair: weibull:864000:0.7,lognormal:14400:1"
                    );
                    return Err(Failure::input(message));
                }
                times.file = Some(LocatedFile::new(text, path));
            }
        }
        let outages = times.outages(nodes, last_arrival, Seed::new(seed).fork("outages"));
        let mut outages = outages.map_err(Failure::input)?;
        outages.failures.extend(&of_site.failures);
        outages.drains.extend(&of_site.drains);
        Ok(Some(Outages { interruption: self.interruption, ..outages }))
    }
}
