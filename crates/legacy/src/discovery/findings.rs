//! What section 7.4 says of the results, checked on ours.
//!
//! Approaches are compared on the same seeds. A claim *holds* where the 95 % interval of a mean difference is above zero,
//! *does not hold* where it is below, and is *open* where it contains zero.

use super::experiment::Row;
use super::published::Published::{self, Balanced, Unbalanced};
use super::sample::{AVERAGE_MINIMUM, Figure, MINIMUM_AVERAGE, rows_of};
use super::scenario::Scenario;
use crate::Table;
use crate::comparison::{Bootstrap, Estimate};
use crate::tables::Cell;
use dfrsim_discovery::Approach::{self, Dynamic, DynamicMigration, Xen};

/// A statement of the text; all of its claims are meant.
struct Statement {
    text: &'static str,
    claims: &'static [Claim],
}

/// That a sum is positive: of a figure of approaches on kinds of workloads, each times a factor.
struct Claim(Figure, &'static [(f64, Published, Approach)]);

const STATEMENTS: [Statement; 10] = [
    Statement {
        text: "balanced: Xen has a better average minimum yield than DYNAMIC",
        claims: &[Claim(AVERAGE_MINIMUM, &[(1.0, Balanced, Xen), (-1.0, Balanced, Dynamic)])],
    },
    Statement {
        text: "balanced: migration lowers the average minimum yield further",
        claims: &[Claim(AVERAGE_MINIMUM, &[(1.0, Balanced, Dynamic), (-1.0, Balanced, DynamicMigration)])],
    },
    Statement {
        text: "balanced: migration costs less average minimum yield than discovery",
        claims: &[Claim(
            AVERAGE_MINIMUM,
            // (Xen - DYNAMIC) - (DYNAMIC - DYNAMIC+MIGRATION)
            &[(1.0, Balanced, Xen), (-2.0, Balanced, Dynamic), (1.0, Balanced, DynamicMigration)],
        )],
    },
    Statement {
        text: "balanced: DYNAMIC has a better minimum average yield than Xen",
        claims: &[Claim(MINIMUM_AVERAGE, &[(1.0, Balanced, Dynamic), (-1.0, Balanced, Xen)])],
    },
    Statement {
        text: "balanced: DYNAMIC has a better minimum average yield than DYNAMIC+MIGRATION",
        claims: &[Claim(MINIMUM_AVERAGE, &[(1.0, Balanced, Dynamic), (-1.0, Balanced, DynamicMigration)])],
    },
    Statement {
        text: "two hogs lower both metrics of all approaches",
        claims: &[
            Claim(AVERAGE_MINIMUM, &[(1.0, Balanced, Xen), (-1.0, Unbalanced, Xen)]),
            Claim(AVERAGE_MINIMUM, &[(1.0, Balanced, Dynamic), (-1.0, Unbalanced, Dynamic)]),
            Claim(
                AVERAGE_MINIMUM,
                &[(1.0, Balanced, DynamicMigration), (-1.0, Unbalanced, DynamicMigration)],
            ),
            Claim(MINIMUM_AVERAGE, &[(1.0, Balanced, Xen), (-1.0, Unbalanced, Xen)]),
            Claim(MINIMUM_AVERAGE, &[(1.0, Balanced, Dynamic), (-1.0, Unbalanced, Dynamic)]),
            Claim(
                MINIMUM_AVERAGE,
                &[(1.0, Balanced, DynamicMigration), (-1.0, Unbalanced, DynamicMigration)],
            ),
        ],
    },
    Statement {
        text: "unbalanced: Xen has the best average minimum yield",
        claims: &[
            Claim(AVERAGE_MINIMUM, &[(1.0, Unbalanced, Xen), (-1.0, Unbalanced, Dynamic)]),
            Claim(AVERAGE_MINIMUM, &[(1.0, Unbalanced, Xen), (-1.0, Unbalanced, DynamicMigration)]),
        ],
    },
    Statement {
        text: "unbalanced: migration lowers the average minimum yield further",
        claims: &[Claim(
            AVERAGE_MINIMUM,
            &[(1.0, Unbalanced, Dynamic), (-1.0, Unbalanced, DynamicMigration)],
        )],
    },
    Statement {
        text: "unbalanced: DYNAMIC+MIGRATION has a better minimum average yield than DYNAMIC",
        claims: &[Claim(
            MINIMUM_AVERAGE,
            &[(1.0, Unbalanced, DynamicMigration), (-1.0, Unbalanced, Dynamic)],
        )],
    },
    Statement {
        text: "unbalanced: DYNAMIC has a better minimum average yield than Xen",
        claims: &[Claim(MINIMUM_AVERAGE, &[(1.0, Unbalanced, Dynamic), (-1.0, Unbalanced, Xen)])],
    },
];

/// The statements for which the scenario has the workloads and approaches, on its first variant.
pub(super) fn table(scenario: &Scenario, rows: &[Row]) -> Table {
    let mut lines = Vec::new();
    for Statement { text, claims } in &STATEMENTS {
        let sums: Option<Vec<Vec<f64>>> = claims.iter().map(|claim| claim.sums(scenario, rows)).collect();
        let Some(sums) = sums else { continue };
        let means: Vec<Estimate> =
            sums.iter().filter_map(|sums| Bootstrap::of_study(scenario.seed).mean(sums)).collect();
        let figures: Vec<String> = sums.iter().zip(&means).map(|(sums, mean)| figures(sums, mean)).collect();
        lines.push([(*text).to_owned(), verdict(&means).to_owned(), figures.join("; ")]);
    }
    lines.extend(either_way(scenario, rows));
    let lines = lines.into_iter().map(|line| line.map(Cell::Text).to_vec()).collect();
    Table::new(vec!["statement", "verdict", "mean difference [95 %], seeds above zero"], lines)
}

impl Claim {
    /// The sum for each seed; nothing if there is no such workload or approach.
    fn sums(&self, scenario: &Scenario, rows: &[Row]) -> Option<Vec<f64>> {
        let Claim(figure, terms) = self;
        let mut sums = Vec::new();
        for &(factor, table, approach) in *terms {
            let values = values(scenario, rows, table, approach, *figure)?;
            sums.resize(values.len(), 0.0);
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += factor * value);
        }
        Some(sums)
    }
}

