//! TRES amounts allocated to jobs, for each resource that the settings of a site name.

use dfrsim_cluster::{JobHandle, View};
use dfrsim_model::platform::classes::NodeClass;
use dfrsim_model::site::{JobClass, Limits, SiteSettings, Tres};
use dfrsim_model::{Share, SimSpan};

/// Amounts by index in [`tres_names`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AllocatedTres(Vec<u64>);

impl AllocatedTres {
    /// Computes the amounts allocated to a job.
    pub(super) fn of(view: View<'_>, job: JobHandle, names: &[String]) -> AllocatedTres {
        let (seen, classes) = (view.job(job), view.classes());
        let of_task = |name: &String| match name.as_str() {
            "node" => 1,
            "cpu" => classes.map_or(1, |classes| classes.cores_for(seen.cpu_need()).into()),
            "mem" => (u64::from(seen.memory().units()) * 1_000).div_ceil(Share::ONE.units().into()),
            other => {
                let place = classes.and_then(|it| it.resources().iter().position(|it| *it.name == *other));
                let demand = view.demand(job);
                place.zip(demand).map_or(0, |(place, demand)| demand.resources[place].count.into())
            }
        };
        AllocatedTres(names.iter().map(|name| of_task(name) * u64::from(seen.tasks())).collect())
    }

    pub(super) fn get(&self, place: usize) -> u64 {
        self.0.get(place).copied().unwrap_or(0)
    }

    /// Returns an amount multiplied by a duration in microseconds.
    pub(super) fn amount_time(&self, place: usize, span: SimSpan) -> u128 {
        u128::from(self.get(place)) * u128::from(span.micros())
    }

    /// Computes the amount billed to the account: by the billing weights of the partition or of the
    /// site; without weights, the number of tasks in thousandths.
    pub(super) fn billing(&self, settings: &SiteSettings, partition: Option<usize>, names: &[String]) -> u64 {
        let of_partition = partition.map(|at| &settings.partitions[at].billing);
        let weights = of_partition.filter(|it| !it.is_empty()).unwrap_or(&settings.billing);
        if weights.is_empty() {
            return self.get(0) * 1_000;
        }
        let weight = |name: &String| weights.get(name).copied().unwrap_or(0);
        names.iter().zip(&self.0).map(|(name, amount)| weight(name) * amount).sum()
    }
}

/// Computes the amount of a resource that the nodes of some classes have.
pub(super) fn amount_of_nodes(view: View<'_>, is_of: &[bool], name: &str) -> u128 {
    let Some(classes) = view.classes() else {
        let per_node = match name {
            "node" | "cpu" => 1,
            "mem" => 1_000,
            _ => 0,
        };
        return u128::from(view.nodes()) * per_node;
    };
    let of_node = |(at, class): (usize, &NodeClass)| match name {
        "node" => 1,
        "cpu" => classes.cores_of(at).into(),
        "mem" => class.memory.saturating_mul(1_000) / u64::from(Share::ONE.units()),
        other => {
            let place = classes.resources().iter().position(|it| *it.name == *other);
            place.map_or(0, |place| class.amounts[place].into())
        }
    };
    let all = classes.classes().iter().enumerate().zip(is_of).filter(|(_, is_of)| **is_of);
    all.map(|((at, class), _)| u128::from(class.nodes) * u128::from(of_node((at, class)))).sum()
}

/// Collects the distinct resource names in the settings, `node` first and `cpu` second.
pub(super) fn tres_names(settings: &SiteSettings) -> Vec<String> {
    let of_limits = |limits: &Limits| {
        let Limits { total, per_user, per_account, per_job, minutes, .. } = limits.clone();
        [total, per_user, per_account, per_job, minutes].into_iter().flat_map(Tres::into_keys)
    };
    let classes = || settings.qos.iter().chain(&settings.partitions);
    let limits = classes().map(|class: &JobClass| &class.limits);
    let limits = limits.chain(settings.accounts.iter().map(|account| &account.limits));
    let billing = classes().map(|class| &class.billing).chain([&settings.billing, &settings.tres_weights]);
    let mut names = vec!["node".to_owned(), "cpu".to_owned()];
    for name in limits.flat_map(of_limits).chain(billing.flat_map(|it| it.keys().cloned())) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
