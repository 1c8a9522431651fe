//! Which rows belong into one figure, and to one of its lines.

use crate::legacy::mean::mean;
use dfrsim_legacy::{Figures, Results, Row};
use dfrsim_model::SimSpan;

/// The rows of one workload, penalty and tau.
#[derive(Clone, Debug)]
pub(super) struct Group<'a> {
    pub(super) workload: &'a str,
    pub(super) penalty: SimSpan,
    tau: SimSpan,
    /// Whether there are groups of other taus.
    names_tau: bool,
    /// Loads below this are left out.
    least_load: Option<f64>,
    rows: Vec<&'a Row>,
}

/// The simulations of one setting that can be drawn.
#[derive(Clone, Debug)]
pub(super) struct Series<'a> {
    /// The policy, and what else tells it from the others.
    pub(super) name: String,
    policy: &'a str,
    pub(super) runs: Vec<(&'a Row, &'a Figures)>,
}

/// What may tell a setting from others with the same policy.
type Part = fn(&Row) -> Option<String>;

/// Of more series than this only the best are drawn, and the batch policies that all others are compared with.
pub(super) const MOST_SERIES: usize = 12;
const ALWAYS: [&str; 2] = ["FCFS", "EASY"];

/// All groups, in the order of the rows.
pub(super) fn groups(rows: &[Row]) -> Vec<Group<'_>> {
    let mut groups = Vec::<Group<'_>>::new();
    for row in rows {
        let cell = &row.cell;
        let belongs = |group: &&mut Group<'_>| {
            group.workload == cell.workload && group.penalty == cell.penalty_s && group.tau == cell.tau_s
        };
        match groups.iter_mut().rev().find(belongs) {
            Some(group) => group.rows.push(row),
            None => groups.push(Group {
                workload: &cell.workload,
                penalty: cell.penalty_s,
                tau: cell.tau_s,
                names_tau: rows.iter().any(|other| other.cell.tau_s != cell.tau_s),
                least_load: None,
                rows: vec![row],
            }),
        }
    }
    groups
}

/// The groups, and after each those of its rows that a published table is about.
pub(super) fn with_parts<'a>(results: &Results, groups: &[Group<'a>]) -> Vec<Group<'a>> {
    let with_parts = |group: &Group<'a>| {
        let parts =
            results.least_loads(group.workload).into_iter().filter_map(|load| group.part_of_load(load));
        std::iter::once(group.clone()).chain(parts).collect::<Vec<_>>()
    };
    groups.iter().flat_map(with_parts).collect()
}

impl<'a> Group<'a> {
    /// The rows with this load or more; nothing if these are all or none.
    fn part_of_load(&self, least_load: f64) -> Option<Group<'a>> {
        let mut part = Group { least_load: Some(least_load), ..self.clone() };
        part.rows.retain(|row| row.cell.load.is_some_and(|load| load >= least_load));
        (!part.rows.is_empty() && part.rows.len() < self.rows.len()).then_some(part)
    }

    /// What a figure of the group is called.
    pub(super) fn stem(&self, kind: &str) -> String {
        let least_load = self.least_load.map(|load| format!("-load-{load}")).unwrap_or_default();
        self.setting_stem(&format!("{kind}-{}{least_load}", file_name(self.workload)))
    }
    /// What the group is called in titles.
    pub(super) fn title(&self) -> String {
        format!("{}, {}", self.name(), self.setting_title())
    }
    /// What its line is called in a figure of several workloads.
    pub(super) fn name(&self) -> String {
        match self.least_load {
            Some(load) => format!("{}, load {load} and more", self.workload),
            None => self.workload.to_owned(),
        }
    }
    /// What a figure of all workloads with this penalty and tau is called.
    pub(super) fn setting_stem(&self, kind: &str) -> String {
        let tau = if self.names_tau { format!("-tau-{}", self.tau) } else { String::new() };
        format!("{kind}-penalty-{}{tau}", self.penalty)
    }
    /// What all workloads with this penalty and tau are called in titles.
    pub(super) fn setting_title(&self) -> String {
        let tau = if self.names_tau { format!(", tau {} s", self.tau) } else { String::new() };
        format!("penalty {} s{tau}", self.penalty)
    }
    /// Whether another group, maybe of another workload, has the same penalty and tau.
    pub(super) fn has_setting_of(&self, other: &Group<'_>) -> bool {
        self.penalty == other.penalty && self.tau == other.tau
    }

    /// The rows by setting, in their order. What all of them have in common is not in their names; neither is the period
    /// if it is what they are drawn over.
    pub(super) fn series(&self, over_period: bool) -> Vec<Series<'a>> {
        let mut parts: Vec<Part> = vec![|row| row.cell.packing.clone(), |row| row.cell.drop.clone()];
        if !over_period {
            parts.push(|row| row.cell.period_s.map(|period| format!("{period} s")));
        }
        parts.retain(|part| {
            let mut values = self.rows.iter().filter_map(|row| part(row));
            values.next().is_some_and(|first| values.any(|other| other != first))
        });
        let mut series = Vec::<Series<'a>>::new();
        for &row in &self.rows {
            let mut name = row.cell.policy.clone();
            for part in parts.iter().filter_map(|part| part(row)) {
                name = format!("{name}, {part}");
            }
            let index = series.iter().rposition(|series| series.name == name).unwrap_or_else(|| {
                series.push(Series { name, policy: &row.cell.policy, runs: Vec::new() });
                series.len() - 1
            });
            if let Some(figures) = drawable(row) {
                series[index].runs.push((row, figures));
            }
        }
        series.retain(|series| !series.runs.is_empty());
        series
    }

    /// What is to be said of rows that are not drawn.
    pub(super) fn remarks(&self) -> Vec<String> {
        let failed = self.rows.iter().filter(|row| drawable(row).is_none()).count();
        let remark = match failed {
            0 => return Vec::new(),
            1 => "1 failed simulation is left out".to_owned(),
            more => format!("{more} failed simulations are left out"),
        };
        vec![remark]
    }
}

