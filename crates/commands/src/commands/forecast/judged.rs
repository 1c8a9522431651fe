//! Judgement of the forecasts of the weeks before, as it is printed.

use crate::output::counted;
use dfrsim_forecast::backtest::{Judgement, LEAST_COVERAGE};
use schemars::JsonSchema;
use serde::Serialize;

/// Judgement of the forecasts of the weeks before.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Judged {
    /// Number of moments that were forecast.
    moments: usize,
    /// Part of the starts within the 80 % intervals, before calibration.
    coverage: f64,
    /// Levels of the simulated starts that are printed as 10, 50 and 90 %.
    levels: [f64; 3],
    /// Kind of prediction that is used.
    used: String,
}

impl Judged {
    pub(super) fn new(it: Judgement) -> Judged {
        Judged { moments: it.moments, coverage: it.coverage, levels: it.levels, used: it.used.to_string() }
    }

    /// Returns whether the rules describe the site.
    pub(super) fn is_described(&self) -> bool {
        self.coverage >= LEAST_COVERAGE
    }

    /// Returns whether this kind of prediction is used.
    pub(super) fn is_used(&self, predictor: &str) -> bool {
        self.used == predictor
    }

    /// Formats the judgement as sentences.
    pub(super) fn text(&self) -> String {
        let Judged { moments, coverage, levels, used } = self;
        let percent = |part: f64| format!("{:.0} %", 100.0 * part);
        let known = format!(
            "of the starts after {} of the weeks before, {} were within the 80 % intervals",
            counted(*moments, "moment"),
            percent(*coverage)
        );
        if self.is_described() {
            let levels = levels.map(percent).join(", ");
            format!("{known}; 10, 50 and 90 % are calibrated: {levels} of the simulations\n")
        } else {
            format!(
                "{known}: these rules do not describe the site. The {used} are used instead of simulations\n"
            )
        }
    }
}
