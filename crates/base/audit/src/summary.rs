//! Comparison of a summary with the recomputed one.

use crate::Rule;
use dfrsim_model::event::Record;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Relative tolerance of floating-point figures. Sums of as many as 10^8 numbers in different orders
/// differ by less than this in practice, and a wrong printed digit by more.
const TOLERANCE: f64 = 1e-12;

/// Number of jobs above which quantiles may be taken from a histogram, and are then too low by at
/// most one part in 1,024.
const MAX_EXACT: u64 = 1_000_000;

/// Compares a summary with the expected one and returns the differences.
pub(crate) fn differences(found: &Record<'_>, expected: &Record<'_>) -> Vec<Rule> {
    let fields = |record| match serde_json::to_value(record) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    let is_coarse = matches!(expected, Record::Summary { completed, .. } if *completed > MAX_EXACT);
    let (found, expected) = (fields(found), fields(expected));
    let mut rules = Vec::new();
    if found.contains_key("platform") != expected.contains_key("platform") {
        rules.push(
            "summary: `platform` is required if and only if line 2 is a `platform` record or jobs can preempt others"
                .into(),
        );
    }
    compare(&found, &expected, is_coarse, &mut rules);
    rules
}

fn compare(
    found: &Map<String, Value>,
    expected: &Map<String, Value>,
    is_coarse: bool,
    rules: &mut Vec<Rule>,
) {
    let names: BTreeSet<&String> = found.keys().chain(expected.keys()).collect();
    for name in names {
        let (found, expected) = (found.get(name), expected.get(name));
        match (found, expected) {
            (Some(Value::Object(found)), Some(Value::Object(expected))) => {
                compare(found, expected, is_coarse, rules);
            }
            (Some(Value::Object(_)), _) | (_, Some(Value::Object(_))) => {}
            _ if found == expected => {}
            _ => {
                let number = |value: Option<&Value>| value.and_then(Value::as_f64).unwrap_or(f64::NAN);
                let (value, right) = (number(found), number(expected));
                let is_exact = expected.is_some_and(Value::is_u64);
                let slack = if is_exact { 0.0 } else { TOLERANCE * right.abs() };
                let is_quantile = ["median_bounded_stretch", "p95_bounded_stretch", "p99_bounded_stretch"];
                let may_be_low = is_coarse && is_quantile.contains(&name.as_str());
                let below = if may_be_low { right.abs() / 1024.0 } else { 0.0 };
                // NaN must count as a difference, so the comparisons are not inverted.
                let is_near = value <= right + slack && value >= right - below - slack;
                if !is_near || is_exact {
                    rules.push(format!("summary: `{name}` is {value}, but the events give {right}").into());
                }
            }
        }
    }
}
