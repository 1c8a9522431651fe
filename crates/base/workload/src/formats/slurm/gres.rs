//! Requests of jobs for generic resources, features, partitions and reservations.

use super::burst_buffer::burst_buffers;
use super::columns::{Column, ListingRow};
use super::submission::{SubmitLine, SubmitOption};
use crate::formats::slurm_conf::{
    LICENCE, feature_of_list, feature_of_partition, feature_of_reservation, first_partition, identifier,
};
use crate::log::Record;
use dfrsim_model::platform::classes::{DISTINCT_NODES, REQUESTED_CORES, REQUESTED_NODES};
use dfrsim_model::platform::hosts;

/// Returns the requests of a job for resources other than processors and memory, as names and
/// numbers:
///
/// * Generic resources (`gres/gpu` and others in `AllocTRES`, else `AllocGRES`, else `ReqTRES`, else
///   those of each node in `ReqGRES`), in units.
/// * The types that were requested (`gpu_a100`), in units.
/// * Node features, with the prefix `@` and the number 1: `Constraints` (all of them are required),
///   the partition as `@partition-NAME` (the first of several), and the reservation as
///   `@reservation-NAME`.
///   A list of nodes is a feature, too, if the job has as many nodes as it, or excludes it.
/// * Licences (`~matlab`), in units, and burst buffers (`~burst_buffer`), in megabytes.
/// * The numbers of processors and of nodes requested, if other numbers were allocated
///   ([`REQUESTED_CORES`], [`REQUESTED_NODES`]), and the number of nodes if there are several, which
///   are different ones ([`DISTINCT_NODES`]).
pub(super) fn requested_resources(
    row: &ListingRow<'_>,
    submission: &SubmitLine<'_>,
    record: &Record,
) -> Vec<(String, u32)> {
    let nodes = record.nodes.unwrap_or(1);
    let mut asked = total_by_name(generic_resources(row, nodes));
    // The type of an allocated GPU is not a constraint, as the job may not have requested it.
    let types = tres_gres(row.get(Column::ReqTres)).chain(gres(row.get(Column::ReqGres), nodes));
    asked.extend(
        types.filter_map(|(name, of_type, number)| {
            Some((identifier(&format!("{name}_{}", of_type?)), number))
        }),
    );
    let features = required_features(row.get(Column::Constraints)).map(identifier);
    let partition = Some(first_partition(row.get(Column::Partition))).filter(|name| !name.is_empty());
    let reservation = Some(row.get(Column::Reservation)).filter(|name| !name.is_empty());
    let features = features.chain(partition.map(feature_of_partition));
    let features = features.chain(reservation.map(feature_of_reservation));
    let listed = submission.value(SubmitOption::NODELIST).filter(|list| is_whole_list(list, nodes));
    let excluded = submission.value(SubmitOption::EXCLUDE).filter(|list| !list.is_empty());
    let features = features.chain(listed.map(|list| feature_of_list(list, false)));
    let features = features.chain(excluded.map(|list| feature_of_list(list, true)));
    asked.extend(features.map(|name| (format!("@{name}"), 1)));
    asked.extend(licences(row, submission));
    asked.extend(burst_buffers(row, submission, nodes));
    let requested = record.requested_processors;
    if let Some(requested) =
        requested.filter(|_| record.allocated_processors.is_some_and(|it| Some(it) != requested))
    {
        asked.push((REQUESTED_CORES.to_owned(), requested));
    }
    if let Some(requested) = requested_nodes(row).filter(|&requested| requested != nodes) {
        asked.push((REQUESTED_NODES.to_owned(), requested));
    }
    if nodes > 1 {
        asked.push((DISTINCT_NODES.to_owned(), nodes));
    }
    asked
}

/// Returns the number of nodes in `ReqTRES`: the smallest number that the job asked for.
fn requested_nodes(row: &ListingRow<'_>) -> Option<u32> {
    let mut parts = row.get(Column::ReqTres).split(',');
    parts.find_map(|part| part.strip_prefix("node=")?.parse().ok().filter(|nodes| *nodes > 0))
}

/// Returns the generic resources of a job from the first column that has some: those that it was
/// allocated, or else requested.
fn generic_resources<'a>(row: &ListingRow<'a>, nodes: u32) -> Vec<GresRequest<'a>> {
    let of_tres = |column| tres_gres(row.get(column)).collect::<Vec<_>>();
    // `AllocGRES` is for the whole job, `ReqGRES` for each node.
    let of_gres = |column, nodes| gres(row.get(column), nodes).collect::<Vec<_>>();
    let mut sources = [
        of_tres(Column::AllocTres),
        of_gres(Column::AllocGres, 1),
        of_tres(Column::ReqTres),
        of_gres(Column::ReqGres, nodes),
    ];
    sources.iter_mut().find(|found| !found.is_empty()).map(std::mem::take).unwrap_or_default()
}

