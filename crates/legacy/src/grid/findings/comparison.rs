//! Sections 4.3 and 6: both algorithms side by side, and the conclusion.

use super::super::figures::Metric;
use super::cases::{averages, with_and_without};
use super::checks::{mostly, share, worst_beats_best};
use super::{HETEROGENEOUS, HOMOGENEOUS, Statement};
use crate::tables::statistics::mean;

pub(super) const STATEMENTS: &[Statement] = &[
    Statement {
        section: "4.3",
        text: "homogeneous: almost always (over 75 %) more jobs change with cancellation (tables 2 and 10)",
        check: |figures| {
            share(&with_and_without(figures, Metric::Changed, HOMOGENEOUS, None)?, |with, without| {
                with > without
            })
            .map(|(part, figures)| (part > 0.75, figures))
        },
    },
    Statement {
        section: "4.3",
        text: "in most cases there are more reallocations with cancellation (tables 4, 5, 12, 13)",
        check: |figures| {
            let mut all = with_and_without(figures, Metric::Moves, HOMOGENEOUS, None)?;
            all.extend(with_and_without(figures, Metric::Moves, HETEROGENEOUS, None)?);
            share(&all, |with, without| with > without).map(mostly)
        },
    },
    Statement {
        section: "4.3",
        text: "homogeneous, FCFS: in most cases more changed jobs are early with cancellation (tables 6 and 14)",
        check: |figures| {
            share(&with_and_without(figures, Metric::Earlier, HOMOGENEOUS, Some("FCFS"))?, |with, without| {
                with > without
            })
            .map(mostly)
        },
    },
    Statement {
        section: "4.3",
        text: "homogeneous, FCFS: the worst heuristic with cancellation is better on average than the best without (tables 8 and 16)",
        check: |figures| worst_beats_best(figures, "FCFS"),
    },
    Statement {
        section: "4.3",
        text: "homogeneous, CBF: the worst heuristic with cancellation is better on average than the best without (tables 8 and 16)",
        check: |figures| worst_beats_best(figures, "CBF"),
    },
    Statement {
        section: "4.3",
        text: "heterogeneous: in most cases the response is better with cancellation (tables 9 and 17)",
        check: |figures| {
            share(&with_and_without(figures, Metric::Response, HETEROGENEOUS, None)?, |with, without| {
                with < without
            })
            .map(mostly)
        },
    },
    Statement {
        section: "6",
        text: "on average reallocation is beneficial: the mean relative response of all cases is below 1",
        check: |figures| {
            let mut all = Vec::new();
            for cancellation in ["without", "with"] {
                for platform in [HOMOGENEOUS, HETEROGENEOUS] {
                    all.extend(
                        averages(figures, Metric::Response, cancellation, platform).unwrap_or_default(),
                    );
                }
            }
            let values: Vec<f64> = all.iter().map(|pair| pair.0).collect();
            if values.is_empty() {
                return None;
            }
            let mean = mean(&values);
            Some((mean < 1.0, format!("{mean:.2}")))
        },
    },
    Statement {
        section: "6",
        text: "results are better when all jobs are cancelled and submitted again: the mean relative response is lower",
        check: |figures| {
            let of = |cancellation| {
                let mut all = averages(figures, Metric::Response, cancellation, HOMOGENEOUS)?;
                all.extend(averages(figures, Metric::Response, cancellation, HETEROGENEOUS)?);
                Some(mean(&all.iter().map(|pair| pair.0).collect::<Vec<f64>>()))
            };
            let (with, without) = (of("with")?, of("without")?);
            Some((with < without, format!("with {with:.2}, without {without:.2}")))
        },
    },
];
