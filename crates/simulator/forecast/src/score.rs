//! Scores of predictions, averaged by snapshot.

mod bootstrap;

pub use bootstrap::Interval;

use bootstrap::interval;

/// Levels of the quantiles that are scored: the median, and the bounds of the 80 % interval.
pub const LEVELS: [f64; 3] = [0.1, 0.5, 0.9];

/// Shortest wait that is distinguished on the logarithmic scale, in seconds. Whether a job starts
/// in one second or in ten does not matter to users.
pub const SHORTEST_S: f64 = 60.0;

/// Converts seconds to the logarithmic scale.
#[must_use]
pub fn log(seconds: f64) -> f64 {
    seconds.max(SHORTEST_S).ln()
}

/// Prediction of one wait, in seconds: the quantiles of [`LEVELS`].
pub type Quantiles = [f64; 3];

/// Prediction with the actual wait.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Predicted quantiles, in seconds.
    pub predicted: Quantiles,
    /// Wait, in seconds.
    pub actual: f64,
}

impl Outcome {
    /// Returns the pinball loss in log time, averaged over the levels.
    #[must_use]
    pub fn log_loss(&self) -> f64 {
        self.loss(log)
    }

    /// Returns the pinball loss in minutes, averaged over the levels.
    #[must_use]
    pub fn loss_in_minutes(&self) -> f64 {
        self.loss(|seconds| seconds / 60.0)
    }

    fn loss(&self, scale: impl Fn(f64) -> f64) -> f64 {
        let pinball = |(level, predicted): (f64, f64)| {
            let difference = scale(self.actual) - scale(predicted);
            if difference >= 0.0 { level * difference } else { (level - 1.0) * difference }
        };
        LEVELS.into_iter().zip(self.predicted).map(pinball).sum::<f64>() / LEVELS.len() as f64
    }

    /// Returns the absolute error of the median, in minutes.
    #[must_use]
    pub fn error_in_minutes(&self) -> f64 {
        (self.predicted[1] - self.actual).abs() / 60.0
    }

    /// Returns the absolute error of the median in log time.
    #[must_use]
    pub fn log_error(&self) -> f64 {
        (log(self.predicted[1]) - log(self.actual)).abs()
    }

    /// Returns whether the wait is shorter than the interval.
    #[must_use]
    pub fn is_below(&self) -> bool {
        self.actual < self.predicted[0]
    }

    /// Returns whether the wait is longer than the interval.
    #[must_use]
    pub fn is_above(&self) -> bool {
        self.actual > self.predicted[2]
    }
}

/// Scores of a kind of prediction.
#[derive(Clone, Debug)]
pub struct Scores {
    /// Fraction of the waits within the 80 % interval.
    pub coverage: Interval,
    /// Fraction of the waits that are shorter than the interval.
    pub below: f64,
    /// Fraction of the waits that are longer than the interval.
    pub above: f64,
    /// Pinball loss in log time.
    pub log_loss: Interval,
    /// Pinball loss in minutes.
    pub loss_in_minutes: f64,
    /// Absolute error of the median in log time.
    pub log_error: f64,
    /// Median absolute error of the medians of a snapshot, in minutes, averaged over the
    /// snapshots.
    pub error_in_minutes: f64,
}

impl Scores {
    /// Scores predictions, given by snapshot in order of time. All snapshots with predictions
    /// have the same weight.
    #[must_use]
    pub fn of(snapshots: &[Vec<Outcome>]) -> Scores {
        let by_snapshot = |value: &dyn Fn(&Outcome) -> f64| -> Vec<f64> {
            let counted = snapshots.iter().filter(|rows| !rows.is_empty());
            counted.map(|rows| rows.iter().map(value).sum::<f64>() / rows.len() as f64).collect()
        };
        let part = |is: &dyn Fn(&Outcome) -> bool| by_snapshot(&|it| f64::from(u8::from(is(it))));
        Scores {
            coverage: interval(&part(&|it| !it.is_below() && !it.is_above())),
            below: mean(&part(&Outcome::is_below)),
            above: mean(&part(&Outcome::is_above)),
            log_loss: interval(&by_snapshot(&Outcome::log_loss)),
            loss_in_minutes: mean(&by_snapshot(&Outcome::loss_in_minutes)),
            log_error: mean(&by_snapshot(&Outcome::log_error)),
            error_in_minutes: mean(&medians(snapshots, &Outcome::error_in_minutes)),
        }
    }
}

/// Forecast probability of an event, and whether the event occurred.
#[derive(Clone, Copy, Debug)]
pub struct BinaryForecast {
    /// Forecast probability.
    pub probability: f64,
    /// True if the event occurred.
    pub has_occurred: bool,
    /// Weight: 1 / (number of rows of the snapshot).
    pub weight: f64,
}

/// Calibration of probabilities.
#[derive(Clone, Copy, Debug)]
pub struct Calibration {
    /// Expected calibration error: the mean absolute difference between forecast probability
    /// and observed frequency, over ten classes of probabilities.
    pub error: f64,
    /// Mean forecast probability of the forecasts from 20 to 60 %.
    pub mean_between: f64,
    /// Observed frequency of the forecasts from 20 to 60 %.
    pub frequency_between: f64,
}

impl Calibration {
    /// Compares forecast probabilities with observed frequencies.
    #[must_use]
    pub fn of(rows: &[BinaryForecast]) -> Calibration {
        let sums = |rows: &mut dyn Iterator<Item = &BinaryForecast>| {
            rows.fold((0.0, 0.0, 0.0), |(weight, said, happened), row| {
                let came = f64::from(u8::from(row.has_occurred));
                (weight + row.weight, said + row.weight * row.probability, happened + row.weight * came)
            })
        };
        let all: f64 = rows.iter().map(|row| row.weight).sum();
        let error = (0..10).map(|class| {
            let is_of = |row: &&BinaryForecast| ((row.probability * 10.0) as usize).min(9) == class;
            let (_, said, happened) = sums(&mut rows.iter().filter(is_of));
            (said - happened).abs()
        });
        let error = error.sum::<f64>() / all.max(f64::MIN_POSITIVE);
        let is_between = |row: &&BinaryForecast| (0.2..=0.6).contains(&row.probability);
        let (weight, said, happened) = sums(&mut rows.iter().filter(is_between));
        let weight = weight.max(f64::MIN_POSITIVE);
        Calibration { error, mean_between: said / weight, frequency_between: happened / weight }
    }
}

/// Returns the median of a value for each snapshot with a prediction.
fn medians(snapshots: &[Vec<Outcome>], value: &dyn Fn(&Outcome) -> f64) -> Vec<f64> {
    let median = |rows: &Vec<Outcome>| {
        let mut values: Vec<f64> = rows.iter().map(value).collect();
        values.sort_by(f64::total_cmp);
        let half = values.len() / 2;
        if values.len() % 2 == 1 { values[half] } else { (values[half - 1] + values[half]) / 2.0 }
    };
    snapshots.iter().filter(|rows| !rows.is_empty()).map(median).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
