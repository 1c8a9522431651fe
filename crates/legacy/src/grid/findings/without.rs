//! Section 4.1: without cancellation.

use super::super::figures::Metric;
use super::cases::{cases, group, own, per_job};
use super::checks::{at_most, averages_within, best, fcfs_above_cbf, mostly, share};
use super::{HETEROGENEOUS, HOMOGENEOUS, Statement};
use crate::tables::statistics::mean;

pub(super) const STATEMENTS: &[Statement] = &[
    Statement {
        section: "4.1",
        text: "homogeneous, without cancellation: more jobs change with FCFS than with CBF (table 2)",
        check: |figures| fcfs_above_cbf(figures, Metric::Changed, "without", HOMOGENEOUS),
    },
    Statement {
        section: "4.1",
        text: "heterogeneous, without: in some cases more jobs change with CBF than with FCFS (table 3)",
        check: |figures| {
            let pairs = cases(figures, Metric::Changed, "without", HETEROGENEOUS, "FCFS", "CBF")?;
            share(&pairs, |fcfs, cbf| cbf > fcfs).map(|(part, figures)| (part > 0.0, figures))
        },
    },
    Statement {
        section: "4.1",
        text: "without: reallocations are 2.3 % of the jobs on average (here: less than 5 %)",
        check: |figures| {
            let part = mean(&per_job(figures, "without")?);
            Some((part < 0.05, format!("{:.1} %", 100.0 * part)))
        },
    },
    Statement {
        section: "4.1",
        text: "without: reallocations are at most 13.5 % of the jobs",
        check: |figures| at_most(&per_job(figures, "without")?, 0.135),
    },
    Statement {
        section: "4.1",
        text: "homogeneous, without: in most cases more jobs are early than late (table 6)",
        check: |figures| {
            share(&own(figures, Metric::Earlier, "without", HOMOGENEOUS, None)?, |early, _| early > 50.0)
                .map(mostly)
        },
    },
    Statement {
        section: "4.1",
        text: "homogeneous, FCFS, without: MinMin has the most early jobs on average (table 6)",
        check: |figures| best(figures, Metric::Earlier, "without", HOMOGENEOUS, "FCFS", "minmin", true),
    },
    Statement {
        section: "4.1",
        text: "heterogeneous, FCFS, without: MinMin has the most early jobs on average (table 7)",
        check: |figures| best(figures, Metric::Earlier, "without", HETEROGENEOUS, "FCFS", "minmin", true),
    },
    Statement {
        section: "4.1",
        text: "heterogeneous, CBF, without: MinMin has the most early jobs on average (table 7)",
        check: |figures| best(figures, Metric::Earlier, "without", HETEROGENEOUS, "CBF", "minmin", true),
    },
    Statement {
        section: "4.1",
        text: "heterogeneous, without: more cases with more late than early jobs with CBF than with FCFS (table 7)",
        check: |figures| {
            let late = |local| {
                let all = own(figures, Metric::Earlier, "without", HETEROGENEOUS, Some(local))?;
                Some(all.iter().filter(|(early, _)| *early < 50.0).count())
            };
            let (fcfs, cbf) = (late("FCFS")?, late("CBF")?);
            Some((cbf > fcfs, format!("CBF {cbf}, FCFS {fcfs}")))
        },
    },
    Statement {
        section: "4.1",
        text: "homogeneous, FCFS, without: MinMin has the best relative response on average (table 8)",
        check: |figures| best(figures, Metric::Response, "without", HOMOGENEOUS, "FCFS", "minmin", false),
    },
    Statement {
        section: "4.1",
        text: "homogeneous, FCFS, without: MinMin never makes the response worse (table 8)",
        check: |figures| {
            let group = group("without", HOMOGENEOUS, "FCFS", "minmin");
            let all: Vec<f64> = (figures.workloads.iter())
                .filter_map(|workload| Some(figures.figure(Metric::Response, &group, workload)?.mean))
                .collect();
            if all.is_empty() { None } else { at_most(&all, 1.0) }
        },
    },
    Statement {
        section: "4.1",
        text: "homogeneous, CBF, without: MinMin has the best relative response on average (table 8)",
        check: |figures| best(figures, Metric::Response, "without", HOMOGENEOUS, "CBF", "minmin", false),
    },
    Statement {
        section: "4.1",
        text: "heterogeneous, FCFS, without: MCT has the best relative response on average (table 9)",
        check: |figures| best(figures, Metric::Response, "without", HETEROGENEOUS, "FCFS", "mct", false),
    },
    Statement {
        section: "4.1",
        text: "heterogeneous, CBF, without: MCT has the best relative response on average (table 9)",
        check: |figures| best(figures, Metric::Response, "without", HETEROGENEOUS, "CBF", "mct", false),
    },
    Statement {
        section: "4.1",
        text: "without: each average relative response is from 0.88 to 0.99 (tables 8 and 9)",
        check: |figures| averages_within(figures, "without", 0.88, 0.99),
    },
];
