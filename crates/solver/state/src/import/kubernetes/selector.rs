//! Selectors of labels: of pods, of nodes, and of taints by tolerations.

use dfrsim_input::{Located, Object};
use std::collections::BTreeMap;

/// Labels by name.
pub(super) type Labels = BTreeMap<String, String>;

/// Returns the labels of an object, from a field with texts.
pub(super) fn labels(at: Option<&Located<'_>>) -> Labels {
    let object = at.and_then(Located::object);
    let own = object.iter().flat_map(|object| object.iter().collect::<Vec<_>>());
    own.filter_map(|(name, at)| Some((name.to_owned(), at.text()?.to_owned()))).collect()
}

/// Returns the descendant at a path of fields.
pub(super) fn below<'a>(object: &Object<'a>, path: &[&str]) -> Option<Located<'a>> {
    let (last, path) = path.split_last()?;
    let mut object = object.clone();
    for name in path {
        object = object.get(name)?.object()?;
    }
    object.get(last).filter(|at| !at.is_null())
}

/// Returns the items of the list at a path of fields; none if there is no such list.
pub(super) fn list_below<'a>(object: &Object<'a>, path: &[&str]) -> Vec<Object<'a>> {
    let items = below(object, path).and_then(|at| at.items()).unwrap_or_default();
    items.iter().filter_map(Located::object).collect()
}

/// Returns the text at a path of fields.
pub(super) fn text_below<'a>(object: &Object<'a>, path: &[&str]) -> Option<&'a str> {
    below(object, path)?.text()
}

/// Returns whether a selector of labels (`matchLabels`, `matchExpressions`) selects an object. An
/// absent selector selects nothing, an empty one everything.
pub(super) fn selects(selector: Option<&Object<'_>>, of: &Labels) -> bool {
    let Some(selector) = selector else { return false };
    let own = labels(selector.get("matchLabels").as_ref());
    own.iter().all(|(name, value)| of.get(name) == Some(value))
        && list_below(selector, &["matchExpressions"]).iter().all(|it| expression_holds(it, of))
}

/// Returns whether one term of a node affinity selects a node. A term without expressions selects
/// nothing.
pub(super) fn term_selects(term: &Object<'_>, node: &str, of: &Labels) -> bool {
    let fields = Labels::from([("metadata.name".to_owned(), node.to_owned())]);
    let (by_label, by_field) = (list_below(term, &["matchExpressions"]), list_below(term, &["matchFields"]));
    !(by_label.is_empty() && by_field.is_empty())
        && by_label.iter().all(|it| expression_holds(it, of))
        && by_field.iter().all(|it| expression_holds(it, &fields))
}

fn expression_holds(expression: &Object<'_>, of: &Labels) -> bool {
    let found = expression.get("key").and_then(|at| of.get(at.text()?));
    let values = below(expression, &["values"]).and_then(|at| at.items()).unwrap_or_default();
    let is_in = || found.is_some_and(|found| values.iter().any(|value| value.text() == Some(found)));
    let number = |text: &str| text.parse::<i64>().ok();
    let bound = values.first().and_then(|at| number(at.text()?));
    let pair = found.and_then(|found| number(found)).zip(bound);
    match expression.get("operator").and_then(|at| at.text()) {
        Some("In") => is_in(),
        Some("NotIn") => !is_in(),
        Some("Exists") => found.is_some(),
        Some("DoesNotExist") => found.is_none(),
        Some("Gt") => pair.is_some_and(|(found, bound)| found > bound),
        Some("Lt") => pair.is_some_and(|(found, bound)| found < bound),
        _ => false,
    }
}

/// Returns whether some toleration of a pod tolerates a taint of a node.
pub(super) fn is_tolerated(taint: &Object<'_>, tolerations: &[Object<'_>]) -> bool {
    let of = |object: &Object<'_>, name: &str| text_below(object, &[name]).map(str::to_owned);
    tolerations.iter().any(|toleration| {
        let (key, effect) = (of(toleration, "key"), of(toleration, "effect"));
        let is_any = of(toleration, "operator").as_deref() == Some("Exists");
        let has_key = match &key {
            None => is_any,
            Some(key) => Some(key) == of(taint, "key").as_ref(),
        };
        let value = |object| of(object, "value").unwrap_or_default();
        has_key
            && (effect.is_none() || effect == of(taint, "effect"))
            && (is_any || value(toleration) == value(taint))
    })
}
