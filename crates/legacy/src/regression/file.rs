//! The shape of a baseline file.

use super::figure::Figure;
use dfrsim_model::SimSpan;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use toml::Spanned;

/// The format that is written and read. Bump it when the meaning of the file changes.
pub(super) const FORMAT: i64 = 1;

/// What every format has.
#[derive(Deserialize)]
pub(super) struct Version {
    pub(super) format: i64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) format: i64,
    pub(super) semantics: u32,
    #[serde(default)]
    pub(super) title: String,
    pub(super) scenario: toml::Table,
    pub(super) workloads: Vec<Spanned<WorkloadFile>>,
    pub(super) groups: Vec<Spanned<GroupFile>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorkloadFile {
    pub(super) name: String,
    pub(super) nodes: i64,
    pub(super) node_memory_gb: Number,
    pub(super) instances: usize,
    pub(super) jobs: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GroupFile {
    pub(super) workload: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) load: Option<String>,
    pub(super) policy: String,
    pub(super) penalty_s: Seconds,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) period_s: Option<Seconds>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) packing: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) drop: Option<String>,
    pub(super) tau_s: Seconds,
    pub(super) figures: BTreeMap<Figure, Number>,
}

impl Serialize for Figure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Figure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// A finite number; whole ones stand without a point.
#[derive(Clone, Copy)]
pub(super) struct Number(pub(super) f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if self.0.fract() == 0.0 && self.0.abs() <= EXACT {
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        let wrong = || D::Error::custom(format!("expected a finite number, found {number}"));
        number.is_finite().then_some(Number(number)).ok_or_else(wrong)
    }
}

/// A span in seconds.
#[derive(Clone, Copy)]
pub(super) struct Seconds(pub(super) SimSpan);

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Number(self.0.as_secs_f64()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Number(seconds) = Number::deserialize(deserializer)?;
        let wrong = || D::Error::custom(format!("expected seconds, at least 0, found {seconds}"));
        SimSpan::try_from_secs_f64(seconds).map(Seconds).ok_or_else(wrong)
    }
}
