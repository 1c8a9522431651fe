//! Small instances of every kind.

use dfrsim_model::offline::{Instance, OfflineJob};
use dfrsim_model::{Share, Yield};
use proptest::prelude::*;

/// Draws tenths of a node, so that ties and full nodes are common, or arbitrary amounts.
fn amount(largest_tenths: u32) -> impl Strategy<Value = u32> {
    let tenth = Share::ONE.units() / 10;
    prop_oneof![
        3 => (0..=largest_tenths).prop_map(move |tenths| tenths * tenth),
        1 => 0..=largest_tenths * tenth,
    ]
}

fn least_yield() -> impl Strategy<Value = Yield> {
    prop_oneof![
        3 => Just(Yield::ZERO),
        2 => Just(Yield::from_ratio(1, 2)),
        1 => Just(Yield::ONE),
        1 => (0..=Yield::ONE.units()).prop_map(|units| Yield::try_from_units(units).unwrap()),
    ]
}

/// Draws instances in which jobs have up to this many tasks.
pub(crate) fn instance(most_tasks: u32) -> impl Strategy<Value = Instance> {
    let largest = prop::sample::select(vec![2, 4, 9]);
    (0..=2_usize, 1..=2_usize, any::<bool>(), largest).prop_flat_map(move |(fixed, fluid, alike, largest)| {
        let dimensions = fixed + fluid;
        let vector =
            move |tenths| prop::collection::vec(amount(tenths), dimensions).prop_map(Vec::into_boxed_slice);
        let ordinary: Box<[u32]> = vec![Share::ONE.units(); dimensions].into();
        let nodes = if alike {
            (1..9_usize).prop_map(move |count| vec![ordinary.clone(); count]).boxed()
        } else {
            prop::collection::vec(vector(20), 1..9).boxed()
        };
        let job = (1..=most_tasks, vector(largest), least_yield())
            .prop_map(|(tasks, demand, least_yield)| OfflineJob { tasks, demand, least_yield });
        (nodes, prop::collection::vec(job, 0..14)).prop_map(move |(nodes, jobs)| Instance {
            fixed,
            fluid,
            nodes,
            jobs,
        })
    })
}
