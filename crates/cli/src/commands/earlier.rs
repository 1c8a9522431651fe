//! Earlier spellings of `dfrsim solve`: they work for one version, with a notice.

use crate::output::notice;
use std::ffi::OsString;

/// Arguments before and now; options that became positions are `None`.
type Options = &'static [(&'static str, Option<&'static str>)];

/// Commands before and now, with their options.
const RESPELLED: [(&[&str], &str, Options); 5] = [
    (&["offline", "pack"], "pack", &[]),
    (&["pack"], "pack", &[]),
    (&["adapt"], "adapt", &[("--out", Some("--plan-out")), ("--cluster-out", Some("--state-out"))]),
    (&["plan"], "plan", &[("--from", None), ("--out", Some("--plan-out"))]),
    (&["coallocate"], "coallocate", &[("--resources", None), ("--timetables", None)]),
];

/// Returns the arguments of the process in the present spelling.
pub(super) fn respelled(arguments: Vec<OsString>) -> Vec<OsString> {
    let is_earlier = |earlier: &[&str]| {
        earlier.iter().zip(arguments.iter().skip(1)).filter(|(a, b)| **b == **a).count() == earlier.len()
    };
    let Some((earlier, now, options)) = RESPELLED.iter().find(|(earlier, ..)| is_earlier(earlier)) else {
        return arguments;
    };
    let mut changed = vec![format!("`dfrsim {}` is now `dfrsim solve {now}`", earlier.join(" "))];
    let mut respelled = vec![arguments[0].clone(), "solve".into(), (*now).into()];
    for argument in &arguments[1 + earlier.len()..] {
        let text = argument.to_str().unwrap_or_default();
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        let Some((option, now)) = options.iter().find(|(option, _)| *option == name) else {
            respelled.push(argument.clone());
            continue;
        };
        changed.push(match now {
            Some(now) => format!("`{option}` is `{now}`"),
            None => format!("the value of `{option}` is given without it"),
        });
        match (now, value) {
            (Some(now), Some(value)) => respelled.push(format!("{now}={value}").into()),
            (Some(now), None) => respelled.push((*now).into()),
            (None, value) => respelled.extend(value.map(OsString::from)),
        }
    }
    notice!("{}; the earlier spelling ends with the next version", changed.join(", "));
    respelled
}
