//! Costs of wrong CPU needs.

use crate::groups::Group;
use crate::rows::SimulationRow;
use crate::scenario::Online;
use crate::setting::Setting;
use dfrsim_cluster::NeedModel;
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::{Bootstrap, Estimate, Record, Table, average};

/// Builds the table of costs, if there are several models of CPU needs. For each group it has means
/// over the instances, and geometric means, with 95 % intervals, of the ratios to the same policy on
/// the same instance with exact CPU needs.
pub(super) fn table(scenario: &Scenario<Online>, groups: &[Group<'_>]) -> Table {
    let bootstrap = Bootstrap::for_tables(scenario.seed);
    let line = |group: &Group<'_>| {
        let exact = groups.iter().find(|other| is_exact_of(other, group));
        let of = |metric| ratio(bootstrap, group, exact, metric);
        group
            .line()
            .with("max_bounded_stretch", average(group.values(|row| row.max_bounded_stretch)))
            .with_estimate("max_ratio", of(|row| row.max_bounded_stretch))
            .with("mean_bounded_stretch", average(group.values(|row| row.mean_bounded_stretch)))
            .with_estimate("mean_ratio", of(|row| row.mean_bounded_stretch))
            .with("utilisation", average(group.values(|row| row.utilisation)))
    };
    let is_studied = scenario.simulation.cpu_needs.len() > 1;
    groups.iter().filter(|_| is_studied).map(line).collect()
}

/// Checks that a group has the instances and the setting of another one, except that it knows the
/// CPU needs.
fn is_exact_of(exact: &Group<'_>, group: &Group<'_>) -> bool {
    let options = |of: &Setting| {
        let mut options = of.options.clone();
        (options.needs, options.discovery) = (NeedModel::Exact, None);
        options
    };
    let own = |of: &Group<'_>| (of.scope.cells(), of.tau, of.setting.policy, of.setting.parameters);
    exact.setting.options == options(group.setting) && own(exact) == own(group)
}

/// Computes the geometric mean of the ratios of a metric, instance by instance; `None` if there is
/// no policy to compare with.
fn ratio(
    bootstrap: Bootstrap,
    group: &Group<'_>,
    exact: Option<&Group<'_>>,
    metric: fn(&SimulationRow) -> f64,
) -> Option<Estimate> {
    let pairs = exact.into_iter().flat_map(|exact| group.records.iter().zip(&exact.records));
    type Run<'a> = &'a Record<SimulationRow>;
    let logarithm = |(own, exact): (&Run<'_>, &Run<'_>)| match (&own.outcome, &exact.outcome) {
        (Ok(own), Ok(exact)) => Some((metric(own) / metric(exact)).ln()),
        _ => None,
    };
    let logarithms: Vec<f64> = pairs.filter_map(logarithm).collect();
    let Estimate { value, interval } = bootstrap.mean(&logarithms)?;
    Some(Estimate { value: value.exp(), interval: interval.map(|(low, high)| (low.exp(), high.exp())) })
}
