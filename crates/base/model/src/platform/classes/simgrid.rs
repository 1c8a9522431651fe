//! Platforms of SimGrid and Batsim, limited to hosts.
//!
//! `host` and `cluster` elements are nodes, in the order of the file, with their `speed` (of the
//! first performance state) and `core`. The fastest hosts have speed 1. Consecutive identical hosts
//! form a class. A host with the property `role` = `master` is not a node. The properties `memory`
//! (bytes, or with a unit such as `16GB`) and `gpus` are used; links, routes and disks are ignored.

use super::{ClassFields, PlatformError, PlatformFields};
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::{BTreeMap, BTreeSet};

/// Memory of a host without the property `memory`, in GB.
const MEMORY_GB: f64 = 16.0;

#[derive(Clone, Debug, PartialEq)]
struct Host {
    flops: f64,
    cores: u32,
    memory_gb: f64,
    gpus: u32,
}

pub(super) fn parse(text: &str) -> Result<PlatformFields, PlatformError> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document =
        Document::parse_with_options(text, options).map_err(|error| PlatformError::Xml(error.to_string()))?;
    let mut runs: Vec<(Host, u32)> = Vec::new();
    for node in document.descendants() {
        let count = match node.tag_name().name() {
            "host" if !is_master(node) => 1,
            "cluster" => count_hosts(node)?,
            _ => continue,
        };
        let host = host(node)?;
        match runs.last_mut().filter(|(last, _)| *last == host) {
            Some((_, nodes)) => *nodes = nodes.saturating_add(count),
            None => runs.push((host, count)),
        }
    }
    let fastest = runs.iter().map(|(host, _)| host.flops).fold(0.0, f64::max);
    let classes = runs.into_iter().zip(1..).map(|((host, nodes), number)| ClassFields {
        name: format!("hosts-{number}"),
        nodes,
        cores: host.cores,
        memory_gb: host.memory_gb,
        speed: host.flops / fastest,
        resources: (host.gpus > 0)
            .then(|| ("gpu".to_owned(), host.gpus))
            .into_iter()
            .collect::<BTreeMap<_, _>>(),
        features: BTreeSet::new(),
        hosts: String::new(),
        device_groups: Vec::new(),
        power: None,
        sleep: None,
    });
    let classes: Vec<ClassFields> = classes.collect();
    if classes.is_empty() {
        return Err(PlatformError::Xml("expected a `host` or `cluster` element".into()));
    }
    Ok(PlatformFields { flops: Some(fastest as u64), classes, ..PlatformFields::default() })
}

fn property<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    let is_it = |child: &Node<'_, '_>| child.has_tag_name("prop") && child.attribute("id") == Some(name);
    node.children().find(is_it)?.attribute("value")
}

fn is_master(node: Node<'_, '_>) -> bool {
    property(node, "role").is_some_and(|role| role.eq_ignore_ascii_case("master"))
}

fn host(node: Node<'_, '_>) -> Result<Host, PlatformError> {
    let name = node.attribute("id").unwrap_or("?");
    let wrong =
        |what: &str, value: &str| PlatformError::Xml(format!("host `{name}`: invalid {what} `{value}`"));
    let speed = node
        .attribute("speed")
        .ok_or_else(|| PlatformError::Xml(format!("host `{name}` has no `speed` attribute")))?;
    let first = speed.split(',').next().unwrap_or(speed).trim();
    let flops = amount(first, "f").filter(|flops| *flops > 0.0 && flops.is_finite());
    let number = |text: &str, what| text.parse::<u32>().map_err(|_| wrong(what, text));
    let bytes = |text: &str| {
        amount(text, "B")
            .filter(|bytes| bytes.is_finite())
            .map(|bytes| bytes / 1e9)
            .ok_or_else(|| wrong("memory", text))
    };
    Ok(Host {
        flops: flops.ok_or_else(|| wrong("speed", first))?,
        cores: node.attribute("core").map_or(Ok(1), |text| number(text, "number of cores"))?,
        memory_gb: property(node, "memory").map_or(Ok(MEMORY_GB), bytes)?,
        gpus: property(node, "gpus").map_or(Ok(0), |text| number(text, "number of GPUs"))?,
    })
}

/// Parses a number with a unit and its prefix, such as `98.1Mf` or `16GiB`.
fn amount(text: &str, unit: &str) -> Option<f64> {
    let begin = text.find(|letter: char| letter.is_ascii_alphabetic() && letter != 'e' && letter != 'E');
    let (number, suffix) = text.split_at(begin.unwrap_or(text.len()));
    let prefix = suffix.strip_suffix(unit).or(suffix.is_empty().then_some(""))?;
    let power = |prefix: &str| ["", "k", "M", "G", "T", "P", "E"].iter().position(|other| *other == prefix);
    let factor = match prefix.strip_suffix('i') {
        Some(binary) => 1024_f64.powi(power(binary)? as i32),
        None => 1000_f64.powi(power(prefix)? as i32),
    };
    Some(number.trim().parse::<f64>().ok()? * factor)
}

/// Counts the hosts of a cluster, such as `0-31,40`.
fn count_hosts(node: Node<'_, '_>) -> Result<u32, PlatformError> {
    let text = node.attribute("radical").unwrap_or("0");
    let count = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let [first, last] = [first, last].map(|word| word.trim().parse::<u32>().ok());
        last?.checked_sub(first?)?.checked_add(1)
    };
    let sum = text.split(',').map(count).try_fold(0_u32, |sum, count| sum.checked_add(count?));
    sum.ok_or_else(|| {
        PlatformError::Xml(format!("invalid cluster radical `{text}`; expected a list such as 0-15,20"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_clusters_become_classes() {
        let text = r#"<?xml version='1.0'?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="AS0" routing="Full">
<host id="master_host" speed="100Mf"><prop id="role" value="master"/></host>
<host id="Tremblay" speed="98.095Mf, 50Mf" core="4"/><host id="Jupiter" speed="98.095Mf" core="4"/>
<host id="Fafard" speed="0.19619Gf" core="8"><prop id="memory" value="32GB"/><prop id="gpus" value="2"/></host>
<cluster id="acme" prefix="c-" radical="0-9,20" suffix=".me" speed="196190kf"/>
<link id="1" bandwidth="3.4MBps" latency="0us"/></zone></platform>"#;
        let fields = parse(text).unwrap();
        let of = |class: &ClassFields| (class.nodes, class.cores, class.memory_gb, class.speed);
        let classes: Vec<_> = fields.classes.iter().map(of).collect();
        assert_eq!(classes, [(2, 4, 16.0, 0.5), (1, 8, 32.0, 1.0), (11, 1, 16.0, 1.0)]);
        assert_eq!(fields.classes().unwrap().of(2).amounts, [2]);
    }

    #[test]
    fn what_is_no_platform_is_refused() {
        let error = |text: &str| parse(text).unwrap_err().to_string();
        assert!(error("<platform").starts_with("invalid SimGrid platform: "));
        assert!(error("<platform/>").ends_with("expected a `host` or `cluster` element"));
        assert!(error("<platform><host id='a'/></platform>").ends_with("host `a` has no `speed` attribute"));
        assert!(
            error("<platform><host id='a' speed='1Xf'/></platform>")
                .ends_with("host `a`: invalid speed `1Xf`")
        );
        assert!(
            error("<platform><cluster id='a' radical='3-1' speed='1f'/></platform>")
                .ends_with("invalid cluster radical `3-1`; expected a list such as 0-15,20")
        );
    }
}
