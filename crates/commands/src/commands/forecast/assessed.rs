//! Assessment of the forecasts of the weeks before, as it is printed.

use crate::output::counted;
use dfrsim_forecast::backtest::{Assessment, MIN_COVERAGE};
use schemars::JsonSchema;
use serde::Serialize;

/// Assessment of the forecasts of the weeks before.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Assessed {
    /// Number of snapshots that were forecast.
    moments: usize,
    /// Fraction of the starts within the 80 % intervals, before calibration.
    coverage: f64,
    /// Levels of the simulated starts that are printed as 10, 50 and 90 %.
    levels: [f64; 3],
    /// Kind of prediction that is used.
    used: String,
}

impl Assessed {
    pub(super) fn new(it: Assessment) -> Assessed {
        Assessed {
            moments: it.snapshots,
            coverage: it.coverage,
            levels: it.levels,
            used: it.used.to_string(),
        }
    }

    /// Returns whether the rules describe the site.
    pub(super) fn is_described(&self) -> bool {
        self.coverage >= MIN_COVERAGE
    }

    /// Returns whether this kind of prediction is used.
    pub(super) fn is_used(&self, predictor: &str) -> bool {
        self.used == predictor
    }

    /// Formats the assessment as sentences.
    pub(super) fn text(&self) -> String {
        let Assessed { moments, coverage, levels, used } = self;
        let percent = |part: f64| format!("{:.0} %", 100.0 * part);
        let known = format!(
            "assessment of the weeks before: {} of the starts after {} were within the 80 % intervals",
            percent(*coverage),
            counted(*moments, "moment")
        );
        if self.is_described() {
            let levels = levels.map(percent).join(", ");
            format!("{known}; 10, 50 and 90 % are calibrated: {levels} of the simulations\n")
        } else {
            format!(
                "{known}: these rules do not describe the site, so the {used} are used instead of simulations\n"
            )
        }
    }
}
