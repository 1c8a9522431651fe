//! How much CPU nodes have.

use dfrsim_model::event::ClassOfNodes;
use dfrsim_model::{CpuUse, Yield};

/// The CPU of the nodes of a run: that of the reference node each, unless they are of classes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cpus(Vec<(u32, CpuUse)>);

impl Cpus {
    /// Those of the nodes of some classes, one class after the other.
    pub(super) fn new(classes: &[ClassOfNodes]) -> Cpus {
        let units =
            |class: &ClassOfNodes| CpuUse::from_units(class.cpu.saturating_mul(Yield::ONE.units().into()));
        Cpus(classes.iter().map(|class| (class.nodes, units(class))).collect())
    }
    /// The CPU of a node.
    pub(super) fn of(&self, node: u32) -> CpuUse {
        let classes = self.0.iter().scan(0, |end: &mut u32, &(nodes, cpu)| {
            *end = end.saturating_add(nodes);
            Some((*end, cpu))
        });
        classes.into_iter().find(|(end, _)| node < *end).map_or(CpuUse::ONE, |(_, cpu)| cpu)
    }
    /// Nodes in their order, and the CPU of each in parts of that of the reference node.
    pub fn parts(&self, nodes: u32) -> Vec<(u32, f64)> {
        if self.0.is_empty() {
            vec![(nodes, 1.0)]
        } else {
            self.0.iter().map(|(nodes, cpu)| (*nodes, cpu.as_f64())).collect()
        }
    }
}
