//! What results amount to, in memory and as a file.

use super::error::BaselineError;
use super::figure::Figure;
use super::file::{FORMAT, File, GroupFile, Number, Seconds, Version, WorkloadFile};
use super::identity::{Identity, WorkloadIdentity};
use crate::Results;
use crate::scenario::{Fault, Text};
use crate::tables::GroupKey;
use crate::tables::groups::{Group, LeastLoads, groups};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use toml::Spanned;

/// What results amount to.
#[derive(Clone, Debug, PartialEq)]
pub struct Baseline {
    /// The version of what simulations, bounds and figures mean.
    pub semantics: u32,
    /// The title of the scenario.
    pub title: String,
    /// The scenario's seed, and the fields of its simulation that are not lists of settings.
    pub scenario: toml::Table,
    /// What each workload is known by.
    pub workloads: Vec<WorkloadIdentity>,
    /// The groups, in the order of the tables.
    pub groups: Vec<GroupFigures>,
}

/// The figures of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupFigures {
    /// The group.
    pub key: GroupKey,
    /// Its figures. Those of simulations that did not fail are not there if all failed.
    pub figures: BTreeMap<Figure, f64>,
}

impl Baseline {
    /// What results amount to.
    ///
    /// # Errors
    /// If their scenario or manifest is damaged, or a run in their folder is unfinished.
    pub fn of(results: &Results) -> Result<Baseline, BaselineError> {
        if results.is_outdated {
            return Err(BaselineError::Unfinished { folder: results.folder.clone() });
        }
        let Identity { semantics, title, scenario, workloads } = Identity::of(results)?;
        let memory: BTreeMap<&str, f64> =
            workloads.iter().map(|workload| (workload.name.as_str(), workload.node_memory_gb)).collect();
        let group_figures = |group: &Group<'_>| {
            let node_memory_gb =
                memory.get(group.scope.workload).copied().ok_or_else(|| BaselineError::Results {
                    path: results.folder.join("scenario.toml"),
                    message: format!(
                        "there is no workload `{}`, but there are rows of it",
                        group.scope.workload
                    ),
                })?;
            // What divides by a makespan of zero is no figure.
            let finite = |value: &f64| value.is_finite();
            let value = |figure: Figure| Some((figure, figure.of(group, node_memory_gb).filter(finite)?));
            Ok(GroupFigures {
                key: group.key(),
                figures: Figure::ALL.into_iter().filter_map(value).collect(),
            })
        };
        let groups = groups(&results.rows, LeastLoads::NONE)
            .iter()
            .map(group_figures)
            .collect::<Result<_, BaselineError>>()?;
        Ok(Baseline { semantics, title, scenario, groups, workloads })
    }

    /// Reads a file that [`Baseline::to_toml`] made.
    ///
    /// # Errors
    /// If it cannot be read, has another format, or something in it is wrong: with line, column and the line itself.
    pub fn read(path: &Path) -> Result<Baseline, BaselineError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| BaselineError::Io { path: path.to_owned(), error })?;
        Baseline::parse(&text, &path.display().to_string())
    }

    /// Reads a baseline from a text, of which messages speak as `name`.
    ///
    /// # Errors
    /// As for [`Baseline::read`].
    pub fn parse(text: &str, name: &str) -> Result<Baseline, BaselineError> {
        let places = Text::new(name, text, &[]);
        let fault = |error: toml::de::Error| BaselineError::Faults(vec![places.toml_fault(&error)]);
        // The format first: what else there is may have changed with it.
        let Version { format } = toml::from_str(text).map_err(fault)?;
        if format != FORMAT {
            return Err(BaselineError::Format { file: name.to_owned(), found: format, expected: FORMAT });
        }
        let file: File = toml::from_str(text).map_err(fault)?;
        let twice = twice(&file, &places);
        if twice.is_empty() { Ok(of_file(file)) } else { Err(BaselineError::Faults(twice)) }
    }

    /// The file: a line for each figure, so that changes are seen one by one in a diff.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let body = toml::to_string(&to_file(self)).expect("a baseline can be written as TOML");
        format!(
            "# What `dfrsim check` compares results with. `dfrsim check --update` writes it anew.\n{body}"
        )
    }
}

