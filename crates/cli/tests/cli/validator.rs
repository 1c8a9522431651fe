//! A strict validator for the part of JSON Schema (draft 2020-12) that this program's schemas use:
//! it panics on unknown keywords. `scripts/check/notebook` uses a complete validator.

use serde_json::{Map, Value};

/// Returns the reason why a value is invalid by the schema, if it is.
pub(crate) fn fault(schema: &Value, value: &Value) -> Option<String> {
    Validator { root: schema }.fault(schema, value, "")
}

/// Keywords that only describe. `format` is the width of a number here.
const ANNOTATIONS: [&str; 6] = ["$schema", "$defs", "title", "description", "default", "format"];

struct Validator<'a> {
    root: &'a Value,
}

impl Validator<'_> {
    /// Returns the first error, with its position in the value.
    fn fault(&self, schema: &Value, value: &Value, at: &str) -> Option<String> {
        let keywords = match schema {
            Value::Bool(true) => return None,
            Value::Bool(false) => return Some(format!("{at}: no value is allowed here")),
            schema => schema.as_object().expect("a schema is an object or a truth value"),
        };
        keywords.iter().find_map(|(keyword, rule)| self.keyword(keywords, keyword, rule, value, at))
    }

    fn fits(&self, schema: &Value, value: &Value) -> bool {
        self.fault(schema, value, "").is_none()
    }

    fn keyword(
        &self,
        all: &Map<String, Value>,
        keyword: &str,
        rule: &Value,
        value: &Value,
        at: &str,
    ) -> Option<String> {
        let fault = |holds: bool| (!holds).then(|| format!("{at}: {keyword} {rule}, found {value}"));
        let all_of = |rules: &Value| list(rules).iter().find_map(|rule| self.fault(rule, value, at));
        let count = |rule: &Value| rule.as_u64().expect("a number of items") as usize;
        match keyword {
            "$ref" => {
                let path = rule.as_str().and_then(|rule| rule.strip_prefix('#')).expect("a local reference");
                self.fault(self.root.pointer(path).expect("the reference leads somewhere"), value, at)
            }
            "type" => match rule {
                Value::Array(types) => fault(types.iter().any(|name| is_of(name, value))),
                name => fault(is_of(name, value)),
            },
            "const" => fault(value == rule),
            "enum" => fault(list(rule).contains(value)),
            "minimum" => fault(value.as_f64().is_none_or(|value| value >= rule.as_f64().unwrap())),
            "maximum" => fault(value.as_f64().is_none_or(|value| value <= rule.as_f64().unwrap())),
            "minItems" => fault(value.as_array().is_none_or(|items| items.len() >= count(rule))),
            "maxItems" => fault(value.as_array().is_none_or(|items| items.len() <= count(rule))),
            "required" => {
                let has = |name: &Value| value.get(name.as_str().unwrap()).is_some();
                fault(!value.is_object() || list(rule).iter().all(has))
            }
            "properties" => object(rule)
                .iter()
                .find_map(|(name, rule)| self.fault(rule, value.get(name)?, &format!("{at}/{name}"))),
            "additionalProperties" => {
                let known =
                    |name: &String| all.get("properties").is_some_and(|known| known.get(name).is_some());
                let others = value.as_object()?.iter().filter(|(name, _)| !known(name));
                others.into_iter().find_map(|(name, value)| self.fault(rule, value, &format!("{at}/{name}")))
            }
            "prefixItems" => {
                let pairs = list(rule).iter().zip(value.as_array()?);
                pairs.into_iter().find_map(|(rule, value)| self.fault(rule, value, at))
            }
            "items" => {
                let before = all.get("prefixItems").map_or(0, |prefix| list(prefix).len());
                let others = value.as_array()?.iter().enumerate().skip(before);
                others
                    .into_iter()
                    .find_map(|(place, value)| self.fault(rule, value, &format!("{at}/{place}")))
            }
            "allOf" => all_of(rule),
            "anyOf" => fault(list(rule).iter().any(|rule| self.fits(rule, value))),
            "oneOf" => fault(list(rule).iter().filter(|rule| self.fits(rule, value)).count() == 1),
            "if" => {
                let branch = if self.fits(rule, value) { "then" } else { "else" };
                self.fault(all.get(branch)?, value, at)
            }
            "then" | "else" => None,
            keyword if ANNOTATIONS.contains(&keyword) || keyword.starts_with("x-") => None,
            keyword => panic!("the validator does not know the keyword `{keyword}`"),
        }
    }
}

fn is_of(name: &Value, value: &Value) -> bool {
    match name.as_str().expect("a type has a name") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        name => panic!("there is no type `{name}`"),
    }
}

fn list(rules: &Value) -> &Vec<Value> {
    rules.as_array().expect("a list")
}

fn object(rules: &Value) -> &Map<String, Value> {
    rules.as_object().expect("an object")
}
