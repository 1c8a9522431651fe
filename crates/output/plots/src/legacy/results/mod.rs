//! Figures of the results of a run.

mod by_load;
mod by_period;
mod comparison;
mod distribution;
mod groups;
mod tradeoff;

pub use comparison::draw_comparison;

use crate::figure::Figure;
use dfrsim_legacy::Results;

/// All figures that results allow, and what they do not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawn {
    /// The figures; no two have the same stem.
    pub figures: Vec<Figure>,
    /// What is not drawn, and why: a line each.
    pub left_out: Vec<String>,
}

/// Draws everything that results allow.
///
/// For each workload, penalty and tau: the mean degradation by load, where there are several loads; degradation and
/// bandwidth by period, where there are several periods, and the one against the other, where several policies have them, both also
/// for the loads of a published table that leaves lighter ones out; the distribution of the degradation over the instances, as box
/// plots and as distribution functions. Failed simulations are left out.
#[must_use]
pub fn draw_results(results: &Results) -> Drawn {
    let groups = groups::groups(&results.rows);
    let mut drawn = Drawn::default();
    for group in &groups {
        by_load::draw(group, &mut drawn);
    }
    let with_parts = groups::with_parts(results, &groups);
    by_period::draw(results, &with_parts, &mut drawn);
    for group in &with_parts {
        tradeoff::draw(results, group, &mut drawn);
    }
    for group in &groups {
        distribution::draw(group, &mut drawn);
    }
    drawn
}