/// Workloads and groups that stand in the file more than once.
fn twice(file: &File, places: &Text) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut seen = Vec::new();
    for workload in &file.workloads {
        let name = &workload.get_ref().name;
        if seen.contains(&name) {
            faults.push(places.fault(&workload.span(), format!("workload `{name}` stands here twice")));
        }
        seen.push(name);
    }
    let mut seen = BTreeSet::new();
    for group in &file.groups {
        let key = key_of(group.get_ref());
        let message = format!("this group stands here twice: {key}");
        if !seen.insert(key) {
            faults.push(places.fault(&group.span(), message));
        }
    }
    faults
}

fn key_of(group: &GroupFile) -> GroupKey {
    GroupKey {
        workload: group.workload.clone(),
        load: group.load.clone(),
        policy: group.policy.clone(),
        penalty_s: group.penalty_s.0,
        period_s: group.period_s.map(|period| period.0),
        packing: group.packing.clone(),
        drop: group.drop.clone(),
        tau_s: group.tau_s.0,
    }
}

fn of_file(file: File) -> Baseline {
    let workload = |workload: Spanned<WorkloadFile>| {
        let WorkloadFile { name, nodes, node_memory_gb: Number(node_memory_gb), instances, jobs } =
            workload.into_inner();
        WorkloadIdentity { name, nodes, node_memory_gb, instances, jobs }
    };
    let group = |group: Spanned<GroupFile>| {
        let key = key_of(group.get_ref());
        let figures = group.into_inner().figures.into_iter();
        GroupFigures { key, figures: figures.map(|(figure, Number(value))| (figure, value)).collect() }
    };
    Baseline {
        semantics: file.semantics,
        title: file.title,
        scenario: file.scenario,
        workloads: file.workloads.into_iter().map(workload).collect(),
        groups: file.groups.into_iter().map(group).collect(),
    }
}

