//! The costs of wrong CPU needs.

use crate::groups::Group;
use crate::rows::SimulationRow;
use crate::scenario::Online;
use crate::setting::Setting;
use dfrsim_cluster::NeedModel;
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::{Bootstrap, Cell, Record, Table, mean};

/// For each group, where there are several kinds of knowledge: means over the instances, and geometric means, with 95 %
/// intervals, of the ratios to the same policy on the same instance with exact CPU needs.
pub(super) fn table(scenario: &Scenario<Online>, groups: &[Group<'_>]) -> Table {
    let header = Group::header().into_iter().chain(
        [
            "max_bounded_stretch",
            "max_ratio",
            "max_ratio_low",
            "max_ratio_high",
            "mean_bounded_stretch",
            "mean_ratio",
            "mean_ratio_low",
            "mean_ratio_high",
            "utilisation",
        ]
        .map(str::to_owned),
    );
    let bootstrap = Bootstrap::for_tables(scenario.seed);
    let line = |group: &Group<'_>| {
        let exact = groups.iter().find(|other| is_exact_of(other, group));
        let mut cells = group.cells();
        let mut add = |metric: fn(&SimulationRow) -> f64| {
            let values = group.values(metric);
            cells.push(Cell::optional((!values.is_empty()).then(|| mean(&values))));
            cells.extend(ratio(bootstrap, group, exact, metric));
        };
        add(|row| row.max_bounded_stretch);
        add(|row| row.mean_bounded_stretch);
        let utilisation = group.values(|row| row.utilisation);
        cells.push(Cell::optional((!utilisation.is_empty()).then(|| mean(&utilisation))));
        cells
    };
    let is_studied = scenario.simulation.cpu_needs.len() > 1;
    Table::new(header, groups.iter().filter(|_| is_studied).map(line).collect())
}

/// Whether a group has the instances and the setting of another one, but knows the CPU needs.
fn is_exact_of(exact: &Group<'_>, group: &Group<'_>) -> bool {
    let options = |of: &Setting| {
        let mut options = of.options.clone();
        (options.needs, options.discovery) = (NeedModel::Exact, None);
        options
    };
    let own = |of: &Group<'_>| (of.scope.cells(), of.tau, of.setting.policy, of.setting.parameters);
    exact.setting.options == options(group.setting) && own(exact) == own(group)
}

/// The geometric mean of the ratios of a metric, instance by instance; missing if there is no policy to compare with.
fn ratio(
    bootstrap: Bootstrap,
    group: &Group<'_>,
    exact: Option<&Group<'_>>,
    metric: fn(&SimulationRow) -> f64,
) -> [Cell; 3] {
    let pairs = exact.into_iter().flat_map(|exact| group.records.iter().zip(&exact.records));
    type Run<'a> = &'a Record<SimulationRow>;
    let logarithm = |(own, exact): (&Run<'_>, &Run<'_>)| match (&own.outcome, &exact.outcome) {
        (Ok(own), Ok(exact)) => Some((metric(own) / metric(exact)).ln()),
        _ => None,
    };
    let logarithms: Vec<f64> = pairs.filter_map(logarithm).collect();
    let estimate = bootstrap.mean(&logarithms);
    let interval = estimate.and_then(|estimate| estimate.interval);
    let ends = [
        estimate.map(|estimate| estimate.value),
        interval.map(|(low, _)| low),
        interval.map(|(_, high)| high),
    ];
    ends.map(|logarithm| Cell::optional(logarithm.map(f64::exp)))
}
