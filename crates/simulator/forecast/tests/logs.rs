//! Backtests on logs of real machines, which `scripts/check/logs` runs.

use dfrsim_cluster::{Conditions, EstimateModel, Followers, Options, Overrun, SummaryOptions};
use dfrsim_forecast::backtest::{History, MomentRows, Predictor, outcomes, said_within_hour};
use dfrsim_forecast::draw::Correlation;
use dfrsim_forecast::forecast::Method;
use dfrsim_forecast::schedule::Schedule;
use dfrsim_forecast::score::{Calibration, Scores};
use dfrsim_model::{Job, Seed, SimTime};
use dfrsim_policies::batch::Backfilling;
use dfrsim_policies::{PolicyOptions, Setup};
use dfrsim_workload::prepare::{self, Opened};
use dfrsim_workload::traces;
use std::path::Path;
use std::time::Instant;

fn read(log: &str, nodes: u32) -> Vec<Job> {
    let path = traces::locate(Path::new(log)).unwrap();
    let opened = Opened::open(&path, &prepare::Options::default()).unwrap().with_units(nodes);
    opened.with_jobs(|jobs| jobs.collect()).unwrap().0
}

fn setup(nodes: u32) -> Setup {
    let options =
        Options { estimates: EstimateModel::Requested, overrun: Overrun::Kill, ..Options::default() };
    let policy = (Backfilling::Easy.into(), PolicyOptions::default());
    Setup::new(policy, nodes, Conditions::default(), options, SummaryOptions::new(nodes))
}

fn print(name: &str, moments: &[MomentRows]) {
    for &predictor in Predictor::ALL {
        let it = Scores::of(&outcomes(moments, predictor));
        println!(
            "{name} {predictor:<35} covers {:.3} ({:.3} {:.3}) below {:.3} above {:.3} log {:.3} min {:.1} error {:.1} logerr {:.3}",
            it.coverage.mean,
            it.coverage.low,
            it.coverage.high,
            it.below,
            it.above,
            it.log_loss.mean,
            it.loss_in_minutes,
            it.error_in_minutes,
            it.log_error
        );
    }
    println!("{name} {:?}", Calibration::of(&said_within_hour(moments)));
}

#[test]
#[ignore = "needs logs of real machines"]
fn bars() {
    let logs = [
        ("KTH-SP2-1996-2.1-cln.swf.gz", 100),
        ("SDSC-SP2-1998-4.2-cln.swf.gz", 128),
        ("CTC-SP2-1996-3.1-cln.swf.gz", 338),
        ("HPC2N-2002-2.1-cln.swf.gz", 240),
    ];
    let only = std::env::var("LOG").unwrap_or_default();
    let number = |name: &str, usual: usize| std::env::var(name).map_or(usual, |it| it.parse().unwrap());
    let (count, draws, seed) = (number("MOMENTS", 200), number("DRAWS", 200), number("SEED", 1));
    for (log, nodes) in logs.into_iter().filter(|(log, _)| log.contains(&only)) {
        let (setup, begin) = (setup(nodes), Instant::now());
        let schedule = Schedule::simulate(&setup, read(log, nodes), Followers::default()).unwrap();
        let history = History::of(&schedule);
        let (first, last) = history.span().unwrap();
        let half = SimTime::from_micros(first.micros() + last.since(first).micros() / 2);
        let (moments, idle) = history.draw_moments((half, last), count, Seed::new(seed as u64));
        println!("{log}: {} moments, {idle} idle, {:?}", moments.len(), begin.elapsed());
        for correlation in [Correlation::default(), Correlation::NONE] {
            let method = Method { draws: draws as u32, correlation, ..Method::default() };
            let begin = Instant::now();
            let compared = history.backtest(&setup, &moments, (method, Seed::default()), || ()).unwrap();
            let differing: usize = compared.iter().map(|it| it.differing).sum();
            println!("{correlation:?} {differing} differ, {:?}", begin.elapsed());
            print(&log[..5], &compared);
            if let Ok(folder) = std::env::var("CSV") {
                let mut text = String::new();
                for moment in &compared {
                    for row in &moment.rows {
                        text += &format!(
                            "{} {} {}",
                            moment.at,
                            row.outcome(moment.at, Predictor::Forecast).actual,
                            row.within_hour
                        );
                        for &predictor in Predictor::ALL {
                            text += &format!(" {:?}", row.outcome(moment.at, predictor).predicted)
                                .replace(['[', ']', ','], "");
                        }
                        text.push('\n');
                    }
                }
                std::fs::write(format!("{folder}/{}.txt", &log[..5]), text).unwrap();
            }
            if std::env::var("INDEPENDENT").is_err() {
                break;
            }
        }
    }
}
