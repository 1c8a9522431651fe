//! What the dissertation says of algorithms on linear programs and of the genetic one (sections 4.4.2 and 4.4.3).

use super::{Check, Numbers, Statement, failures, gap, large};
use crate::published::{Published, TABLE_4_1, TABLE_4_3};
use crate::results::{Part, Record, Results};
use dfrsim_offline::instances::InstanceSet;

const LINEAR: &str = "dissertation, section 4.4.2";
const GENETIC: &str = "dissertation, section 4.4.3";
const ON_PROGRAMS: [&str; 4] = ["RRND", "RRNDNZ", "FASTDIVING", "SLOWDIVING"];

pub(super) const STATEMENTS: &[Statement] = &[
    Statement(LINEAR, "GREEDY fails on no instance that an algorithm on linear programs solves", |results| {
        let greedy = results.column("GREEDY")?;
        let columns: Vec<usize> = ON_PROGRAMS.into_iter().filter_map(|name| results.column(name)).collect();
        let any = |record: &Record<'_>| columns.iter().any(|column| record.solved(*column).is_some());
        let solved = large(results)?.filter(any);
        let failed = solved.records.iter().filter(|record| record.solved(greedy).is_none()).count();
        let detail = format!("{failed} of {} that one of {} solves", solved.records.len(), columns.len());
        (!solved.is_empty()).then(|| Check::new(failed == 0, detail))
    }),
    Statement(LINEAR, "RRND, FASTDIVING and SLOWDIVING fail on more than 65 % of the instances", |results| {
        of_table(results, TABLE_4_1, 4, failures, |of| {
            let own = numbers(&["RRND", "FASTDIVING", "SLOWDIVING"], of)?;
            Some((own.iter().all(|(_, rate)| *rate > 65.0), super::numbered(&own)))
        })
    }),
    Statement(
        LINEAR,
        "RRNDNZ fails on a third of the instances at most, RRND on more than twice as many",
        |results| {
            of_table(results, TABLE_4_1, 4, failures, |of| {
                let (raised, plain) = (of("RRNDNZ")?, of("RRND")?);
                let holds = raised <= 33.4 && plain > 2.0 * raised;
                Some((holds, format!("RRNDNZ {raised:.2} %, RRND {plain:.2} %")))
            })
        },
    ),
    Statement(LINEAR, "RRNDNZ succeeds where RRND does, in at least 99.9 % of the cases", |results| {
        let (plain, raised) = (results.column("RRND")?, results.column("RRNDNZ")?);
        let solved: Vec<&Record<'_>> =
            results.records.iter().filter(|record| record.solved(plain).is_some()).collect();
        let both = solved.iter().filter(|record| record.solved(raised).is_some()).count();
        let holds = both as f64 >= 0.999 * solved.len() as f64;
        (!solved.is_empty()).then(|| Check::new(holds, format!("{both} of {}", solved.len())))
    }),
    Statement(
        LINEAR,
        "SLOWDIVING fails a little less often than FASTDIVING, by at most 2 points",
        |results| {
            of_table(results, TABLE_4_1, 4, failures, |of| {
                let (slow, fast) = (of("SLOWDIVING")?, of("FASTDIVING")?);
                let detail = format!("SLOWDIVING {slow:.2} %, FASTDIVING {fast:.2} %");
                Some(((0.0..=2.0).contains(&(fast - slow)), detail))
            })
        },
    ),
    Statement(
        LINEAR,
        "GREEDY's relative gap is less than half of that of each algorithm on linear programs",
        |results| {
            of_table(results, TABLE_4_1, 1, gap, |of| {
                let own = numbers(&ON_PROGRAMS, of)?;
                let greedy = of("GREEDY")?;
                let holds = own.iter().all(|(_, gap)| *gap > 2.0 * greedy);
                Some((holds, format!("GREEDY {greedy:.2} %; {}", super::numbered(&own))))
            })
        },
    ),
    Statement(LINEAR, "the relative gaps of RRND and RRNDNZ are alike, within 5 points", |results| {
        of_table(results, TABLE_4_1, 1, gap, |of| {
            let (plain, raised) = (of("RRND")?, of("RRNDNZ")?);
            Some(((plain - raised).abs() <= 5.0, format!("RRND {plain:.2} %, RRNDNZ {raised:.2} %")))
        })
    }),
    Statement(
        LINEAR,
        "SLOWDIVING is marginally nearer to LPBOUND than FASTDIVING, by at most 5 points",
        |results| {
            of_table(results, TABLE_4_1, 1, gap, |of| {
                let (slow, fast) = (of("SLOWDIVING")?, of("FASTDIVING")?);
                let detail = format!("SLOWDIVING {slow:.2} %, FASTDIVING {fast:.2} %");
                Some(((0.0..=5.0).contains(&(fast - slow)), detail))
            })
        },
    ),
    Statement(GENETIC, "GA has a larger mean relative gap than GREEDY", |results| {
        of_table(results, TABLE_4_3, 1, gap, better)
    }),
    Statement(GENETIC, "GA fails more often than GREEDY", |results| {
        of_table(results, TABLE_4_3, 4, failures, better)
    }),
    Statement(
        GENETIC,
        "GREEDY beats GA on 79.08 % of the instances that both solve, within 20 points, GA GREEDY on 9.96 %, within 10 points",
        |results| {
            let (own, others) = (advantage(results, "GREEDY", "GA")?, advantage(results, "GA", "GREEDY")?);
            let detail = format!("{:.2} % and {:.2} %", own.better, others.better);
            let holds = (own.better - 79.08).abs() <= 20.0 && (others.better - 9.96).abs() <= 10.0;
            Some(Check::new(holds, detail).values(own.better, Some(79.08)).published(true))
        },
    ),
    Statement(
        GENETIC,
        "where it is better, GREEDY's minimum yield is 32.65 % higher than GA's, and GA's 26.64 % than GREEDY's, each within 15 points",
        |results| {
            let (own, others) = (advantage(results, "GREEDY", "GA")?, advantage(results, "GA", "GREEDY")?);
            let detail = format!("{:.2} % and {:.2} %", own.gain, others.gain);
            let holds = (own.gain - 32.65).abs() <= 15.0 && (others.gain - 26.64).abs() <= 15.0;
            Some(Check::new(holds, detail).values(own.gain, Some(32.65)).published(true))
        },
    ),
];

