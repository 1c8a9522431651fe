//! Sets of nodes in messages: `0-3 5` or `0-3,5`.

use dfrsim_model::NodeId;
use dfrsim_model::NodeTasks;

/// Parses a set of nodes, in the order of the text. `nodes` is the number of nodes of the cluster.
pub(crate) fn parse(text: &str, nodes: u32) -> Result<Vec<u32>, String> {
    let wrong = || format!("`{text}` is not a set of nodes; expected a set such as `0-3 5`");
    let mut found = Vec::new();
    for range in text.split([' ', ',']).filter(|range| !range.is_empty()) {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let bound = |text: &str| text.parse::<u32>().map_err(|_| wrong());
        let (first, last) = (bound(first)?, bound(last)?);
        if first > last {
            return Err(wrong());
        }
        if last >= nodes {
            return Err(format!("there is no node {last}, only 0 to {}", nodes - 1));
        }
        found.extend(first..=last);
        if found.len() > nodes as usize {
            return Err(format!("`{text}` repeats nodes"));
        }
    }
    Ok(found)
}

/// Builds a placement with one task per element of `nodes`, which may be in any order and may repeat
/// nodes.
pub(crate) fn placement(mut nodes: Vec<u32>) -> Vec<NodeTasks> {
    nodes.sort_unstable();
    let of_one = nodes.chunk_by(|a, b| a == b);
    of_one.map(|same| NodeTasks { node: NodeId(same[0]), tasks: same.len() as u32 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_model::ranges;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn sets_are_read_in_both_forms_and_faults_named() {
        assert_eq!(parse("0-3 5", 8), Ok(vec![0, 1, 2, 3, 5]));
        assert_eq!(parse("5,0-1", 8), Ok(vec![5, 0, 1]));
        assert_eq!(parse("", 8), Ok(vec![]));
        for (wrong, fault) in [
            ("3-1", "is not a set of nodes"),
            ("a", "is not a set of nodes"),
            ("0-4294967296", "is not a set of nodes"),
            ("7-8", "there is no node 8, only 0 to 7"),
            ("0-7 0-7", "`0-7 0-7` repeats nodes"),
        ] {
            assert!(parse(wrong, 8).unwrap_err().contains(fault), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn a_set_that_is_written_is_read_again(nodes in prop::collection::btree_set(0..100_u32, 0..40)) {
            let read = parse(&ranges(&Vec::from_iter(nodes.iter().copied()), " "), 100).unwrap();
            prop_assert_eq!(read.into_iter().collect::<BTreeSet<u32>>(), nodes);
        }
    }
}
