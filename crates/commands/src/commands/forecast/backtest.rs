//! Answer with the comparison of forecasts and actual starts.

use super::assessed::Assessed;
use crate::output::{counted, table};
use dfrsim_forecast::backtest::{Assessment, Predictor, SnapshotRows, forecasts_within_hour, outcomes};
use dfrsim_forecast::score::{Calibration, Interval, LEVELS, Scores};
use dfrsim_policies::Policy;
use schemars::JsonSchema;
use serde::Serialize;

/// Comparison of the forecasts of many snapshots with the actual starts.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Backtested {
    policy: String,
    /// Number of simulations of a snapshot.
    draws: u32,
    /// Number of snapshots with waiting jobs. All have the same weight.
    moments: usize,
    /// Number of drawn times at which no job waited, and which are not used.
    idle: usize,
    /// Number of waiting jobs, over all snapshots.
    rows: usize,
    /// Number of waiting jobs whose start differs from the schedule even with the true run
    /// times and submissions.
    differing: usize,
    /// Number of waiting jobs that these rules would have started already, although they have
    /// waited for ten minutes.
    startable: usize,
    /// Assessment of the forecasts of the weeks before the snapshots.
    judged: Option<Assessed>,
    /// Scores of each kind of prediction.
    predictors: Vec<Scored>,
    within_hour: WithinHour,
    /// Scores of the forecast by size of the job and by time until the start.
    groups: Vec<GroupScored>,
}

/// Scores of a kind of prediction.
#[derive(Debug, Serialize, JsonSchema)]
struct Scored {
    predictor: String,
    /// Fraction of the starts within the 80 % interval; none for a point prediction.
    coverage: Option<MeanWithInterval>,
    /// Fraction of the starts before the interval.
    below: Option<f64>,
    /// Fraction of the starts after the interval.
    above: Option<f64>,
    /// Pinball loss in log time, with waits of less than a minute counted as a minute.
    log_loss: MeanWithInterval,
    /// Pinball loss in minutes.
    loss_minutes: f64,
    /// Absolute error of the median in log time.
    log_error: f64,
    /// Median absolute error of the medians of a snapshot, in minutes, averaged over the
    /// snapshots.
    error_minutes: f64,
}

/// Mean with a 90 % interval of the block bootstrap over snapshots.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
struct MeanWithInterval {
    mean: f64,
    low: f64,
    high: f64,
}

/// Calibration of the probability of a start within an hour.
#[derive(Debug, Serialize, JsonSchema)]
struct WithinHour {
    /// Mean absolute difference between forecast probability and observed frequency, over ten
    /// classes of probabilities.
    error: f64,
    /// Mean forecast probability of the forecasts from 20 to 60 %.
    said_20_to_60: f64,
    /// Observed frequency of starts within an hour for the forecasts from 20 to 60 %.
    happened_20_to_60: f64,
}

/// Scores of the forecast for a group of jobs.
#[derive(Debug, Serialize, JsonSchema)]
struct GroupScored {
    group: String,
    rows: usize,
    coverage: f64,
    log_loss: f64,
    /// Pinball loss in log time, divided by that of the plan by requested times.
    by_plan: f64,
}

impl From<Interval> for MeanWithInterval {
    fn from(it: Interval) -> MeanWithInterval {
        MeanWithInterval { mean: it.mean, low: it.low, high: it.high }
    }
}

impl Scored {
    fn new(predictor: Predictor, snapshots: &[SnapshotRows]) -> Scored {
        let scores = Scores::of(&outcomes(snapshots, predictor));
        let is_interval = !POINTS.contains(&predictor);
        Scored {
            predictor: predictor.to_string(),
            coverage: is_interval.then(|| scores.coverage.into()),
            below: is_interval.then_some(scores.below),
            above: is_interval.then_some(scores.above),
            log_loss: scores.log_loss.into(),
            loss_minutes: scores.loss_in_minutes,
            log_error: scores.log_error,
            error_minutes: scores.error_in_minutes,
        }
    }
}

/// Predictions of a single time, without an interval.
const POINTS: [Predictor; 4] =
    [Predictor::PlanByRequests, Predictor::PlanByMedians, Predictor::PlanByLastTwo, Predictor::SimilarMedian];

