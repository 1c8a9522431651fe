//! Text templates with placeholders: `{name}`, or `{name:.2}` for numbers with two decimals;
//! `{named:.2 %}` appends a unit to each number.

/// Replaces the placeholders by their values; placeholders without a value are kept.
pub fn fill(template: &str, values: &[(&str, TemplateValue)]) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let Some((place, behind)) = after.split_once('}') else { break };
        let (name, form) = place.split_once(":.").unwrap_or((place, ""));
        let (decimals, sign) = form.split_at(form.len().min(1));
        let number = |number: f64| match decimals.parse::<usize>() {
            Ok(decimals) => format!("{number:.decimals$}{sign}"),
            Err(_) => number.to_string(),
        };
        match values.iter().find(|(known, _)| *known == name).map(|(_, value)| value) {
            Some(TemplateValue::Number(value)) => text.push_str(&number(*value)),
            Some(TemplateValue::Text(value)) => text.push_str(value),
            Some(TemplateValue::List(list)) => {
                text.push_str(&list.iter().map(|value| number(*value)).collect::<Vec<_>>().join(", "));
            }
            Some(TemplateValue::Named(list)) => {
                let all = list.iter().map(|(name, value)| format!("{name} {}", number(*value)));
                text.push_str(&all.collect::<Vec<_>>().join(", "));
            }
            None => text.push_str(&format!("{{{place}}}")),
        }
        rest = behind;
    }
    text + rest
}

/// Value of a placeholder.
#[derive(Clone, Debug, PartialEq)]
pub enum TemplateValue {
    /// Number, printed in the format of its template.
    Number(f64),
    /// Text, inserted unchanged.
    Text(String),
    /// A list of numbers.
    List(Vec<f64>),
    /// Numbers with their names.
    Named(Vec<(String, f64)>),
}

impl From<f64> for TemplateValue {
    fn from(number: f64) -> TemplateValue {
        TemplateValue::Number(number)
    }
}
impl From<usize> for TemplateValue {
    fn from(count: usize) -> TemplateValue {
        TemplateValue::Number(count as f64)
    }
}
impl<T: AsRef<str>> From<&T> for TemplateValue {
    fn from(text: &T) -> TemplateValue {
        TemplateValue::Text(text.as_ref().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_filled_in() {
        let values =
            [("met", 3_usize.into()), ("low", 0.125.into()), ("name", TemplateValue::Text("EASY".into()))];
        assert_eq!(fill("{met} of 4, {low:.2} ({name}), {other}", &values), "3 of 4, 0.12 (EASY), {other}");
    }
}
