//! The numbers that the text states, beside ours where the experiment is as large as its own; and what it says in words.
//!
//! A number *holds* where the 95 % interval of ours is within a tenth of it, *fails* where the interval is outside, and is
//! *open* where the interval is partly within.

use crate::model;
use crate::rows::{Row, SwitchRow, loads, of_runs, pairs, reduction_percent, switches};
use crate::scenario::ContextSwitches;
use crate::statements;
use crate::tables::minutes;
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::query::Limit;
use dfrsim_lab::{Bootstrap, Claim, Estimate, Long, Verdict};
use std::collections::BTreeMap;

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
        let mut fields = line.splitn(4, ',');
        let (section, quantity) = (fields.next()?, fields.next()?);
        let published: f64 = fields.next()?.parse().ok()?;
        let statement = fields.next()?.trim_matches('"');
        if !is_as_in_the_text(scenario, section) {
            return None;
        }
        let Estimate { value, interval } = measures.of(quantity)?;
        let (low, high) = interval.unwrap_or((value, value));
        let claim = Claim::new(
            format!("RR-6929, section {section}"),
            statement,
            match quantity {
                "max_free_switch_s" => Verdict::from_bool(high <= published),
                _ => Limit::within(0.9 * published, 1.1 * published).verdict((low, high)),
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
                let percent = |own: &[&SwitchRow]| {
                    let local: u64 = own.iter().map(|row| row.local_resumes).sum();
                    let all: u64 = own.iter().map(|row| resumes(row)).sum();
                    (all > 0).then(|| 100.0 * local as f64 / all as f64)
                };
                self.bootstrap.mean(&of_runs(self.rows, percent))
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
        let seconds = |own: &[&SwitchRow]| {
            let own = own.iter().filter(|row| is_one(row)).map(|row| row.duration_s.as_secs_f64());
            Some(own.collect::<Vec<f64>>()).filter(|own| !own.is_empty())
        };
        self.bootstrap.estimates(&of_runs(self.rows, seconds)).map(|estimates| estimates.mean)
    }
    /// The mean over the simulations of a sum over switches.
    fn a_run(&self, of: fn(&SwitchRow) -> u64) -> Option<Estimate> {
        let sum = |own: &[&SwitchRow]| Some(own.iter().map(|row| of(row)).sum::<u64>() as f64);
        self.bootstrap.mean(&of_runs(self.rows, sum))
    }
}

fn resumes(row: &SwitchRow) -> u64 {
    row.local_resumes + row.remote_resumes
}

#[cfg(test)]
mod tests {
    /// The published numbers agree with each other: 150 of 250 minutes are 40 % less.
    #[test]
    fn the_published_reduction_is_that_of_the_published_times() {
        let lines =
            || include_str!("../reference/text.csv").lines().map(|line| line.split(',').collect::<Vec<_>>());
        let number = |name| lines().find(|line| line[1] == name).unwrap()[2].parse::<f64>().unwrap();
        let reduction = 100.0 - 100.0 * number("optimised_min") / number("fcfs_min");
        assert!((reduction - number("time_reduction_percent")).abs() < 1e-9);
    }
}
