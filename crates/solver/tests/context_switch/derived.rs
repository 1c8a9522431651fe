//! Tests plans derived by hand (`derived/plans.txt`).
//!
//! A case has the `nodes` with their CPU and memory, the `vms` with vjob, CPU and memory, and their
//! places, `from` and `to`: `r1` runs on N1, `s1` sleeps and `d1` dozes there, `w` waits, `t` is
//! terminated. It ends with the `plan`, or its first actions (`begins`), and its `cost`.

use crate::common::*;
use dfrsim_context_switch::*;
use std::collections::BTreeMap;

fn place(text: &str) -> Place {
    let node = text[1..].parse::<u32>().map(|number| number - 1);
    match (&text[..1], node) {
        ("r", Ok(node)) => running(node),
        ("s", Ok(node)) => sleeping(node),
        ("d", Ok(node)) => dozing(node),
        ("w", _) => WAITING,
        ("t", _) => TERMINATED,
        _ => panic!("no place `{text}`"),
    }
}

/// Parses numbers that are separated by commas.
fn numbers<const N: usize>(text: &str) -> [i64; N] {
    let numbers: Vec<i64> = text.split(',').map(|number| number.parse().unwrap()).collect();
    numbers.try_into().unwrap()
}

#[test]
fn plans_are_those_derived_by_hand() {
    let cases = include_str!("derived/plans.txt").split("\n\n").skip(1);
    let mut read = 0;
    for case in cases {
        let lines = case.lines().filter(|line| !line.starts_with('#'));
        let said: BTreeMap<&str, &str> = lines.map(|line| line.split_once(' ').unwrap()).collect();
        let nodes: Vec<_> = said["nodes"].split(' ').map(|node| numbers(node).into()).collect();
        let vms = said["vms"].split(' ').map(|vm| {
            let [vjob, cpu, memory] = numbers(vm);
            (vjob as u32, cpu, memory)
        });
        let cluster = cluster(&nodes, &vms.collect::<Vec<_>>());
        let [from, to] =
            ["from", "to"].map(|of| Configuration::new(said[of].split(' ').map(place).collect()));
        let plan = plan(&cluster, &from, &to).unwrap();
        checked(&cluster, &from, &to, &plan);
        let (found, cost) = (words(&cluster, &plan), plan.cost(&cluster));
        let expected = ["plan", "begins", "cost"].map(|what| said.get(what));
        assert!(expected.iter().any(Option::is_some), "{case}");
        let [whole, begin, price] = expected;
        assert!(whole.is_none_or(|whole| found == *whole), "{case}\nfound: {found}");
        assert!(begin.is_none_or(|begin| found.starts_with(begin)), "{case}\nfound: {found}");
        assert!(price.is_none_or(|price| cost.to_string() == *price), "{case}\nfound: {found}, cost {cost}");
        read += 1;
    }
    assert_eq!(read, 12);
}