/// Returns the features that all nodes of a job must have.
fn required_features(constraints: &str) -> impl Iterator<Item = &str> {
    let constraints = if constraints == "(null)" { "" } else { constraints };
    let features = constraints.split(['&', ',']).filter(|_| !has_alternatives(constraints));
    features.map(str::trim).filter(|name| !name.is_empty())
}

/// Returns whether a list of nodes has as many nodes as a job.
pub(super) fn is_whole_list(list: &str, nodes: u32) -> bool {
    hosts::expand(list).is_some_and(|names| u32::try_from(names.len()) == Ok(nodes))
}

/// Returns the licences of a job: those of `Licenses`, else of `--licenses`, if it needs all of them
/// (`matlab:2,ansys@host`), and others of `AllocTRES`, else of `ReqTRES` (`license/matlab=2`), which also have those of a batch
/// script.
fn licences(row: &ListingRow<'_>, submission: &SubmitLine<'_>) -> Vec<(String, u32)> {
    let own = Some(row.get(Column::Licenses)).filter(|list| !list.is_empty() && *list != "(null)");
    let list = own.or_else(|| submission.value(SubmitOption::LICENSES));
    let list = list.filter(|list| !has_other_licences(list));
    let parts = list.into_iter().flat_map(|list| list.split([',', ';'])).filter(|part| !part.is_empty());
    let parts = parts.map(|part| part.split_once([':', '=', '*']).unwrap_or((part, "1")));
    let of_tres = [Column::AllocTres, Column::ReqTres].map(|column| row.get(column));
    let of_tres = of_tres.into_iter().find(|list| has_licences(list)).unwrap_or_default();
    let of_tres = of_tres.split(',').filter_map(|part| part.strip_prefix(LICENCE_TRES)?.split_once('='));
    let mut all: Vec<(String, u32)> = Vec::new();
    for (name, count) in parts.chain(of_tres) {
        let name = format!("{LICENCE}{}", identifier(name));
        let count = count.parse().ok().filter(|count| *count > 0);
        let is_known = all.iter().any(|(other, _)| other.eq_ignore_ascii_case(&name));
        all.extend(count.filter(|_| !is_known).map(|count| (name, count)));
    }
    all
}

/// Prefix of licences in a list of trackable resources.
const LICENCE_TRES: &str = "license/";

/// Returns whether a list of trackable resources has licences.
pub(super) fn has_licences(tres: &str) -> bool {
    tres.split(',').any(|part| part.starts_with(LICENCE_TRES))
}

/// Returns whether a list of licences has alternatives.
pub(super) fn has_other_licences(list: &str) -> bool {
    list.contains('|')
}

/// Returns whether an expression of features has alternatives or numbers of nodes.
pub(super) fn has_alternatives(constraints: &str) -> bool {
    constraints.contains(['|', '*', '[', '(']) && constraints != "(null)"
}

/// A generic resource: its name, its type if given, and the number of units.
type GresRequest<'a> = (&'a str, Option<&'a str>, u32);

/// Parses the generic resources in a TRES list: `gres/gpu=2` and `gres/gpu:a100=2`.
fn tres_gres(list: &str) -> impl Iterator<Item = GresRequest<'_>> {
    list.split(',').filter_map(|part| {
        let (name, number) = part.strip_prefix("gres/")?.split_once('=')?;
        let number = number.parse::<u32>().ok().filter(|number| *number > 0)?;
        let (name, of_type) =
            name.split_once(':').map_or((name, None), |(name, of_type)| (name, Some(of_type)));
        Some((name, of_type, number))
    })
}

/// Parses generic resources such as `gpu:2`, `gpu:a100:2` or `gres/gpu:2(S:0)` into totals over this
/// number of nodes. A resource without a number counts as one.
fn gres(list: &str, nodes: u32) -> impl Iterator<Item = GresRequest<'_>> {
    let list = if matches!(list, "(null)" | "N/A") { "" } else { list };
    list.split(',').filter(|part| !part.is_empty()).filter_map(move |part| {
        let part = part.split_once('(').map_or(part, |(part, _)| part);
        let words: Vec<&str> = part.strip_prefix("gres/").unwrap_or(part).split([':', '=']).collect();
        let number = words.last().and_then(|number| number.parse::<u32>().ok());
        let of_type = words.get(1).copied().filter(|word| word.parse::<u32>().is_err());
        // Older versions write the number of a resource, a hash of its name, in its place.
        let name = if words[0] == GPU_ID { "gpu" } else { words[0] };
        let number = number.unwrap_or(1).saturating_mul(nodes);
        (number > 0).then_some((name, of_type, number))
    })
}

/// Slurm's number of the resource `gpu`.
const GPU_ID: &str = "7696487";

