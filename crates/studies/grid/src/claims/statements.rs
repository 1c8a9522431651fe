//! The statements.

use super::check::Check::{
    self, Averages, AveragesWithin, Below, Best, Cancellation, Cases, ConsAbove, FcfsAbove, LateCases,
    MaxMoves, MeanMoves, Worst, WorstBeatsBest,
};
use super::check::{Part, with, without};
use crate::metrics::Metric::{Changed, Earlier, Moves, Turnaround};
use crate::{HETEROGENEOUS, HOMOGENEOUS};

/// The section, what it says, and how it is checked.
pub(super) const STATEMENTS: &[(&str, &str, Check)] = &[
    (
        "4.1",
        "homogeneous, without cancellation: more jobs change with FCFS than with CONS (table 2)",
        FcfsAbove(Changed, without(HOMOGENEOUS)),
    ),
    (
        "4.1",
        "heterogeneous, without: in some cases more jobs change with CONS than with FCFS (table 3)",
        ConsAbove(Changed, without(HETEROGENEOUS)),
    ),
    (
        "4.1",
        "without: reallocations are 2.3 % of the jobs on average (here: less than 5 %)",
        MeanMoves("without", 5.0),
    ),
    ("4.1", "without: reallocations are at most 13.5 % of the jobs", MaxMoves("without", 13.5)),
    (
        "4.1",
        "homogeneous, without: in most cases more jobs are early than late (table 6)",
        Cases(Earlier, without(HOMOGENEOUS), Part::Most, |early| early > 50.0),
    ),
    (
        "4.1",
        "homogeneous, FCFS, without: MinMin has the most early jobs on average (table 6)",
        Best(Earlier, without(HOMOGENEOUS).local("FCFS"), "minmin"),
    ),
    (
        "4.1",
        "heterogeneous, FCFS, without: MinMin has the most early jobs on average (table 7)",
        Best(Earlier, without(HETEROGENEOUS).local("FCFS"), "minmin"),
    ),
    (
        "4.1",
        "heterogeneous, CONS, without: MinMin has the most early jobs on average (table 7)",
        Best(Earlier, without(HETEROGENEOUS).local("CONS"), "minmin"),
    ),
    (
        "4.1",
        "heterogeneous, without: more cases with more late than early jobs with CONS than with FCFS (table 7)",
        LateCases(without(HETEROGENEOUS)),
    ),
    (
        "4.1",
        "homogeneous, FCFS, without: MinMin has the best relative turnaround on average (table 8)",
        Best(Turnaround, without(HOMOGENEOUS).local("FCFS"), "minmin"),
    ),
    (
        "4.1",
        "homogeneous, FCFS, without: MinMin never makes the turnaround worse (table 8)",
        Cases(Turnaround, without(HOMOGENEOUS).local("FCFS").heuristic("minmin"), Part::All, |it| it <= 1.0),
    ),
    (
        "4.1",
        "homogeneous, CONS, without: MinMin has the best relative turnaround on average (table 8)",
        Best(Turnaround, without(HOMOGENEOUS).local("CONS"), "minmin"),
    ),
    (
        "4.1",
        "heterogeneous, FCFS, without: MCT has the best relative turnaround on average (table 9)",
        Best(Turnaround, without(HETEROGENEOUS).local("FCFS"), "mct"),
    ),
    (
        "4.1",
        "heterogeneous, CONS, without: MCT has the best relative turnaround on average (table 9)",
        Best(Turnaround, without(HETEROGENEOUS).local("CONS"), "mct"),
    ),
    (
        "4.1",
        "without: each average relative turnaround is from 0.88 to 0.99 (tables 8 and 9)",
        AveragesWithin("without", 0.88, 0.99),
    ),
    (
        "4.2",
        "homogeneous, with: more jobs change with FCFS than with CONS (table 10)",
        FcfsAbove(Changed, with(HOMOGENEOUS)),
    ),
    (
        "4.2",
        "heterogeneous, with: more jobs change with FCFS than with CONS (table 11)",
        FcfsAbove(Changed, with(HETEROGENEOUS)),
    ),
    (
        "4.2",
        "with: reallocations are 5.8 % of the jobs on average (here: less than 10 %)",
        MeanMoves("with", 10.0),
    ),
    ("4.2", "with: reallocations are at most 28.8 % of the jobs", MaxMoves("with", 28.8)),
    (
        "4.2",
        "homogeneous, with: there are more reallocations with FCFS than with CONS (table 12)",
        FcfsAbove(Moves, with(HOMOGENEOUS)),
    ),
    (
        "4.2",
        "heterogeneous, with: there are more reallocations with FCFS than with CONS (table 13)",
        FcfsAbove(Moves, with(HETEROGENEOUS)),
    ),
    (
        "4.2",
        "homogeneous, with: in most cases more than 60 % of the changed jobs are early (table 14)",
        Cases(Earlier, with(HOMOGENEOUS), Part::Most, |early| early > 60.0),
    ),
    (
        "4.2",
        "heterogeneous, with: on average all heuristics have more early than late jobs (table 15)",
        Averages(Earlier, with(HETEROGENEOUS), |early| early > 50.0),
    ),
    (
        "4.2",
        "homogeneous, FCFS, with: MinMin has the best relative turnaround on average (table 16)",
        Best(Turnaround, with(HOMOGENEOUS).local("FCFS"), "minmin"),
    ),
    (
        "4.2",
        "homogeneous, CONS, with: MaxGain has the best relative turnaround on average (table 16)",
        Best(Turnaround, with(HOMOGENEOUS).local("CONS"), "maxgain"),
    ),
    (
        "4.2",
        "heterogeneous, FCFS, with: MinMin has the best relative turnaround on average (table 17)",
        Best(Turnaround, with(HETEROGENEOUS).local("FCFS"), "minmin"),
    ),
    (
        "4.2",
        "heterogeneous, FCFS, with: MaxMin has the worst relative turnaround on average (table 17)",
        Worst(Turnaround, with(HETEROGENEOUS).local("FCFS"), "maxmin"),
    ),
    (
        "4.2",
        "heterogeneous, CONS, with: reallocation never makes the turnaround worse (table 17)",
        Cases(Turnaround, with(HETEROGENEOUS).local("CONS"), Part::All, |it| it < 1.0),
    ),
    (
        "4.2",
        "with: each average relative turnaround is from 0.61 to 0.86 (tables 16 and 17)",
        AveragesWithin("with", 0.61, 0.86),
    ),
    (
        "4.3",
        "homogeneous: almost always (75 % or more) more jobs change with cancellation (tables 2 and 10)",
        Cancellation(Changed, with(HOMOGENEOUS), Part::ThreeQuarters),
    ),
    (
        "4.3",
        "in most cases there are more reallocations with cancellation (tables 4, 5, 12, 13)",
        Cancellation(Moves, with(""), Part::Most),
    ),
    (
        "4.3",
        "homogeneous, FCFS: in most cases more changed jobs are early with cancellation (tables 6 and 14)",
        Cancellation(Earlier, with(HOMOGENEOUS).local("FCFS"), Part::Most),
    ),
    (
        "4.3",
        "homogeneous, FCFS: the worst heuristic with cancellation is better on average than the best without (tables 8 and 16)",
        WorstBeatsBest("FCFS"),
    ),
    (
        "4.3",
        "homogeneous, CONS: the worst heuristic with cancellation is better on average than the best without (tables 8 and 16)",
        WorstBeatsBest("CONS"),
    ),
    (
        "4.3",
        "heterogeneous: in most cases the turnaround is better with cancellation (tables 9 and 17)",
        Cancellation(Turnaround, with(HETEROGENEOUS), Part::Most),
    ),
    (
        "6",
        "on average reallocation is beneficial: the mean relative turnaround of all cases is below 1",
        Below(&["without", "with"], None),
    ),
    (
        "6",
        "results are better when all jobs are cancelled and submitted again: the mean relative turnaround is lower",
        Below(&["with"], Some("without")),
    ),
];
