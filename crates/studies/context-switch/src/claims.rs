//! The numbers that the text states, beside ours where the experiment is as large as its own; and what it says in words.
//!
//! A number *holds* where the 95 % interval of ours is within a tenth of it, *fails* where the interval is outside, and is
//! *open* where the interval is partly within.

use crate::model;
use crate::rows::{Row, SwitchRow, loads, pairs, reduction_percent, simulations, switches};
use crate::scenario::ContextSwitches;
use crate::statements;
use crate::tables::minutes;
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::{Bootstrap, Claim, Estimate, Long, Verdict};
use std::collections::BTreeMap;

/// How far from a published number ours may be, as a part of it.
const TOLERANCE: f64 = 0.1;

/// What the quantities of `reference/text.csv` are; without an interval where they are not means.
const STATEMENTS: [(&str, &str); 14] = [
    (
        "cost_reduction_percent",
        "how much cheaper the cheapest plans found are than those of first-fit decreasing, in percent",
    ),
    ("fcfs_min", "how long all vjobs take under FCFS, in minutes"),
    ("optimised_min", "how long they take under the sample decision module, in minutes"),
    ("time_reduction_percent", "how much less time the sample decision module takes than FCFS, in percent"),
    ("switches", "how many context switches there are"),
    ("mean_switch_s", "the mean duration of a switch, in seconds"),
    ("free_switches", "how many of them cost 0"),
    ("max_free_switch_s", "the longest of these, in seconds; the text says at most"),
    ("local_resumes", "how many VMs are resumed on the node of their image"),
    ("resumes", "how many VMs are resumed in all"),
    ("peak_demand", "how many units of CPU VMs demand at most"),
    (
        "three_migrations_s",
        "the mean duration of switches with three migrations and neither suspends nor resumes, in seconds",
    ),
    ("nine_resumes_s", "the mean duration of switches with nine or more resumes, in seconds"),
    ("local_percent", "how many of all resumes are local, in percent"),
];

pub(crate) fn all(scenario: &Scenario<ContextSwitches>, rows: &Long<Row>) -> Vec<Claim> {
    let costs = model::costs();
    let agree = costs.iter().filter(|cost| cost.cost_mb == cost.published_mb).count();
    let table_1 = Claim::new(
        "RR-6929, table 1",
        "the cost of an action is a multiple of the memory of its VM",
        Verdict::from_bool(agree == costs.len()),
        format!("{agree} of {} costs agree", costs.len()),
    );
    let bootstrap = Bootstrap::for_tables(scenario.seed);
    let statements = statements::all(&bootstrap, rows);
    let measures = Measures { rows, bootstrap };
    let stated = include_str!("../reference/text.csv").lines().skip(1).filter_map(|line| {
        let mut fields = line.split(',');
        let (section, quantity) = (fields.next()?, fields.next()?);
        let published: f64 = fields.next()?.parse().ok()?;
        let (_, statement) = STATEMENTS.iter().find(|(name, _)| *name == quantity)?;
        if !is_as_in_the_text(scenario, section) {
            return None;
        }
        let Estimate { value, interval } = measures.of(quantity)?;
        let (low, high) = interval.unwrap_or((value, value));
        let claim = Claim::new(
            format!("RR-6929, section {section}"),
            *statement,
            if quantity == "max_free_switch_s" {
                Verdict::from_bool(high <= published)
            } else {
                verdict((low, high), published)
            },
            format!("ours / published: {:.2}", value / published),
        );
        Some(claim.with_values(Some(value), Some(published)).with_interval(interval))
    });
    std::iter::once(table_1).chain(stated).chain(statements).collect()
}

/// Whether an experiment is as large as that of the section, so that its numbers can be compared.
fn is_as_in_the_text(scenario: &ContextSwitches, section: &str) -> bool {
    match section {
        "5.1" => scenario.samples.as_ref().is_some_and(|part| part.nodes == 200 && part.busy.is_none()),
        _ => scenario.cluster.as_ref().is_some_and(|part| (part.nodes, part.cpu, part.vjobs) == (11, 2, 8)),
    }
}

/// Whether a value that is in an interval is a published one.
fn verdict((low, high): (f64, f64), published: f64) -> Verdict {
    let (least, most) = (published * (1.0 - TOLERANCE), published * (1.0 + TOLERANCE));
    if least <= low && high <= most {
        Verdict::Holds
    } else if high < least || most < low {
        Verdict::Fails
    } else {
        Verdict::Open
    }
}

struct Measures<'a> {
    rows: &'a Long<Row>,
    bootstrap: Bootstrap,
}