/// Classes of sizes and of waits in seconds: a name and the bounds.
const SIZES: [(&str, u32, u32); 3] =
    [("1 task", 1, 1), ("2 to 16 tasks", 2, 16), ("more than 16 tasks", 17, u32::MAX)];
const WAITS: [(&str, f64, f64); 3] = [
    ("starts within 1 h", 0.0, 3_600.0),
    ("1 h to 1 d", 3_600.0, 86_400.0),
    ("after 1 d", 86_400.0, f64::INFINITY),
];

impl Backtested {
    pub(super) fn new(
        snapshots: &[SnapshotRows],
        idle: usize,
        assessment: Option<Assessment>,
        (draws, policy): (u32, &Policy),
    ) -> Backtested {
        let calibration = Calibration::of(&forecasts_within_hour(snapshots));
        let sizes = SIZES
            .iter()
            .map(|&(name, least, most)| group(name, snapshots, &|tasks, _| (least..=most).contains(&tasks)));
        let waits = WAITS
            .iter()
            .map(|&(name, least, most)| group(name, snapshots, &|_, wait| least <= wait && wait < most));
        Backtested {
            policy: policy.to_string(),
            draws,
            moments: snapshots.len(),
            idle,
            rows: snapshots.iter().map(|it| it.rows.len()).sum(),
            differing: snapshots.iter().map(|it| it.differing).sum(),
            startable: snapshots.iter().map(|it| it.startable).sum(),
            judged: assessment.map(Assessed::new),
            predictors: Predictor::ALL.iter().map(|&it| Scored::new(it, snapshots)).collect(),
            within_hour: WithinHour {
                error: calibration.error,
                said_20_to_60: calibration.mean_between,
                happened_20_to_60: calibration.frequency_between,
            },
            groups: sizes.chain(waits).flatten().collect(),
        }
    }

    /// Returns the smallest log loss of the selected kinds of predictions.
    fn least(&self, is_meant: impl Fn(&Scored) -> bool) -> Option<&Scored> {
        let meant = self.predictors.iter().filter(|it| is_meant(it));
        meant.min_by(|a, b| a.log_loss.mean.total_cmp(&b.log_loss.mean))
    }

    pub(super) fn text(&self) -> String {
        let Backtested { policy, draws, moments, idle, rows, differing, startable, judged, .. } = self;
        let mut text = format!(
            "{policy}: {} with {} waiting, and {idle} without any; {} of each\n\
             {differing} of {rows} starts differ from the schedule even with the true run times and submissions\n",
            counted(*moments, "moment"),
            counted(*rows, "job"),
            counted(*draws as usize, "simulation"),
        );
        if *startable > 0 {
            text += &format!(
                "{startable} jobs had waited for over 10 minutes, although they could start under these rules\n"
            );
        }
        if let Some(judged) = judged {
            text += &judged.text();
        }
        text.push('\n');
        let number = |value: f64| format!("{value:.3}");
        let optional = |value: Option<f64>| value.map(number).unwrap_or_default();
        let bounds = |it: &MeanWithInterval| format!("{:.3} ({:.3} to {:.3})", it.mean, it.low, it.high);
        let line = |it: &Scored| {
            [
                it.predictor.clone(),
                it.coverage.as_ref().map(bounds).unwrap_or_default(),
                optional(it.below),
                optional(it.above),
                bounds(&it.log_loss),
                number(it.log_error),
                format!("{:.1}", it.loss_minutes),
                format!("{:.1}", it.error_minutes),
            ]
        };
        let heading = [
            "prediction",
            "80 % covers",
            "before",
            "after",
            "log loss",
            "log error",
            "loss min",
            "error min",
        ];
        text += &table(heading, self.predictors.iter().map(line));
        text.push('\n');
        text += &self.ratios();
        let group = |it: &GroupScored| {
            [
                it.group.clone(),
                it.rows.to_string(),
                number(it.coverage),
                number(it.log_loss),
                number(it.by_plan),
            ]
        };
        text.push('\n');
        text += &table(
            ["forecast of", "jobs", "80 % covers", "log loss", "by plan by requests"],
            self.groups.iter().map(group),
        );
        let WithinHour { error, said_20_to_60, happened_20_to_60 } = &self.within_hour;
        text += &format!(
            "\nwithin an hour: calibration error {error:.3}; forecasts from 20 to 60 %: mean {said_20_to_60:.2}, observed {happened_20_to_60:.2}\n"
        );
        text
    }