fn advantage(results: &Results<'_>, one: &str, other: &str) -> Option<crate::results::Advantage> {
    let of = large(results)?.where_ran(results.column("GA")?);
    (!of.is_empty()).then_some(of.advantage(results.column(one)?, results.column(other)?))
}

/// A check of a column of a table, ours and the published one. Ours are over the instances on which all algorithms of the table
/// ran that the scenario has: the large ones, or the small ones if there are no others.
fn of_table(
    results: &Results<'_>,
    table: Published,
    place: usize,
    ours: fn(&Results<'_>, &Part<'_>, &str) -> Option<f64>,
    check: impl Fn(Numbers<'_>) -> Option<(bool, String)>,
) -> Option<Check> {
    let names: Vec<&str> = table.lines::<1, 5>().map(|([name], _)| name).collect();
    let small = || Some(results.of_set(InstanceSet::DissertationSmall)?.bounded());
    let mut part = large(results).or_else(small)?;
    for column in names.iter().filter_map(|name| results.column(name)) {
        let ran = part.where_ran(column);
        if !ran.is_empty() {
            part = ran;
        }
    }
    let nodes = if large(results).is_some() { "" } else { "on 4 nodes: " };
    let own = |name: &str| ours(results, &part, name);
    let published = |name: &str| table.find::<1, 5>([name]).map(|line| line[place]);
    let check = Check::of_both::<Numbers<'_>>(&own, &published, check)?;
    Some(Check { detail: format!("{nodes}{}", check.detail), ..check })
}

/// The numbers of those algorithms that have one.
fn numbers(names: &[&str], of: Numbers<'_>) -> Option<Vec<(String, f64)>> {
    let all: Vec<_> = names.iter().filter_map(|name| Some(((*name).to_owned(), of(name)?))).collect();
    (!all.is_empty()).then_some(all)
}

/// Whether GREEDY's number is smaller than GA's.
fn better(of: Numbers<'_>) -> Option<(bool, String)> {
    let (greedy, genetic) = (of("GREEDY")?, of("GA")?);
    Some((greedy < genetic, format!("GREEDY {greedy:.2} %, GA {genetic:.2} %")))
}
