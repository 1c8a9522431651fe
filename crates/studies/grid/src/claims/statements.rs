//! The statements.

use super::check::Check::{
    self, AllBut, AllCases, Averages, AveragesWithin, Best, BestInAllBut, Cancellation, CancellationChanges,
    CancellationLowers, CancellationWorsens, ConsAbove, EarlierOfAll, FcfsAbove, FewerLateCases, LateCases,
    MaxMoves, Mean, MeanMoves, MostCases, NoStarvation, OppositeWorkload, SmallerThanOthers, SomeCase,
    Spread, Worst, WorstBeatsBest,
};
use super::check::{with, without};
use super::said::Said::{Above, AtLeast, AtMost, Below};
use crate::metrics::Metric::{Changed, Earlier, Moves, Turnaround};
use crate::{HETEROGENEOUS, HOMOGENEOUS};

const ANY: f64 = f64::INFINITY;

/// The section, what it says, and how it is checked. The first one is the one that users ask about.
pub(super) const STATEMENTS: &[(&str, &str, Check)] = &[
    (
        "4.3",
        "starvation never occurred (here: with cancellation no job ends more than a week later than without reallocation)",
        NoStarvation,
    ),
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
        MostCases(Earlier, without(HOMOGENEOUS), 50.0, ANY),
    ),
    (
        "4.1",
        "homogeneous, FCFS, without: MinMin has the most early jobs on average (table 6)",
        Best(Earlier, without(HOMOGENEOUS).local("FCFS"), "minmin"),
    ),
    (
        "4.1",
        "homogeneous, CONS, without: the heuristics based on gains have fewer early jobs on average than the others (table 6)",
        SmallerThanOthers(Earlier, without(HOMOGENEOUS).local("CONS"), &["maxgain", "maxrelgain"]),
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
        "heterogeneous, without: in some workload (April) all heuristics have more late jobs with FCFS, and more early ones with CONS (table 7)",
        OppositeWorkload(without(HETEROGENEOUS)),
    ),
    (
        "4.1",
        "homogeneous, FCFS, without: MinMin has the best relative turnaround on average (table 8)",
        Best(Turnaround, without(HOMOGENEOUS).local("FCFS"), "minmin"),
    ),
    (
        "4.1",
        "homogeneous, FCFS, without: MinMin never makes the turnaround worse (table 8)",
        AllCases(Turnaround, without(HOMOGENEOUS).local("FCFS").heuristic("minmin"), AtMost(1.0)),
    ),
    (
        "4.1",
        "homogeneous, FCFS, without: MinMin gains up to 23 % (table 8)",
        SomeCase(Turnaround, without(HOMOGENEOUS).local("FCFS").heuristic("minmin"), AtMost(0.77)),
    ),
    (
        "4.1",
        "homogeneous, FCFS, without: MCT has the worst relative turnaround on average (table 8)",
        Worst(Turnaround, without(HOMOGENEOUS).local("FCFS"), "mct"),
    ),
    (
        "4.1",
        "homogeneous, CONS, without: MinMin has the best relative turnaround on average (table 8)",
        Best(Turnaround, without(HOMOGENEOUS).local("CONS"), "minmin"),
    ),
    (
        "4.1",
        "homogeneous, CONS, without: the average relative turnarounds of the heuristics differ by 0.02 (here: by less than 0.03, which averages rounded to 0.93 and 0.95 allow; table 8)",
        Spread(Turnaround, without(HOMOGENEOUS).local("CONS"), 0.03),
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
        "4.1",
        "without: the choice of the heuristic does not matter: the averages are within 0.1 of each other for each platform and local policy (homogeneous, FCFS; table 8)",
        Spread(Turnaround, without(HOMOGENEOUS).local("FCFS"), 0.1),
    ),
    (
        "4.1",
        "the same (heterogeneous, FCFS; table 9)",
        Spread(Turnaround, without(HETEROGENEOUS).local("FCFS"), 0.1),
    ),
    (
        "4.1",
        "the same (heterogeneous, CONS; table 9)",
        Spread(Turnaround, without(HETEROGENEOUS).local("CONS"), 0.1),
    ),
    (
        "4.2",
        "with: usually from 10 to 30 % of the jobs change (tables 10 and 11)",
        MostCases(Changed, with(""), 10.0, 30.0),
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
        MostCases(Earlier, with(HOMOGENEOUS), 60.0, ANY),
    ),
    (
        "4.2",
        "homogeneous, with: more jobs are late than early in only one case (table 14)",
        AllBut(1, Earlier, with(HOMOGENEOUS), AtLeast(50.0)),
    ),
    (
        "4.2",
        "heterogeneous, with: on average all heuristics have more early than late jobs (table 15)",
        Averages(Earlier, with(HETEROGENEOUS), Above(50.0)),
    ),
    (
        "4.2",
        "homogeneous, FCFS, with: MinMin has the best relative turnaround on average (table 16)",
        Best(Turnaround, with(HOMOGENEOUS).local("FCFS"), "minmin"),
    ),
    (
        "4.2",
        "homogeneous, FCFS, with: MinMin is the best heuristic in all workloads but one (table 16)",
        BestInAllBut(1, Turnaround, with(HOMOGENEOUS).local("FCFS"), "minmin"),
    ),
    (
        "4.2",
        "homogeneous, FCFS, with: MinMin always gains at least 17 % (table 16)",
        AllCases(Turnaround, with(HOMOGENEOUS).local("FCFS").heuristic("minmin"), AtMost(0.83)),
    ),
    (
        "4.2",
        "homogeneous, FCFS, with: in the best case MinMin divides the turnaround by almost 4, to 0.26 (table 16)",
        SomeCase(Turnaround, with(HOMOGENEOUS).local("FCFS").heuristic("minmin"), AtMost(0.26)),
    ),
    (
        "4.2",
        "homogeneous, FCFS, with: the turnaround is worse in only two cases (table 16)",
        AllBut(2, Turnaround, with(HOMOGENEOUS).local("FCFS"), AtMost(1.0)),
    ),
    (
        "4.2",
        "homogeneous, CONS, with: MaxGain has the best relative turnaround on average (table 16)",
        Best(Turnaround, with(HOMOGENEOUS).local("CONS"), "maxgain"),
    ),
    (
        "4.2",
        "homogeneous, CONS, with: the turnaround is worse in only one case (table 16)",
        AllBut(1, Turnaround, with(HOMOGENEOUS).local("CONS"), AtMost(1.0)),
    ),
    (
        "4.2",
        "homogeneous, CONS, with: it is worse by 2 % at most (table 16)",
        AllCases(Turnaround, with(HOMOGENEOUS).local("CONS"), AtMost(1.02)),
    ),
    (
        "4.2",
        "homogeneous, CONS, with: the gain usually is above 10 % (table 16)",
        MostCases(Turnaround, with(HOMOGENEOUS).local("CONS"), 0.0, 0.9),
    ),
    (
        "4.2",
        "heterogeneous, with: the turnaround is worse in only two cases (table 17)",
        AllBut(2, Turnaround, with(HETEROGENEOUS), AtMost(1.0)),
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
        AllCases(Turnaround, with(HETEROGENEOUS).local("CONS"), Below(1.0)),
    ),
    (
        "4.2",
        "heterogeneous, CONS, with: the gain is at least 4 % (table 17)",
        AllCases(Turnaround, with(HETEROGENEOUS).local("CONS"), AtMost(0.96)),
    ),
    (
        "4.2",
        "heterogeneous, CONS, with: the average relative turnarounds of the heuristics differ by 0.02 (here: rounded to two decimals; table 17)",
        Spread(Turnaround, with(HETEROGENEOUS).local("CONS"), 0.025),
    ),
    (
        "4.2",
        "with: each average relative turnaround is from 0.61 to 0.86 (tables 16 and 17)",
        AveragesWithin("with", 0.61, 0.86),
    ),
    (
        "4.3",
        "homogeneous: almost always (75 % or more) more jobs change with cancellation (tables 2 and 10)",
        Cancellation(Changed, with(HOMOGENEOUS), AtLeast(75.0)),
    ),
    (
        "4.3",
        "heterogeneous, CONS: more jobs change with cancellation on average (tables 3 and 11)",
        CancellationChanges(Changed, with(HETEROGENEOUS).local("CONS"), Above(0.0)),
    ),
    (
        "4.3",
        "heterogeneous, FCFS: fewer jobs change with cancellation on average (tables 3 and 11)",
        CancellationChanges(Changed, with(HETEROGENEOUS).local("FCFS"), Below(0.0)),
    ),
    (
        "4.3",
        "in most cases there are more reallocations with cancellation (tables 4, 5, 12, 13)",
        Cancellation(Moves, with(""), Above(50.0)),
    ),
    (
        "4.3",
        "homogeneous, FCFS: in most cases more changed jobs are early with cancellation (tables 6 and 14)",
        Cancellation(Earlier, with(HOMOGENEOUS).local("FCFS"), Above(50.0)),
    ),
    (
        "4.3",
        "homogeneous, CONS: on average more changed jobs are early with cancellation (tables 6 and 14)",
        CancellationChanges(Earlier, with(HOMOGENEOUS).local("CONS"), Above(0.0)),
    ),
    (
        "4.3",
        "heterogeneous, CONS: on average more changed jobs are early with cancellation (tables 7 and 15)",
        CancellationChanges(Earlier, with(HETEROGENEOUS).local("CONS"), Above(0.0)),
    ),
    (
        "4.3",
        "heterogeneous, CONS: fewer cases have more late than early jobs with cancellation (tables 7 and 15)",
        FewerLateCases(with(HETEROGENEOUS).local("CONS")),
    ),
    (
        "4.3",
        "homogeneous, FCFS: without cancellation MinMin gains 10 % on average (table 8)",
        Averages(Turnaround, without(HOMOGENEOUS).local("FCFS").heuristic("minmin"), AtMost(0.91)),
    ),
    (
        "4.3",
        "homogeneous, FCFS: with cancellation it gains nearly 40 % (here: at least 35 %; table 16)",
        Averages(Turnaround, with(HOMOGENEOUS).local("FCFS").heuristic("minmin"), AtMost(0.65)),
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
        Cancellation(Turnaround, with(HETEROGENEOUS), Above(50.0)),
    ),
    (
        "4.3",
        "heterogeneous, FCFS: the turnaround is worse with cancellation in just one case (here: two, as in the published tables 9 and 17)",
        CancellationWorsens(2, Turnaround, with(HETEROGENEOUS).local("FCFS")),
    ),
    (
        "4.3",
        "heterogeneous, CONS: on average cancellation improves the relative turnaround by 0.04 to 0.10 (here: at least 0.04; tables 9 and 17)",
        CancellationChanges(Turnaround, with(HETEROGENEOUS).local("CONS"), AtMost(-0.04)),
    ),
    (
        "6",
        "on average reallocation is beneficial: the mean relative turnaround of all cases is below 1",
        Mean(&["without", "with"], Below(1.0)),
    ),
    ("6", "it gains 10 % on average (here: at least)", Mean(&["without", "with"], AtMost(0.9))),
    (
        "6",
        "around 5 % of the jobs finish sooner (here: at least; the published tables give 10.5 %)",
        EarlierOfAll(AtLeast(5.0)),
    ),
    (
        "6",
        "results are better when all jobs are cancelled and submitted again: the mean relative turnaround is lower",
        CancellationLowers,
    ),
];
