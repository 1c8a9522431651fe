//! Earlier spellings of commands, which are accepted for one more version, with a notice.

use crate::output::notice;
use std::ffi::OsString;

/// Earlier and current names of options; `None` for those that became positional arguments.
type Options = &'static [(&'static str, Option<&'static str>)];

/// Earlier and current names of commands, with their renamed options.
const RENAMED: [(&[&str], [&str; 2], Options); 16] = [
    (&["offline", "pack"], ["solve", "pack"], &[]),
    (&["pack"], ["solve", "pack"], &[]),
    (
        &["adapt"],
        ["solve", "adapt"],
        &[("--out", Some("--plan-out")), ("--cluster-out", Some("--state-out"))],
    ),
    (&["plan"], ["solve", "plan"], &[("--from", None), ("--out", Some("--plan-out"))]),
    (&["coallocate"], ["solve", "coallocate"], &[("--resources", None), ("--timetables", None)]),
    (&["status"], ["results", "status"], &[]),
    (&["merge"], ["results", "merge"], &[]),
    (&["check"], ["results", "check"], &[]),
    (&["compare"], ["results", "compare"], &[]),
    (&["report"], ["results", "report"], &[]),
    (&["figures"], ["results", "figures"], &[]),
    (&["export"], ["results", "export"], &[]),
    (&["archive"], ["results", "archive"], &[]),
    (&["verify"], ["results", "verify"], &[]),
    (&["instance"], ["offline", "instance"], &[]),
    (&["lublin"], ["log", "generate"], &[]),
];

/// Converts arguments to the current spelling, with a notice.
pub(super) fn with_current_names(arguments: Vec<OsString>) -> Vec<OsString> {
    // The command's name follows the program's, or the global option `--max-memory` and its value.
    let first = arguments.get(1).and_then(|it| it.to_str()).unwrap_or_default();
    let at = match first.strip_prefix("--max-memory") {
        Some("") => 3,
        Some(value) if value.starts_with('=') => 2,
        _ => 1,
    };
    let is_earlier = |earlier: &[&str]| {
        earlier.iter().zip(arguments.iter().skip(at)).filter(|(a, b)| **b == **a).count() == earlier.len()
    };
    let Some((earlier, now, options)) = RENAMED.iter().find(|(earlier, ..)| is_earlier(earlier)) else {
        return arguments;
    };
    let mut changed = vec![format!("`dfrsim {}` is now `dfrsim {}`", earlier.join(" "), now.join(" "))];
    let mut respelled = arguments[..at].to_vec();
    respelled.extend(now.map(OsString::from));
    for argument in &arguments[at + earlier.len()..] {
        let text = argument.to_str().unwrap_or_default();
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        let Some((option, now)) = options.iter().find(|(option, _)| *option == name) else {
            respelled.push(argument.clone());
            continue;
        };
        changed.push(match now {
            Some(now) => format!("`{option}` is `{now}`"),
            None => format!("`{option}` is now a positional argument"),
        });
        match (now, value) {
            (Some(now), Some(value)) => respelled.push(format!("{now}={value}").into()),
            (Some(now), None) => respelled.push((*now).into()),
            (None, value) => respelled.extend(value.map(OsString::from)),
        }
    }
    notice!("{}; the next version will not accept the earlier spelling", changed.join(", "));
    respelled
}

#[cfg(test)]
mod tests {
    use super::super::Cli;
    use super::{RENAMED, with_current_names};
    use std::ffi::OsString;

    #[test]
    fn earlier_commands_may_follow_the_option_of_all() {
        let now = |text: &str| {
            let arguments = with_current_names(text.split(' ').map(OsString::from).collect());
            arguments.join(" ".as_ref()).into_string().unwrap()
        };
        assert_eq!(now("dfrsim status x"), "dfrsim results status x");
        assert_eq!(now("dfrsim --max-memory 2 status x"), "dfrsim --max-memory 2 results status x");
        assert_eq!(
            now("dfrsim --max-memory=2 plan --out p"),
            "dfrsim --max-memory=2 solve plan --plan-out p"
        );
        for same in ["dfrsim", "dfrsim --max-memory", "dfrsim --max-memory 2", "dfrsim run status"] {
            assert_eq!(now(same), same);
        }
    }

    #[test]
    fn earlier_commands_are_those_of_today() {
        let program = Cli::full_command();
        for (_, [group, command], options) in RENAMED {
            let now =
                program.find_subcommand(group).and_then(|group| group.find_subcommand(command)).unwrap();
            let has = |option: &str| now.get_arguments().any(|it| it.get_long() == option.strip_prefix("--"));
            assert!(options.iter().filter_map(|(_, now)| *now).all(has), "{command}");
        }
    }
}
