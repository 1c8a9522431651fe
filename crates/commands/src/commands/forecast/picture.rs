//! Picture of a queue: a band for each waiting job.

use dfrsim_lab::{Axis, Better, Chart, Drawing};
use dfrsim_model::counted;

/// Marked wait: one hour, in minutes.
const HOUR: f64 = 60.0;

/// Shortest wait of the picture, in minutes: one second.
const SHORTEST: f64 = 1.0 / 60.0;

/// Name of a job, and the known quantiles of the time until its start, in seconds.
pub(super) type Band<'a> = (&'a str, [Option<f64>; 3]);

/// Describes the picture of jobs, each with its quantiles in seconds: a band from the 10 % to the
/// 90 % quantile of the time until the start, with the median. The colour shows whether a start
/// within an hour is likely, unlikely or undecided.
pub(super) fn of<'a>(title: String, jobs: impl Iterator<Item = Band<'a>>) -> Drawing {
    let minutes = |seconds: f64| (seconds / 60.0).max(SHORTEST);
    let (mut lines, mut never) = (Vec::new(), 0);
    for (name, quantiles) in jobs {
        match quantiles {
            [Some(low), Some(median), Some(high)] => {
                lines.push((name.to_owned(), minutes(median), Some((minutes(low), minutes(high)))));
            }
            _ => never += 1,
        }
    }
    let chart = Chart::Intervals {
        value: Axis::logarithmic("time until the start [min], 10 to 90 %"),
        name: "job".to_owned(),
        reference: HOUR,
        better: Better::Less,
        lines,
    };
    let drawing = Drawing::new("queue", title, chart);
    let remark = || format!("Left out, as they may not start within a year: {}.", counted(never, "job"));
    if never > 0 { drawing.with_remark(remark()) } else { drawing }
}