fn to_file(baseline: &Baseline) -> File {
    let workload = |workload: &WorkloadIdentity| {
        let WorkloadIdentity { name, nodes, node_memory_gb, instances, jobs } = workload.clone();
        let node_memory_gb = Number(node_memory_gb);
        Spanned::new(0..0, WorkloadFile { name, nodes, node_memory_gb, instances, jobs })
    };
    let group = |GroupFigures { key, figures }: &GroupFigures| {
        let GroupKey { workload, load, policy, penalty_s, period_s, packing, drop, tau_s } = key.clone();
        let figures = figures.iter().map(|(&figure, &value)| (figure, Number(value))).collect();
        let file = GroupFile {
            workload,
            load,
            policy,
            penalty_s: Seconds(penalty_s),
            period_s: period_s.map(Seconds),
            packing,
            drop,
            tau_s: Seconds(tau_s),
            figures,
        };
        Spanned::new(0..0, file)
    };
    File {
        format: FORMAT,
        semantics: baseline.semantics,
        title: baseline.title.clone(),
        scenario: baseline.scenario.clone(),
        workloads: baseline.workloads.iter().map(workload).collect(),
        groups: baseline.groups.iter().map(group).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::Columns as _;
    use crate::row::{Cell, Figures, Row};
    use dfrsim_model::SimSpan;
    use std::path::PathBuf;

    fn row(instance: &str, outcome: Result<Figures, &str>) -> Row {
        let cell = Cell {
            workload: "w".into(),
            instance: instance.into(),
            load: None,
            policy: "P".into(),
            penalty_s: SimSpan::from_micros(500_000),
            period_s: Some(SimSpan::from_secs(600)),
            packing: Some("cp".into()),
            drop: None,
            estimates: "exact".into(),
            overrun: "extend".into(),
            tau_s: SimSpan::from_secs(10),
            nodes: 1,
            jobs: 2,
            bound: 1.0,
        };
        let outcome = outcome.map(Box::new).map_err(str::to_owned);
        Row { key: "0000000000000000".parse().unwrap(), cell, outcome }
    }
    /// All figures are 2, but for what is set.
    fn figures(degradation: f64, paused_memory_nodes: f64) -> Figures {
        let twos = vec!["2"; Figures::COLUMNS.len()];
        Figures { degradation, paused_memory_nodes, ..Figures::read(twos.into_iter()).unwrap() }
    }
    fn results(rows: Vec<Row>) -> Results {
        let scenario =
            "title = 'A test'\nseed = 1\n[[workloads]]\nname = 'w'\nnodes = 9\nnode_memory_gb = 4.0\n";
        let manifest = "semantics = 3\n[[instances]]\nworkload = 'w'\nname = '1'\nsha256 = 'aa'\n";
        Results {
            folder: PathBuf::from("results"),
            rows,
            scenario: scenario.into(),
            manifest: manifest.into(),
            is_outdated: false,
        }
    }

    /// Two instances that ran and one that failed. Completed: 2 counted and 2 trimmed in each. Degradations 1 and 4.
    /// Pauses write 3 and 5 memories of 4 GB, which are read again, over 2 s: 12 and 20 GB/s.
    #[test]
    fn figures_of_a_group_by_hand() {
        let rows = vec![
            row("1", Ok(figures(1.0, 3.0))),
            row("2", Err("it failed")),
            row("3", Ok(figures(4.0, 5.0))),
        ];
        let baseline = Baseline::of(&results(rows)).unwrap();
        let values: Vec<f64> = Figure::ALL.iter().map(|figure| baseline.groups[0].figures[figure]).collect();
        assert_eq!(values, [3.0, 1.0, 8.0, 4.0, 4.0, 2.5, 4.0, 2.0, 2.0, 2.0, 16.0, 8.0, 4.0, 4.0]);
        assert_eq!((baseline.semantics, baseline.title.as_str()), (3, "A test"));
        let read = Baseline::parse(&baseline.to_toml(), "baseline.toml").unwrap();
        assert_eq!(read, baseline);
    }

    #[test]
    fn a_group_that_failed_has_counts_only() {
        let baseline = Baseline::of(&results(vec![row("1", Err("it failed"))])).unwrap();
        let names: Vec<&str> = baseline.groups[0].figures.keys().map(|figure| figure.name()).collect();
        assert_eq!(names, ["instances", "failed", "completed", "killed", "rejected", "pauses", "migrations"]);
        assert_eq!(Baseline::parse(&baseline.to_toml(), "baseline.toml").unwrap(), baseline);
    }

    #[test]
    fn lists_of_settings_and_names_are_not_common_fields() {
        let scenario = "title = 'x'\npolicies = ['P']\nseed = 7\n\
            simulation = { penalty = [1], period = 2, packing = 'cp', drop = 'skip', tau = 3, warm_up = 4.0 }\n\
            [[workloads]]\nname = 'w'\nnodes = 9\nnode_memory_gb = 4.0\n";
        let all = Results { scenario: scenario.into(), ..results(Vec::new()) };
        let fields: Vec<String> = Baseline::of(&all)
            .unwrap()
            .scenario
            .iter()
            .map(|(name, value)| format!("{name} {value}"))
            .collect();
        assert_eq!(fields, ["seed 7", "warm_up 4.0"]);
    }

    #[test]
    fn what_stands_twice_is_told() {
        let baseline = Baseline::of(&results(vec![row("1", Err("it failed"))])).unwrap();
        let text = baseline.to_toml();
        let place = text.find("[[groups]]").unwrap();
        let twice = format!("{text}\n{}", &text[place..]);
        let line = twice[..twice.rfind("[[groups]]").unwrap()].matches('\n').count() + 1;
        let told = Baseline::parse(&twice, "baseline.toml").unwrap_err().to_string();
        assert!(told.starts_with(&format!("baseline.toml:{line}:1: this group stands here twice: w, P, penalty 0.5 s, period 600 s, cp, tau 10 s")), "{told}");
    }
}
