//! Figures of the off-line study, drawn from its tables.

mod beside;
mod greedy;
mod series;
mod slack;

use crate::legacy::grid;
use crate::legacy::results::Drawn;
use dfrsim_legacy::TabledResults;

/// Draws what the tables of a run without rows of the on-line kind allow: of the off-line study the dissertation's figures
/// 4.1 to 4.3, tables that stand beside published ones, and RR-6692's figures against slack and against tasks; of the grid
/// study tables 2 to 17 beside the published ones.
///
/// ```
/// use dfrsim_legacy::{AnyResults, RunOptions, offline};
/// use std::sync::atomic::AtomicBool;
///
/// let scenario = "study = 'offline'\nalgorithms = ['MCB5', 'MCB8']\n\
///     [[instances]]\nname = 'few'\nset = 'rr6692-small'\nsamples = 1\n";
/// let scenario = offline::Scenario::parse(scenario, "few.toml", &[])?;
/// let folder = tempfile::tempdir()?;
/// let options = RunOptions { threads: 1, ..RunOptions::new(folder.path()) };
/// offline::run(&scenario, &options, &AtomicBool::new(false), &())?;
///
/// let AnyResults::Tabled(results) = AnyResults::read(folder.path())? else { panic!("it is not on-line") };
/// let drawn = dfrsim_plots::draw_tables(&results);
/// assert!(drawn.figures.iter().any(|figure| figure.stem == "minimum-yield-by-slack-rr6692-small-mcb"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn draw_tables(results: &TabledResults) -> Drawn {
    let mut drawn = Drawn::default();
    match results.study.as_str() {
        "offline" => {
            greedy::draw(results, &mut drawn);
            slack::draw(results, &mut drawn);
            beside::draw(results, &mut drawn);
            series::draw(results, &mut drawn);
        }
        "grid" => grid::draw(results, &mut drawn),
        study => drawn.left_out.push(format!("there are no figures of the study `{study}`")),
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::legible::assert_legible;
    use dfrsim_legacy::AnyResults;
    use std::fmt::Write as _;
    use std::fs;

    /// What is drawn of a folder with these tables.
    fn drawn(study: &str, tables: &[(&str, String)]) -> Drawn {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        fs::create_dir(folder.path().join("tables")).unwrap();
        write("scenario.toml", &format!("study = '{study}'"));
        write("manifest.toml", "");
        for (name, text) in tables {
            write(&format!("tables/{name}.csv"), text);
        }
        let AnyResults::Tabled(results) = AnyResults::read(folder.path()).unwrap() else {
            panic!("it is not on-line")
        };
        draw_tables(&results)
    }

    fn stems(drawn: &Drawn) -> Vec<&str> {
        drawn.figures.iter().map(|figure| figure.stem.as_str()).collect()
    }

    #[test]
    fn the_dissertations_figures_are_drawn_and_legible() {
        let mut passes = "algorithm,relative_dfb,fr\n".to_owned();
        for x in 1..=7 {
            for y in 1..=7 {
                writeln!(passes, "GREEDY_S{x}_P{y},{}.5,{}", 40 + 6 * x, 12 + y).unwrap();
            }
        }
        let slack = "slack,mean,p75,p90,p99,max,paper_mean\n0.1,19,24,60,88,99,19.23\n0.2,10,12,33,70,99,\n";
        let small = "line,slack,mean,paper_mean,p90,paper_p90\n\
                     OPT below LPBOUND,0.1,18,14.63,39,45.91\nOPT below LPBOUND,0.2,13,,31,\n\
                     VP_CPSUM below OPT,0.1,11,,30,66.35\nVP_CPSUM below OPT,0.2,9,,26,\n";
        let beside = "algorithm,relative_dfb,paper_relative_dfb,fr_of_bounded,paper_fr\n\
                      GREEDY,30.1,30.07,7.9,7.73\nVP_CPSUM,9.3,9.92,8.7,8.2\n";
        let tables = [
            ("figure_4_1", passes),
            ("figure_4_2", slack.to_owned()),
            ("figure_4_3", small.to_owned()),
            ("table_4_4", beside.to_owned()),
        ];
        let drawn = drawn("offline", &tables);
        let expected = [
            "figure-4-1-a",
            "figure-4-1-b",
            "figure-4-2",
            "figure-4-3",
            "table-4-4-distance",
            "table-4-4-failures",
        ];
        assert_eq!(stems(&drawn), expected);
        drawn.figures.iter().for_each(assert_legible);
        // All 49 are in both parts, each in the series of its rule or its order.
        assert_eq!([0, 1].map(|part| drawn.figures[part].csv.lines().count()), [50, 50]);
        assert_eq!(drawn.figures[1].csv.lines().nth(1), Some("GREEDY_S1_P1,13,46.5"));
    }

    #[test]
    fn who_ran_on_a_part_of_the_instances_is_told() {
        let by_slack = "set,slack,algorithm,instances,minimum_yield,average_yield,fr\n\
                        rr6692-large,0.1,MCB8,100,0.5,0.6,20\nrr6692-large,0.1,GB,10,0.7,0.8,50\n\
                        rr6692-large,0.2,MCB8,100,0.6,0.7,0\nrr6692-large,0.2,GB,10,0.8,0.9,10\n";
        let drawn = drawn("offline", &[("rr6692_by_slack", by_slack.to_owned())]);
        drawn.figures.iter().for_each(assert_legible);
        assert!(stems(&drawn).contains(&"minimum-yield-by-slack-rr6692-large-mcb"));
        let all = drawn.figures.iter().find(|figure| figure.stem == "failures-by-slack-rr6692-large-all");
        let all = all.expect("it is drawn");
        assert_eq!(all.remarks, ["on a part of the instances: GB"]);
        assert!(all.csv.contains("GB,0.2,10"));
    }

    #[test]
    fn means_over_the_workloads_stand_beside_the_published_ones() {
        let header = "metric,cancellation,platform,local,heuristic,workload,mean,half_width_95,published\n";
        let line = |metric: &str, workload: &str, mean: f64, published: &str| {
            format!("{metric},with,heterogeneous,CBF,minmin,{workload},{mean},,{published}\n")
        };
        let text = header.to_owned()
            + &line("relative_response", "jan", 0.5, "0.6")
            + &line("relative_response", "feb", 0.7, "0.8")
            + &line("relative_response", "own", 9.0, "")
            + &line("reallocations", "jan", 0.0, "3");
        let drawn = drawn("grid", &[("figures", text)]);
        drawn.figures.iter().for_each(assert_legible);
        // Table 17 alone: the axis of table 13 has no zero.
        assert_eq!(stems(&drawn), ["table-17"]);
        assert_eq!(drawn.figures[0].csv, "local_and_heuristic,here,published\nCBF minmin,0.6,0.7\n");
        assert_eq!(drawn.left_out.len(), 15);
    }

    #[test]
    fn of_other_studies_nothing_is_drawn_and_that_is_told() {
        let drawn = drawn("discovery", &[]);
        assert!(drawn.figures.is_empty());
        assert_eq!(drawn.left_out, ["there are no figures of the study `discovery`"]);
    }
}
