//! Backtests on logs of real machines, which `scripts/check/logs` runs.

use dfrsim_cluster::{Conditions, EstimateModel, Followers, Options, Overrun, SummaryOptions};
use dfrsim_forecast::backtest::{History, Predictor, SnapshotRows, forecasts_within_hour, outcomes};
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

/// Backtest of a log with 200 snapshots and simulations.
fn backtest(log: &str, nodes: u32, correlation: Correlation) -> Vec<SnapshotRows> {
    let setup = setup(nodes);
    let schedule = Schedule::simulate(&setup, read(log, nodes), Followers::default()).unwrap();
    let history = History::of(&schedule);
    let (first, last) = history.span().unwrap();
    let half = SimTime::from_micros(first.micros() + last.since(first).micros() / 2);
    let (snapshots, _) = history.draw_snapshots((half, last), 200, Seed::default());
    let method = Method { correlation, ..Method::default() };
    history.backtest(&setup, &snapshots, (method, Seed::default()), || ()).unwrap()
}

fn scores(snapshots: &[SnapshotRows], predictor: Predictor) -> Scores {
    Scores::of(&outcomes(snapshots, predictor))
}

/// Returns the least log loss of some kinds of predictions.
fn least_loss<const N: usize>(snapshots: &[SnapshotRows], predictors: [Predictor; N]) -> f64 {
    predictors.into_iter().map(|it| scores(snapshots, it).log_loss.mean).fold(f64::INFINITY, f64::min)
}

/// Checks the forecasts of a log, and that they cover more than those with independent run times.
fn check(log: &str, nodes: u32) {
    let snapshots = backtest(log, nodes, Correlation::default());
    assert_eq!(snapshots.iter().map(|snapshot| snapshot.differing).sum::<usize>(), 0, "{log}");
    let forecast = scores(&snapshots, Predictor::Forecast);
    let shares = (forecast.coverage.mean, forecast.below, forecast.above);
    println!("{log}: {forecast:?}");
    assert!((0.75..=0.85).contains(&shares.0), "{log}: {shares:?}");
    assert!((0.05..=0.15).contains(&shares.1) && (0.05..=0.15).contains(&shares.2), "{log}: {shares:?}");
    let loss = forecast.log_loss.mean;
    let baselines = least_loss(&snapshots, [Predictor::PlanByRequests, Predictor::SimilarMedian]);
    assert!(loss <= 0.6 * baselines, "{log}: {loss} and {baselines}");
    let corrected = least_loss(
        &snapshots,
        [Predictor::CorrectedRequests, Predictor::CorrectedMedians, Predictor::CorrectedLastTwo],
    );
    assert!(loss <= 0.85 * corrected, "{log}: {loss} and {corrected}");
    let plan = scores(&snapshots, Predictor::PlanByRequests).error_in_minutes;
    assert!(forecast.error_in_minutes <= 0.5 * plan, "{log}: {} and {plan}", forecast.error_in_minutes);
    let said = Calibration::of(&forecasts_within_hour(&snapshots));
    assert!(said.error <= 0.05, "{log}: {said:?}");
    assert!((said.mean_between - said.frequency_between).abs() <= 0.15, "{log}: {said:?}");
    let independent = scores(&backtest(log, nodes, Correlation::NONE), Predictor::Forecast).coverage.mean;
    assert!(independent < shares.0, "{log}: {independent} and {}", shares.0);
}

#[test]
#[ignore = "needs logs: KTH, SDSC-SP2, CTC and HPC2N"]
fn forecasts_of_real_logs_are_calibrated_and_better_than_plans() {
    check("KTH-SP2-1996-2.1-cln.swf.gz", 100);
    check("SDSC-SP2-1998-4.2-cln.swf.gz", 128);
    check("CTC-SP2-1996-3.1-cln.swf.gz", 338);
    check("HPC2N-2002-2.1-cln.swf.gz", 240);
}