/// Adds up the units of each resource by name, over all types. An entry without a type already is
/// the total.
fn total_by_name(mut parts: Vec<GresRequest<'_>>) -> Vec<(String, u32)> {
    parts.sort_unstable();
    let sum = |parts: &[GresRequest<'_>]| {
        let is_whole = parts[0].1.is_none();
        let counted = parts.iter().filter(|part| part.1.is_none() == is_whole);
        (parts[0].0.to_owned(), counted.fold(0_u32, |sum, part| sum.saturating_add(part.2)))
    };
    parts.chunk_by(|a, b| a.0 == b.0).map(sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::slurm::columns::Columns;

    /// `-n32` requests one node, whatever it gets.
    #[test]
    fn nodes_are_requested_if_others_are_allocated() {
        let columns = Columns::parse("JobID|State|Submit|Start|End|ReqTRES").unwrap();
        for (nodes, tres, expected) in [
            (2, "cpu=32,node=1,billing=32", Some(1)),
            (2, "cpu=32,node=2", None),
            (2, "cpu=32,node=0", None),
            (2, "", None),
        ] {
            let record = Record { nodes: Some(nodes), ..Record::default() };
            let line = format!("7|COMPLETED|1|1|2|{tres}");
            let asked = requested_resources(&columns.row(&line).unwrap(), &SubmitLine::default(), &record);
            let found = asked.iter().find(|(name, _)| name == REQUESTED_NODES).map(|(_, number)| *number);
            assert_eq!(found, expected, "{tres}");
        }
    }

    #[test]
    fn licences_are_those_of_the_option_and_of_the_accounting() {
        let columns = Columns::parse("JobID|State|Submit|Start|End|ReqTRES|AllocTRES|SubmitLine").unwrap();
        for (req, alloc, line, expected) in [
            ("", "", "sbatch -L ansys@lic.site.org:2,solver a.sh", "~ansys_lic_site_org 2, ~solver 1"),
            ("", "", "sbatch --licenses=matlab@27000@lm-01.i:1 a.sh", "~matlab_27000_lm-01_i 1"),
            ("cpu=1,license/matlab=2,node=1", "billing=1,cpu=1", "sbatch a.sh", "~matlab 2"),
            ("cpu=1,license/cae@db=9", "cpu=1,license/cae@db=8", "", "~cae_db 8"),
            // The option names the same licence, and another one that is not accounted.
            ("", "license/iop1=4,cpu=1", "srun -L IOP1:4,idl x", "~IOP1 4, ~idl 1"),
            // Of the alternatives, the accounting has the one that the job got.
            ("", "license/b=3", "sbatch -L a:3|b:3 a.sh", "~b 3"),
            ("", "gres/license/x=1,cpu=1", "sbatch -L a:3|b:3 a.sh", ""),
            ("license/a=0", "", "sbatch -L none:0 a.sh", ""),
        ] {
            let line = format!("7|COMPLETED|1|1|2|{req}|{alloc}|{line}");
            let row = columns.row(&line).unwrap();
            let submission = SubmitLine::of_line(row.get(Column::SubmitLine));
            let found = licences(&row, &submission);
            let found: Vec<String> = found.iter().map(|(name, count)| format!("{name} {count}")).collect();
            assert_eq!(found.join(", "), expected, "{line}");
        }
        let columns = Columns::parse("JobID|State|Submit|Start|End|Licenses").unwrap();
        for (list, expected) in
            [("matlab@db:2,idl:1", vec!["~matlab_db", "~idl"]), ("", vec![]), ("(null)", vec![])]
        {
            let line = format!("7|COMPLETED|1|1|2|{list}");
            let found = licences(&columns.row(&line).unwrap(), &SubmitLine::default());
            assert_eq!(found.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), expected, "{list}");
        }
    }

    #[test]
    fn resources_are_those_of_the_first_column_that_has_some() {
        let record = Record { nodes: Some(2), ..Record::default() };
        let columns =
            Columns::parse("JobID|State|Submit|Start|End|AllocTRES|AllocGRES|ReqTRES|ReqGRES").unwrap();
        for (fields, expected) in [
            ("cpu=4,gres/gpu=2|gpu:3|cpu=4,gres/gpu=4|gpu:5", Some(2)),
            ("cpu=4|gpu:a100:1,gpu:v100:2|cpu=4|gpu:5", Some(3)),
            ("cpu=4|7696487:2(S:0-1)||", Some(2)),
            ("|||gpu:2", Some(4)),
            ("||gres/gpu=1|", Some(1)),
            ("cpu=4|gpu:0|(null)|N/A", None),
        ] {
            let line = format!("7|COMPLETED|1|1|2|{fields}");
            let asked = requested_resources(&columns.row(&line).unwrap(), &SubmitLine::default(), &record);
            let gpus = asked.iter().find(|(name, _)| name == "gpu").map(|(_, number)| *number);
            assert_eq!(gpus, expected, "{fields}");
        }
    }
}
