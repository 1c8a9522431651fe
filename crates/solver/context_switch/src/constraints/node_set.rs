//! Sets of nodes named by constraints.

use dfrsim_model::NodeId;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A set of nodes of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NodeSet(Arc<[bool]>);

impl NodeSet {
    pub(crate) fn has(&self, node: NodeId) -> bool {
        self.0[node.index()]
    }
}

/// Interned sets of nodes: many constraints name the same groups.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeSets {
    count: usize,
    sets: BTreeMap<Vec<NodeId>, NodeSet>,
}

impl NodeSets {
    pub(super) fn new(count: usize) -> NodeSets {
        NodeSets { count, sets: BTreeMap::new() }
    }

    pub(super) fn of(&mut self, nodes: &[NodeId]) -> NodeSet {
        let mut nodes = nodes.to_vec();
        nodes.sort_unstable();
        nodes.dedup();
        let count = self.count;
        let set = self.sets.entry(nodes).or_insert_with_key(|nodes| {
            let mut has = vec![false; count];
            nodes.iter().for_each(|node| has[node.index()] = true);
            NodeSet(has.into())
        });
        set.clone()
    }
}