    /// Compares the forecast with the best of the other predictions, and names the groups in
    /// which it is worse.
    fn ratios(&self) -> String {
        let Some(forecast) = self.predictors.first() else { return String::new() };
        let points = POINTS.map(|it| it.to_string());
        let is_point = |it: &Scored| points.contains(&it.predictor);
        let is_corrected = |it: &Scored| it.predictor.ends_with("own errors");
        let is_statistical = |it: &Scored| {
            let names = [Predictor::SimilarWaits, Predictor::Bounds].map(|it| it.to_string());
            names.contains(&it.predictor)
        };
        let mut text = String::new();
        let mut compare = |what: &str, best: Option<&Scored>| {
            if let Some(best) = best {
                let ratio = forecast.log_loss.mean / best.log_loss.mean;
                let worse = if ratio > 1.0 { ": the forecast is worse" } else { "" };
                text += &format!("log loss / {what} ({}): {ratio:.2}{worse}\n", best.predictor);
            }
        };
        compare("best point prediction", self.least(is_point));
        compare("best plan with its own past errors", self.least(is_corrected));
        compare("best of past waits", self.least(is_statistical));
        let used = self.judged.as_ref().filter(|judged| !judged.is_described());
        let used = used.and_then(|judged| self.predictors.iter().find(|it| judged.is_used(&it.predictor)));
        if let Some((used, best)) = used.zip(self.least(is_statistical)) {
            let ratio = used.log_loss.mean / best.log_loss.mean;
            text += &format!(
                "log loss of the prediction used ({}) / best of past waits: {ratio:.2}\n",
                used.predictor
            );
        }
        let plan = self.predictors.iter().find(|it| it.predictor == Predictor::PlanByRequests.to_string());
        if let Some(plan) = plan {
            let ratio = forecast.error_minutes / plan.error_minutes;
            let worse = if ratio > 1.0 { ": the forecast is worse" } else { "" };
            text += &format!("median error in minutes / plan by requests: {ratio:.2}{worse}\n");
        }
        text
    }
}

/// Scores the forecast for the jobs whose size and wait are selected; `None` if there are none.
fn group(name: &str, snapshots: &[SnapshotRows], is_meant: &dyn Fn(u32, f64) -> bool) -> Option<GroupScored> {
    let of = |predictor| {
        let all = snapshots.iter().map(|snapshot| {
            let rows = snapshot.rows.iter().map(|row| (row.job.tasks, row.outcome(snapshot.at, predictor)));
            rows.filter(|(tasks, it)| is_meant(*tasks, it.actual)).map(|(_, it)| it).collect()
        });
        all.collect::<Vec<Vec<_>>>()
    };
    let forecast = of(Predictor::Forecast);
    let rows = forecast.iter().map(Vec::len).sum();
    let (scores, plan) = (Scores::of(&forecast), Scores::of(&of(Predictor::PlanByRequests)));
    (rows > 0).then(|| GroupScored {
        group: name.to_owned(),
        rows,
        coverage: scores.coverage.mean,
        log_loss: scores.log_loss.mean,
        by_plan: scores.log_loss.mean / plan.log_loss.mean,
    })
}

/// Formats all predictions as the CSV file of `--out`.
pub(super) fn csv(snapshots: &[SnapshotRows]) -> String {
    let mut text = String::from("at_s,job,tasks,wait_s,prediction");
    LEVELS.iter().for_each(|level| text += &format!(",wait_{:.0}_s", 100.0 * level));
    text.push('\n');
    for snapshot in snapshots {
        for row in &snapshot.rows {
            for &predictor in Predictor::ALL {
                let it = row.outcome(snapshot.at, predictor);
                let [low, median, high] = it.predicted;
                text += &format!(
                    "{},{},{},{},{predictor},{low},{median},{high}\n",
                    snapshot.at, row.job.id, row.job.tasks, it.actual
                );
            }
        }
    }
    text
}
