//! Answer of the command.

use super::answer::Forecasts;
use super::backtest::Backtested;
use crate::output::Answer;
use schemars::JsonSchema;
use serde::Serialize;

/// Answer of `dfrsim forecast`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Answered {
    /// Forecast of one snapshot.
    Forecast(Forecasts),
    /// Comparison of many snapshots, with `--backtest`.
    Backtest(Box<Backtested>),
}

impl Answer for Answered {
    fn text(&self) -> String {
        match self {
            Answered::Forecast(answer) => answer.text(),
            Answered::Backtest(answer) => answer.text(),
        }
    }
}