impl Drawn {
    /// Adds a figure, under another name if its own is taken.
    pub(crate) fn add(&mut self, mut figure: Figure) {
        let is_taken = |stem: &str, figures: &[Figure]| figures.iter().any(|figure| figure.stem == stem);
        let stem = figure.stem.clone();
        let mut number = 2;
        while is_taken(&figure.stem, &self.figures) {
            figure.stem = format!("{stem}-{number}");
            number += 1;
        }
        self.figures.push(figure);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::legible::assert_legible;
    use dfrsim_legacy::{RunOptions, Scenario, run};
    use std::sync::atomic::AtomicBool;

    fn results(policies: &str, rest: &str) -> Results {
        let text = format!(
            "study = 'online'\npolicies = [{policies}]\n[simulation]\npenalty = [0, 300]\n{rest}\n\
             [[workloads]]\nname = 'model a'\nnodes = 16\n\
             lublin = {{ traces = 3, jobs = 40, loads = [0.3, 0.5, 0.9] }}\n"
        );
        of_scenario(&text)
    }

    fn of_scenario(text: &str) -> Results {
        let scenario = Scenario::parse(text, "few.toml", &[]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let options = RunOptions { threads: 1, ..RunOptions::new(folder.path()) };
        run(&scenario, &options, &AtomicBool::new(false), &()).unwrap();
        Results::read(folder.path()).unwrap()
    }

    fn stems(drawn: &Drawn) -> Vec<&str> {
        drawn.figures.iter().map(|figure| figure.stem.as_str()).collect()
    }

    #[test]
    fn everything_is_drawn_and_legible() {
        let results = results(
            "'FCFS', 'EASY', 'GreedyP*/per/OPT=MIN', 'MCB/per/OPT=MIN/MVT=600'",
            "period = [600, 9000]",
        );
        let drawn = draw_results(&results);
        let kinds = [
            "degradation-by-load",
            "degradation-by-period",
            "bandwidth-by-period",
            "degradation-by-bandwidth",
            "degradation-distribution",
            "degradation-ecdf",
        ];
        for kind in kinds {
            for penalty in [0, 300] {
                let stem = format!("{kind}-model-a-penalty-{penalty}");
                assert!(stems(&drawn).contains(&stem.as_str()), "{stem}: {:?}", stems(&drawn));
            }
        }
        assert_eq!((drawn.figures.len(), drawn.left_out.len()), (12, 0));
        drawn.figures.iter().for_each(assert_legible);
    }

    /// The mean of the rows, taken here one by one.
    #[test]
    fn means_are_those_of_the_rows() {
        let results = results("'FCFS', 'EASY'", "");
        let drawn = draw_results(&results);
        let figure = &drawn.figures[0];
        assert_eq!(figure.stem, "degradation-by-load-model-a-penalty-0");
        let lines: Vec<Vec<&str>> =
            figure.csv.lines().skip(1).map(|line| line.split(',').collect()).collect();
        assert_eq!(lines.len(), 2 * 3);
        for fields in lines {
            let load: f64 = fields[1].parse().unwrap();
            let is_meant = |row: &&dfrsim_legacy::Row| {
                let cell = &row.cell;
                cell.policy == fields[0] && cell.load == Some(load) && cell.penalty_s.is_zero()
            };
            let rows: Vec<_> = results.rows.iter().filter(is_meant).collect();
            let sum: f64 = rows.iter().map(|row| row.outcome.as_ref().unwrap().degradation).sum();
            assert_eq!((fields[2], rows.len()), ("3", 3));
            assert!((fields[3].parse::<f64>().unwrap() - sum / 3.0).abs() < 1e-9);
        }
    }

    #[test]
    fn of_many_policies_the_best_are_drawn_and_the_batch_policies() {
        let results = results("'FCFS', 'EASY', { matching = '^Greedy.*OPT=MIN' }", "");
        let drawn = draw_results(&results);
        drawn.figures.iter().for_each(assert_legible);
        let figure = &drawn.figures[0];
        let mut policies: Vec<&str> =
            figure.csv.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
        policies.dedup();
        assert_eq!(policies[..2], ["FCFS", "EASY"]);
        assert!((12..=14).contains(&policies.len()), "{policies:?}");
        // Whoever is not drawn is no better than the worst of the others.
        let mean = |policy: &str| {
            let is_meant =
                |row: &&dfrsim_legacy::Row| row.cell.policy == policy && row.cell.penalty_s.is_zero();
            let rows: Vec<_> = results.rows.iter().filter(is_meant).collect();
            rows.iter().map(|row| row.outcome.as_ref().unwrap().degradation).sum::<f64>() / rows.len() as f64
        };
        let worst = policies[2..].iter().map(|policy| mean(policy)).fold(0.0, f64::max);
        let others: Vec<&str> = results.rows.iter().map(|row| row.cell.policy.as_str()).collect();
        let mut others = others.into_iter().filter(|policy| !policies.contains(policy)).peekable();
        assert!(others.peek().is_some());
        for policy in others {
            assert!(mean(policy) >= worst, "{policy}: {} < {worst}", mean(policy));
        }
        let remark = &figure.remarks[0];
        assert!(
            remark.starts_with("the 12 of ") && remark.contains(" with the least mean degradation"),
            "{remark}"
        );
    }

    #[test]
    fn failed_simulations_are_left_out_and_told() {
        let mut results = results("'FCFS', 'EASY'", "");
        results.rows[0].outcome = Err("stuck".to_owned());
        // Not even a row that nobody could have written makes a picture that cannot be drawn.
        for (index, degradation) in [(2, f64::INFINITY), (4, 0.0), (6, f64::NAN), (8, 1e-310), (10, 1e300)] {
            results.rows[index].outcome.as_mut().unwrap().degradation = degradation;
        }
        draw_results(&results).figures.iter().for_each(|figure| assert!(!figure.picture.png().is_empty()));
        let mut results = self::results("'FCFS', 'EASY'", "");
        results.rows[0].outcome = Err("stuck".to_owned());
        let drawn = draw_results(&results);
        let figure = &drawn.figures[0];
        assert_eq!(figure.remarks, ["1 failed simulation is left out"]);
        let (cell, first) = (&results.rows[0].cell, figure.csv.lines().nth(1).unwrap());
        assert!(first.starts_with(&format!("{},{},2,", cell.policy, cell.load.unwrap())), "{first}");
        assert_legible(figure);
    }

    /// A workload that is compared with a table of high loads has figures of these too.
    #[test]
    fn loads_of_a_published_table_are_drawn_by_themselves() {
        let text = |published: &str| {
            format!(
                "study = 'online'\npolicies = ['/per/OPT=MIN', '/per/OPT=AVG']\n[simulation]\nperiod = [600, 1200]\n\
                 [[workloads]]\nname = 'model'\nnodes = 16\n{published}\
                 lublin = {{ traces = 1, jobs = 30, loads = [0.3, 0.7, 0.9] }}\n"
            )
        };
        let results = of_scenario(&text("published = 'dissertation-b4-b6'\n"));
        let drawn = draw_results(&results);
        let penalty = results.rows[0].cell.penalty_s;
        for kind in ["degradation-by-period", "bandwidth-by-period", "degradation-by-bandwidth"] {
            let stem = format!("{kind}-model-load-0.7-penalty-{penalty}");
            let figure = drawn.figures.iter().find(|figure| figure.stem == stem);
            let figure = figure.unwrap_or_else(|| panic!("{stem}: {:?}", stems(&drawn)));
            assert_legible(figure);
            let of_two_loads = figure.csv.lines().skip(1).all(|line| line.split(',').nth(2) == Some("2"));
            assert!(of_two_loads, "{}", figure.csv);
        }
        let without = draw_results(&of_scenario(&text("")));
        assert_eq!(without.figures.len() + 3, drawn.figures.len());
    }

    /// One policy on two workloads: one figure with a line a workload, as figure 6.1 has it.
    #[test]
    fn one_periodic_policy_has_a_line_a_workload() {
        let results = of_scenario(
            "study = 'online'\npolicies = ['FCFS', '/per/OPT=MIN']\n\
             [simulation]\nperiod = [600, 1200]\n\
             [[workloads]]\nname = 'a'\nnodes = 8\nlublin = { traces = 1, jobs = 20 }\n\
             [[workloads]]\nname = 'b'\nnodes = 8\nnode_memory_gb = 4.0\nlublin = { traces = 1, jobs = 30 }\n",
        );
        let drawn = draw_results(&results);
        let penalty = results.rows[0].cell.penalty_s;
        let expected = [
            format!("degradation-by-period-penalty-{penalty}"),
            format!("bandwidth-by-period-penalty-{penalty}"),
        ];
        assert_eq!(stems(&drawn), expected);
        drawn.figures.iter().for_each(assert_legible);
        let of_b = |row: &&dfrsim_legacy::Row| row.cell.workload == "b" && row.cell.period_s.is_some();
        let figures = results.rows.iter().filter(of_b).map(|row| row.outcome.as_ref().unwrap());
        let expected: Vec<String> =
            figures.map(|figures| figures.migration_gb_per_s(4.0).to_string()).collect();
        let lines = drawn.figures[1].csv.lines().filter(|line| line.starts_with("b,"));
        let told: Vec<String> = lines.filter_map(|line| line.rsplit(',').next()).map(str::to_owned).collect();
        assert_eq!(told, expected);
        // Two loads and several instances are lacking, for both workloads.
        assert_eq!(drawn.left_out.len(), 4, "{:?}", drawn.left_out);
    }
}
