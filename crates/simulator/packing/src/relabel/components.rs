//! Connected components.

use std::collections::BTreeMap;

/// Computes the component of each group, identified by the index of a group in it. Groups with a
/// common element are in one component, and so are those connected through other groups. Elements
/// are numbers; an empty group is a component of its own.
pub(crate) fn components(groups: &[Vec<usize>]) -> Vec<usize> {
    let mut parents: Vec<usize> = (0..groups.len()).collect();
    let mut first_with: BTreeMap<usize, usize> = BTreeMap::new();
    for (group, elements) in groups.iter().enumerate() {
        for &element in elements {
            let other = *first_with.entry(element).or_insert(group);
            let (one, other) = (root(&mut parents, group), root(&mut parents, other));
            parents[one.max(other)] = one.min(other);
        }
    }
    (0..groups.len()).map(|group| root(&mut parents, group)).collect()
}

/// Finds the root of a group in the forest, with path halving.
fn root(parents: &mut [usize], mut group: usize) -> usize {
    while parents[group] != group {
        parents[group] = parents[parents[group]];
        group = parents[group];
    }
    group
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_joined_over_others() {
        let groups = [vec![1, 2], vec![3], vec![], vec![4, 3], vec![2, 5], vec![5, 4], vec![6]];
        assert_eq!(components(&groups), [0, 0, 2, 0, 0, 0, 6]);
        assert_eq!(components(&groups[..4]), [0, 1, 2, 1]);
        assert!(components(&[]).is_empty());
    }
}
