//! Forecasts of the starts of waiting jobs, and backtests of these forecasts.
//!
//! A [`Snapshot`] is the state of a system at one time: its running and its waiting jobs. A
//! forecast simulates it many times, under the rules of the site, with run times drawn from the
//! [past](past::Past) of each user and with later submissions taken from past [weeks]. The
//! quantiles of the simulated starts are the [forecast](forecast::Forecast).
//!
//! * [`schedule`]: recorded schedules, and the snapshots cut out of them.
//! * [`past`]: run times of the past, as parts of the requested times, by group of jobs.
//! * [`draw`]: draws of run times, in which the jobs of one user move together.
//! * [`baseline`]: simpler predictions, with which forecasts are compared.
//! * [`state`]: states of running systems, as Slurm prints them.
//! * [`backtest`]: forecasts from many snapshots of a schedule, compared with what happened.
//!
//! Sources: Brevik, Nurmi and Wolski, *Predicting bounds on queuing delay for batch-scheduled
//! parallel machines*, PPoPP 2006, for the baseline of past waits; Tsafrir, Etsion and Feitelson,
//! *Backfilling using system-generated predictions rather than user runtime estimates*, TPDS 18(6),
//! 2007, for that of the last two run times; Kaplan and Meier, JASA 53, 1958, for run times that are
//! known only to exceed the elapsed time.

pub mod backtest;
pub mod baseline;
pub mod draw;
pub mod forecast;
pub mod past;
mod place;
pub mod schedule;
pub mod score;
pub mod snapshot;
pub mod state;
pub mod weeks;

pub use snapshot::{RunningJob, Snapshot};
