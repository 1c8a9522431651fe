//! The option `--rule`, which sets the treatment of anomalous lines of a log.

use dfrsim_model::named::nearest;
use dfrsim_workload::prepare::{Anomaly, Rules};

/// Rule for one anomaly, such as `zero-run=clamp`.
#[derive(Clone, Debug)]
pub(super) struct RuleSetting {
    pub(super) anomaly: Anomaly,
    rule: String,
}

impl RuleSetting {
    /// Parses `NAME=VALUE`. Names are those of scenarios, with hyphens or underscores.
    pub(super) fn parse(text: &str) -> Result<RuleSetting, String> {
        let (name, rule) = text.split_once('=').ok_or("expected NAME=VALUE, such as zero-run=clamp")?;
        let anomaly = name.replace('-', "_").parse().map_err(|_| unknown(name))?;
        Rules::default().set(anomaly, rule).map_err(|error| error.to_string())?;
        Ok(RuleSetting { anomaly, rule: rule.to_owned() })
    }

    /// Changes this rule.
    pub(super) fn apply(&self, rules: &mut Rules) {
        rules.set(self.anomaly, &self.rule).expect("the rule was parsed");
    }
}

/// Returns the name of an anomaly in options.
fn option_name(anomaly: Anomaly) -> String {
    anomaly.name().replace('_', "-")
}

fn unknown(name: &str) -> String {
    let names: Vec<String> = Anomaly::ALL.iter().map(|anomaly| option_name(*anomaly)).collect();
    let meant = nearest(name, names.iter().map(String::as_str));
    let meant = meant.map(|meant| format!("did you mean `{meant}`? ")).unwrap_or_default();
    format!("unknown rule `{name}`; {meant}expected one of {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_anomaly_has_a_rule() {
        for anomaly in Anomaly::ALL {
            for rule in ["drop", "error"] {
                RuleSetting::parse(&format!("{}={rule}", option_name(*anomaly))).unwrap();
                RuleSetting::parse(&format!("{anomaly}={rule}")).unwrap();
            }
        }
        let mut rules = Rules::default();
        RuleSetting::parse("zero-run=clamp").unwrap().apply(&mut rules);
        assert_eq!(rules.zero_run.name(), "clamp");
    }

    #[test]
    fn unknown_names_are_answered_with_the_nearest_and_all() {
        let fault = |text: &str| RuleSetting::parse(text).unwrap_err();
        let unknown = fault("zero-rum=drop");
        assert!(unknown.contains("did you mean `zero-run`? expected one of failed, cancelled,"), "{unknown}");
        assert!(fault("zero-run").contains("NAME=VALUE"));
        assert!(fault("zero-run=keep").contains("drop, clamp or error"));
        assert!(fault("failed=clamp").contains("keep, drop or error"));
    }
}
