//! Labels for names that are too long: what the names have in common gives way to an ellipsis first.

use crate::axis::shorten;
use crate::font;

/// Text in place of parts that are left out.
const ELLIPSIS: &str = "…";

/// Returns a label for each name that fits into a width. Names that fit stay as they are. Of others
/// the parts that most names share are left out until they fit, first those without which the label
/// still stands for one name alone; parts are separated by `/` or `, `. Different names have different
/// labels, if need be by a number.
pub(crate) fn labels(names: &[String], size: i32, room: i32) -> Vec<String> {
    let fits = |text: &str| font::width(text, size) <= room;
    let all: Vec<Vec<&str>> = names.iter().map(|name| split(name)).collect();
    let shared = |part: &str| all.iter().filter(|other| other.contains(&part)).count();
    let mut labels: Vec<String> = Vec::new();
    for (name, parts) in names.iter().zip(&all) {
        let mut is_kept = vec![true; parts.len()];
        // The first part is the family of the policy, which readers look for; it goes last.
        let mut order: Vec<usize> = (0..parts.len()).collect();
        order.sort_by_key(|&place| (place == 0, std::cmp::Reverse(shared(parts[place]))));
        let mut label = name.clone();
        while !fits(&label) && !order.is_empty() {
            let is_clear = |place: &usize| {
                let kept = (0..parts.len()).filter(|other| is_kept[*other] && other != place);
                let kept: Vec<&str> = kept.map(|other| parts[other]).collect();
                let could_be = |other: &Vec<&str>| other != parts && is_within(&kept, other);
                *place != 0 && !all.iter().any(could_be)
            };
            let at = order.iter().position(is_clear).unwrap_or(0);
            is_kept[order.remove(at)] = false;
            label = joined(parts, &is_kept);
        }
        if label == ELLIPSIS || !fits(&label) {
            label = shorten(name, size, room);
        }
        let label = if labels.contains(&label) { numbered(name, &labels, size, room) } else { label };
        labels.push(label);
    }
    labels
}

/// Splits a name into its parts, each with the separator before it.
fn split(name: &str) -> Vec<&str> {
    let mut starts = vec![0];
    starts.extend(name.match_indices('/').chain(name.match_indices(", ")).map(|(place, _)| place));
    starts.sort_unstable();
    starts.dedup();
    let ends = starts.iter().skip(1).copied().chain([name.len()]);
    starts.iter().zip(ends).map(|(&from, to)| &name[from..to]).collect()
}

/// Returns whether parts occur in a name in this order.
fn is_within(parts: &[&str], name: &[&str]) -> bool {
    let mut rest = name.iter();
    parts.iter().all(|part| rest.any(|other| other == part))
}

/// Joins the parts that are kept, with one ellipsis for each row of others.
fn joined(parts: &[&str], is_kept: &[bool]) -> String {
    let mut label = String::new();
    for (part, is_kept) in parts.iter().zip(is_kept) {
        if *is_kept {
            label += part;
        } else if !label.ends_with(ELLIPSIS) {
            label += ELLIPSIS;
        }
    }
    label
}

/// Returns the name with both ends and a number that no label has.
fn numbered(name: &str, labels: &[String], size: i32, room: i32) -> String {
    let number = |number: usize| {
        let suffix = format!(" ({number})");
        shorten(name, size, room - font::width(&suffix, size)) + &suffix
    };
    let mut numbers = (2..).map(number);
    numbers.find(|label| !labels.contains(label)).expect("numbers do not end")
}

#[cfg(test)]
mod tests {
    use super::labels;
    use crate::font;

    fn of(names: &[&str], room: &str) -> Vec<String> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        labels(&names, 130, font::width(room, 130))
    }

    #[test]
    fn what_differs_is_kept() {
        let names = ["GreedyPM*/per/OPT=MIN/MINVT=600", "GreedyPM*/per/OPT=MIN/MINVT=300", "EASY"];
        assert_eq!(
            of(&names, "GreedyPM*…/MINVT=600"),
            ["GreedyPM*…/MINVT=600", "GreedyPM*…/MINVT=300", "EASY"]
        );
        assert_eq!(of(&names, "GreedyPM*/per/OPT=MIN/MINVT=600"), names);
        let penalties = ["GreedyPM*/per, penalty 0 s", "GreedyPM*/per, penalty 300 s"];
        assert_eq!(
            of(&penalties, "GreedyPM*…, penalty 300 s"),
            ["GreedyPM*/per, penalty 0 s", "GreedyPM*…, penalty 300 s"]
        );
    }

    /// Half of all names share the penalty, but without it two policies would have one label.
    #[test]
    fn a_shared_part_stays_if_the_label_needs_it() {
        let names = [0, 300].map(|penalty| {
            ["FCFS", "EASY", "GreedyPM*/OPT=MIN", "GreedyPM*/per/OPT=MIN/MVT=600"]
                .map(|policy| format!("{policy}, penalty {penalty} s"))
        });
        let names = names.as_flattened();
        let labels = of(&names.iter().map(String::as_str).collect::<Vec<_>>(), &names[7][3..]);
        assert_eq!(labels[..3], names[..3]);
        assert_eq!(labels[3], "GreedyPM*/per…/MVT=600, penalty 0 s");
        assert_eq!(labels[7], "GreedyPM*/per…/MVT=600, penalty 300 s");
    }

    #[test]
    fn labels_differ_even_without_room() {
        let names = ["aaaaaaaaaaaaaa1bbbbbbbbbbbbbb", "aaaaaaaaaaaaaa2bbbbbbbbbbbbbb"];
        let labels = of(&names, "aaaaaaaa");
        assert_ne!(labels[0], labels[1]);
    }
}