/// A figure of each seed.
fn values(
    scenario: &Scenario,
    rows: &[Row],
    table: Published,
    approach: Approach,
    figure: Figure,
) -> Option<Vec<f64>> {
    let group = scenario.workloads.iter().find(|group| group.published == Some(table))?;
    let rows = rows_of(rows, group, scenario.variants.first()?, approach);
    (!rows.is_empty()).then(|| rows.into_iter().map(figure).collect())
}

fn verdict(means: &[Estimate]) -> &'static str {
    let ends = || means.iter().map(|mean| mean.interval.unwrap_or((f64::NEG_INFINITY, f64::INFINITY)));
    if ends().all(|(low, _)| low > 0.0) {
        "holds"
    } else if ends().any(|(_, high)| high < 0.0) {
        "does not hold"
    } else {
        "open"
    }
}

fn figures(sums: &[f64], mean: &Estimate) -> String {
    let above = sums.iter().filter(|sum| **sum > 0.0).count();
    let interval = mean.interval.map_or_else(String::new, |(low, high)| format!(" [{low:+.4}, {high:+.4}]"));
    format!("{:+.4}{interval}, {above} of {}", mean.value, sums.len())
}

/// In one of the published runs DYNAMIC+MIGRATION was better than Xen by the minimum average yield, in the other it was the
/// worst of the three: whether each happens for at least a twentieth of the seeds.
fn either_way(scenario: &Scenario, rows: &[Row]) -> Option<[String; 3]> {
    let of = |approach| values(scenario, rows, Balanced, approach, MINIMUM_AVERAGE);
    let (xen, dynamic, migration) = (of(Xen)?, of(Dynamic)?, of(DynamicMigration)?);
    let count = migration.len();
    let better = (0..count).filter(|&seed| migration[seed] > xen[seed]).count();
    let worst = (0..count).filter(|&seed| migration[seed] < xen[seed].min(dynamic[seed])).count();
    let holds = better.min(worst) * 20 >= count;
    Some([
        "balanced: by the minimum average yield DYNAMIC+MIGRATION is now better than Xen, now the worst \
         (each for 5 % of the seeds or more)"
            .to_owned(),
        if holds { "holds" } else { "does not hold" }.to_owned(),
        format!("better for {better}, worst for {worst} of {count}"),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery::resolve::scenario as scenario_of;
    use crate::scenario::ScenarioText;

    fn estimate(low: f64, high: f64) -> Estimate {
        Estimate { value: f64::midpoint(low, high), interval: Some((low, high)) }
    }

    #[test]
    fn verdicts_are_by_intervals() {
        assert_eq!(verdict(&[estimate(0.1, 0.2), estimate(0.3, 0.4)]), "holds");
        assert_eq!(verdict(&[estimate(0.1, 0.2), estimate(-0.1, 0.4)]), "open");
        assert_eq!(verdict(&[estimate(-0.1, 0.4), estimate(-0.4, -0.3)]), "does not hold");
        assert_eq!(
            verdict(&[Estimate { value: 1.0, interval: None }]),
            "open",
            "a single seed tells nothing"
        );
    }

    /// Differences are of the same seeds, and a statement needs all of its approaches.
    #[test]
    fn sums_are_seed_by_seed() {
        let row = |approach: Approach, sample, figure| Row {
            workload: "balanced".to_owned(),
            variant: "standard".to_owned(),
            approach: approach.to_string(),
            sample,
            average_minimum_yield: figure,
            minimum_average_yield: 0.0,
            mean_yield: 0.0,
            utilisation: 0.0,
            migrations: 0,
            remappings: 0,
        };
        let rows = [row(Xen, 0, 0.5), row(Xen, 1, 0.75), row(Dynamic, 0, 0.25), row(Dynamic, 1, 1.0)];
        let text = r#"
            study = "discovery"
            [[workloads]]
            name = "balanced"
            published = "dissertation-7.1"
            testbed = {}
        "#;
        let source = ScenarioText { text, name: "test", folder: None, overrides: &[] };
        let scenario = scenario_of(&source).unwrap();
        let sums = |statement: &Statement| statement.claims[0].sums(&scenario, &rows);
        assert_eq!(sums(&STATEMENTS[0]), Some(vec![0.25, -0.25]));
        assert_eq!(sums(&STATEMENTS[1]), None, "nothing is known of DYNAMIC+MIGRATION");
        assert_eq!(table(&scenario, &rows).csv().lines().count(), 3, "a header and two statements");
    }
}
