//! Fields that may be written in more than one way.

use dfrsim_workload::prepare::{Annotation, ClusterAssumptions};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One number, or a list of numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub(crate) struct Numbers(pub(crate) Vec<f64>);

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumbersVisitor)
    }
}

struct NumbersVisitor;

impl<'de> Visitor<'de> for NumbersVisitor {
    type Value = Numbers;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or a list of numbers")
    }
    fn visit_i64<E: Error>(self, number: i64) -> Result<Numbers, E> {
        Ok(Numbers(vec![number as f64]))
    }
    fn visit_f64<E: Error>(self, number: f64) -> Result<Numbers, E> {
        Ok(Numbers(vec![number]))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, sequence: A) -> Result<Numbers, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(sequence)).map(Numbers)
    }
}

/// One name, or a list of names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(crate) struct Names(pub(crate) Vec<String>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NamesVisitor)
    }
}

struct NamesVisitor;

impl<'de> Visitor<'de> for NamesVisitor {
    type Value = Names;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name or a list of names")
    }
    fn visit_str<E: Error>(self, name: &str) -> Result<Names, E> {
        Ok(Names(vec![name.to_owned()]))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, sequence: A) -> Result<Names, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(sequence)).map(Names)
    }
}

/// `"EASY"`, or `{ matching = "^EASY" }`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum PolicyField {
    /// One policy.
    Name(String),
    /// All policies whose names match a regular expression.
    Matching(Matching),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Matching {
    pub(crate) matching: String,
}

impl<'de> Deserialize<'de> for PolicyField {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PolicyVisitor)
    }
}

struct PolicyVisitor;

impl<'de> Visitor<'de> for PolicyVisitor {
    type Value = PolicyField;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a policy, or { matching = \"a regular expression\" }")
    }
    fn visit_str<E: Error>(self, name: &str) -> Result<PolicyField, E> {
        Ok(PolicyField::Name(name.to_owned()))
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<PolicyField, A::Error> {
        Matching::deserialize(MapAccessDeserializer::new(map)).map(PolicyField::Matching)
    }
}

/// An annotation: `"none"`, `"hpc2n"`, `{ hpc2n = { cores = 4, .. } }` or `{ lublin = { seed = 1, .. } }`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub(super) struct AnnotationField(pub(super) Annotation);

impl<'de> Deserialize<'de> for AnnotationField {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnnotationVisitor)
    }
}

struct AnnotationVisitor;

impl<'de> Visitor<'de> for AnnotationVisitor {
    type Value = AnnotationField;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"none\", \"hpc2n\", { hpc2n = { .. } } or { lublin = { seed = .. } }")
    }
    fn visit_str<E: Error>(self, name: &str) -> Result<AnnotationField, E> {
        match name {
            "none" => Ok(AnnotationField(Annotation::None)),
            "hpc2n" => Ok(AnnotationField(Annotation::Hpc2n(ClusterAssumptions::default()))),
            "lublin" => Err(E::custom("the annotation `lublin` needs a seed: { lublin = { seed = .. } }")),
            _ => Err(E::unknown_variant(name, &["none", "hpc2n", "lublin"])),
        }
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<AnnotationField, A::Error> {
        Annotation::deserialize(MapAccessDeserializer::new(map)).map(AnnotationField)
    }
}
