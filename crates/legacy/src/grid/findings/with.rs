//! Section 4.2: with cancellation.

use super::super::figures::Metric;
use super::cases::{averages, own, per_job};
use super::checks::{at_most, averages_within, best, fcfs_above_cbf, mostly, share};
use super::{HETEROGENEOUS, HOMOGENEOUS, Statement};
use crate::tables::statistics::mean;

pub(super) const STATEMENTS: &[Statement] = &[
    Statement {
        section: "4.2",
        text: "homogeneous, with: more jobs change with FCFS than with CBF (table 10)",
        check: |figures| fcfs_above_cbf(figures, Metric::Changed, "with", HOMOGENEOUS),
    },
    Statement {
        section: "4.2",
        text: "heterogeneous, with: more jobs change with FCFS than with CBF (table 11)",
        check: |figures| fcfs_above_cbf(figures, Metric::Changed, "with", HETEROGENEOUS),
    },
    Statement {
        section: "4.2",
        text: "with: reallocations are 5.8 % of the jobs on average (here: less than 10 %)",
        check: |figures| {
            let part = mean(&per_job(figures, "with")?);
            Some((part < 0.1, format!("{:.1} %", 100.0 * part)))
        },
    },
    Statement {
        section: "4.2",
        text: "with: reallocations are at most 28.8 % of the jobs",
        check: |figures| at_most(&per_job(figures, "with")?, 0.288),
    },
    Statement {
        section: "4.2",
        text: "homogeneous, with: there are more reallocations with FCFS than with CBF (table 12)",
        check: |figures| fcfs_above_cbf(figures, Metric::Moves, "with", HOMOGENEOUS),
    },
    Statement {
        section: "4.2",
        text: "heterogeneous, with: there are more reallocations with FCFS than with CBF (table 13)",
        check: |figures| fcfs_above_cbf(figures, Metric::Moves, "with", HETEROGENEOUS),
    },
    Statement {
        section: "4.2",
        text: "homogeneous, with: in most cases more than 60 % of the changed jobs are early (table 14)",
        check: |figures| {
            share(&own(figures, Metric::Earlier, "with", HOMOGENEOUS, None)?, |early, _| early > 60.0)
                .map(mostly)
        },
    },
    Statement {
        section: "4.2",
        text: "heterogeneous, with: on average all heuristics have more early than late jobs (table 15)",
        check: |figures| {
            let all = averages(figures, Metric::Earlier, "with", HETEROGENEOUS)?;
            share(&all, |early, _| early > 50.0).map(|(part, figures)| (part >= 1.0, figures))
        },
    },
    Statement {
        section: "4.2",
        text: "homogeneous, FCFS, with: MinMin has the best relative response on average (table 16)",
        check: |figures| best(figures, Metric::Response, "with", HOMOGENEOUS, "FCFS", "minmin", false),
    },
    Statement {
        section: "4.2",
        text: "homogeneous, CBF, with: MaxGain has the best relative response on average (table 16)",
        check: |figures| best(figures, Metric::Response, "with", HOMOGENEOUS, "CBF", "maxgain", false),
    },
    Statement {
        section: "4.2",
        text: "heterogeneous, FCFS, with: MinMin has the best relative response on average (table 17)",
        check: |figures| best(figures, Metric::Response, "with", HETEROGENEOUS, "FCFS", "minmin", false),
    },
    Statement {
        section: "4.2",
        text: "heterogeneous, FCFS, with: MaxMin has the worst relative response on average (table 17)",
        check: |figures| best(figures, Metric::Response, "with", HETEROGENEOUS, "FCFS", "maxmin", true),
    },
    Statement {
        section: "4.2",
        text: "heterogeneous, CBF, with: reallocation never makes the response worse (table 17)",
        check: |figures| {
            share(&own(figures, Metric::Response, "with", HETEROGENEOUS, Some("CBF"))?, |response, _| {
                response < 1.0
            })
            .map(|(part, figures)| (part >= 1.0, figures))
        },
    },
    Statement {
        section: "4.2",
        text: "with: each average relative response is from 0.61 to 0.86 (tables 16 and 17)",
        check: |figures| averages_within(figures, "with", 0.61, 0.86),
    },
];