impl Measures<'_> {
    /// Our value of a quantity; `None` if the scenario has no such part or policy.
    fn of(&self, quantity: &str) -> Option<Estimate> {
        let without = |value| Estimate { value, interval: None };
        let mean_minutes = |policy| self.bootstrap.mean(&minutes(self.rows, policy));
        let seconds = |row: &SwitchRow| row.duration_s.as_secs_f64();
        match quantity {
            "cost_reduction_percent" => {
                let pairs = pairs(self.rows);
                let reductions: Vec<f64> = pairs.iter().filter_map(reduction_percent).collect();
                self.bootstrap.mean(&reductions)
            }
            "fcfs_min" => mean_minutes("booking"),
            "optimised_min" => mean_minutes("optimised"),
            "time_reduction_percent" => {
                let [optimised, booking] = ["optimised", "booking"].map(|policy| minutes(self.rows, policy));
                let both = optimised.into_iter().zip(booking);
                let less: Vec<f64> = both.map(|(ours, booked)| 100.0 - 100.0 * ours / booked).collect();
                self.bootstrap.mean(&less)
            }
            "switches" => self.a_run(|_| 1),
            "mean_switch_s" => self.duration_of(|_| true),
            "three_migrations_s" => {
                self.duration_of(|row| row.migrations == 3 && row.suspends + resumes(row) == 0)
            }
            "nine_resumes_s" => self.duration_of(|row| resumes(row) >= 9),
            "local_percent" => {
                let percent = |rows: &Vec<&SwitchRow>| {
                    let local: u64 = rows.iter().map(|row| row.local_resumes).sum();
                    let all: u64 = rows.iter().map(|row| resumes(row)).sum();
                    (all > 0).then(|| 100.0 * local as f64 / all as f64)
                };
                self.bootstrap.mean(&self.by_replication().iter().filter_map(percent).collect::<Vec<f64>>())
            }
            "free_switches" => self.a_run(|row| u64::from(row.cost_mb == 0)),
            "max_free_switch_s" => {
                let own = switches(self.rows).filter(|row| row.policy == "optimised" && row.cost_mb == 0);
                own.map(seconds).reduce(f64::max).map(without)
            }
            "local_resumes" => self.a_run(|row| row.local_resumes),
            "resumes" => self.a_run(resumes),
            "peak_demand" => {
                let mut peaks = BTreeMap::<u32, u64>::new();
                for row in loads(self.rows).filter(|row| row.policy == "optimised") {
                    let peak = peaks.entry(row.replication).or_default();
                    *peak = row.demanded_cpu.max(*peak);
                }
                self.bootstrap.mean(&peaks.into_values().map(|peak| peak as f64).collect::<Vec<f64>>())
            }
            _ => None,
        }
    }
    /// The mean duration of some switches, in seconds.
    fn duration_of(&self, is_one: fn(&SwitchRow) -> bool) -> Option<Estimate> {
        let seconds = |rows: &Vec<&SwitchRow>| -> Vec<f64> {
            rows.iter().filter(|row| is_one(row)).map(|row| row.duration_s.as_secs_f64()).collect()
        };
        let mut blocks: Vec<Vec<f64>> = self.by_replication().iter().map(seconds).collect();
        blocks.retain(|block| !block.is_empty());
        self.bootstrap.estimates(&blocks).map(|estimates| estimates.mean)
    }
    /// The switches of each simulation of the optimised policy.
    fn by_replication(&self) -> Vec<Vec<&SwitchRow>> {
        let runs = simulations(self.rows).filter(|row| row.policy == "optimised");
        let of = |replication| {
            let is_one = move |row: &&SwitchRow| row.policy == "optimised" && row.replication == replication;
            switches(self.rows).filter(is_one).collect()
        };
        runs.map(|run| of(run.replication)).collect()
    }
    /// The mean over the simulations of a sum over switches.
    fn a_run(&self, of: fn(&SwitchRow) -> u64) -> Option<Estimate> {
        let sum = |rows: &Vec<&SwitchRow>| rows.iter().map(|row| of(row)).sum::<u64>() as f64;
        self.bootstrap.mean(&self.by_replication().iter().map(sum).collect::<Vec<f64>>())
    }
}

fn resumes(row: &SwitchRow) -> u64 {
    row.local_resumes + row.remote_resumes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 90 to 110 is within a tenth of 100.
    #[test]
    fn verdicts_are_by_intervals() {
        for (interval, expected) in [
            ((91.0, 109.0), Verdict::Holds),
            ((85.0, 95.0), Verdict::Open),
            ((80.0, 120.0), Verdict::Open),
            ((111.0, 120.0), Verdict::Fails),
            ((10.0, 80.0), Verdict::Fails),
        ] {
            assert_eq!(verdict(interval, 100.0), expected, "{interval:?}");
        }
    }

    /// The published numbers agree with each other: 150 of 250 minutes are 40 % less.
    #[test]
    fn every_published_number_has_a_statement() {
        let published: Vec<Vec<&str>> = include_str!("../reference/text.csv")
            .lines()
            .skip(1)
            .map(|line| line.split(',').collect())
            .collect();
        let names: Vec<&str> = published.iter().map(|line| line[1]).collect();
        assert_eq!(names, STATEMENTS.map(|(name, _)| name));
        let number = |name| published.iter().find(|line| line[1] == name).unwrap()[2].parse::<f64>().unwrap();
        let reduction = 100.0 - 100.0 * number("optimised_min") / number("fcfs_min");
        assert!((reduction - number("time_reduction_percent")).abs() < 1e-9);
    }
}
