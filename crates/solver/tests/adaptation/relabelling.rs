//! Tests relabelling.

use crate::exact::moved;
use crate::problems::{all_mappings, problems};
use dfrsim_packing::relabelled;
use dfrsim_vector_packing::vector::minimum_yield;
use proptest::prelude::*;

/// Returns all permutations of the first numbers.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    (0..count).fold(vec![vec![]], |shorter, next| {
        let longer = |one: &Vec<usize>| {
            let one = one.clone();
            (0..=one.len()).map(move |at| {
                let mut longer = one.clone();
                longer.insert(at, next);
                longer
            })
        };
        shorter.iter().flat_map(longer).collect()
    })
}

proptest! {
    #[test]
    fn no_other_names_of_identical_nodes_move_less(problem in problems(), number: prop::sample::Index) {
        let all = all_mappings(&problem.instance);
        let mapping = &all[number.index(all.len())];
        let found = relabelled(&problem, mapping);
        let nodes = &problem.instance.nodes;
        let allowed = permutations(nodes.len());
        let allowed =
            allowed.iter().filter(|names| names.iter().enumerate().all(|(old, &new)| nodes[old] == nodes[new]));
        let renamed = |names: &Vec<usize>| {
            let mut renamed = mapping.clone();
            for placement in &mut renamed {
                placement.iter_mut().for_each(|part| part.node.0 = names[part.node.index()] as u32);
                placement.sort_by_key(|part| part.node);
            }
            renamed
        };
        let all: Vec<_> = allowed.map(renamed).collect();
        prop_assert!(all.contains(&found));
        prop_assert_eq!(Some(moved(&problem, &found)), all.iter().map(|one| moved(&problem, one)).min());
        prop_assert_eq!(minimum_yield(&problem.instance, &found), minimum_yield(&problem.instance, mapping));
    }
}