/// The figures of a simulation that did not fail, if an axis can have them; rows of other making might have none.
fn drawable(row: &Row) -> Option<&Figures> {
    let figures = row.outcome.as_deref().ok()?;
    let numbers = [figures.degradation, figures.paused_memory_nodes, figures.migrated_memory_nodes];
    let is_finite = numbers.into_iter().chain(row.cell.load).all(f64::is_finite);
    (is_finite && figures.degradation > 0.0 && !figures.makespan_s.is_zero()).then_some(figures)
}

impl Series<'_> {
    /// The periods of the runs, rising.
    pub(super) fn periods(&self) -> Vec<SimSpan> {
        let mut periods: Vec<SimSpan> = self.runs.iter().filter_map(|(row, _)| row.cell.period_s).collect();
        periods.sort();
        periods.dedup();
        periods
    }

    /// The mean of a figure over the runs for which a value is this; nothing if there are none.
    pub(super) fn mean_where(
        &self,
        is_meant: impl Fn(&Row) -> bool,
        figure: impl Fn(&Figures) -> f64,
    ) -> Option<(usize, f64)> {
        let runs = self.runs.iter().filter(|(row, _)| is_meant(row));
        let values: Vec<f64> = runs.map(|(_, figures)| figure(figures)).collect();
        mean(&values).map(|mean| (values.len(), mean))
    }

    pub(super) fn degradations(&self) -> Vec<f64> {
        self.runs.iter().map(|(_, figures)| figures.degradation).collect()
    }
}

/// The series that are drawn, in their order, and what is to be said of the others.
pub(super) fn chosen(mut series: Vec<Series<'_>>) -> (Vec<Series<'_>>, Option<String>) {
    if series.len() <= MOST_SERIES + ALWAYS.len() {
        return (series, None);
    }
    let all = series.len();
    let means: Vec<f64> =
        series.iter().map(|series| mean(&series.degradations()).unwrap_or(f64::INFINITY)).collect();
    let mut ranking: Vec<usize> = (0..all).collect();
    ranking.sort_by(|&a, &b| means[a].total_cmp(&means[b]));
    ranking.truncate(MOST_SERIES);
    let (mut index, mut compared) = (0..all, Vec::new());
    series.retain(|series| {
        let is_best = index.next().is_some_and(|index| ranking.contains(&index));
        let is_compared = !is_best && ALWAYS.contains(&series.policy);
        if is_compared {
            compared.push(series.name.clone());
        }
        is_best || is_compared
    });
    let and = if compared.is_empty() { String::new() } else { format!(", and {}", compared.join(" and ")) };
    let remark = format!("the {MOST_SERIES} of {all} with the least mean degradation{and}");
    (series, Some(remark))
}

/// A text as a part of a file's name.
fn file_name(text: &str) -> String {
    let allowed = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.');
    text.chars().map(|character| if allowed(character) { character } else { '-' }).collect()
}
