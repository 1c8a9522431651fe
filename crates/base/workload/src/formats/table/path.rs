//! References to columns, or to members of nested JSON objects.

/// A reference to a column: its name, or a path such as `attempts[-1].detail[*].gpus[*]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path {
    text: String,
    /// Steps, if the text is a path.
    pub(super) steps: Vec<Step>,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Member of an object.
    Member(String),
    /// Item of a list; negative ones are counted from the end.
    Item(i64),
    /// All items of a list.
    Each,
}

impl Path {
    /// Parses a reference. A text with other brackets, such as `memory [MB]`, is a name.
    pub(super) fn parse(text: &str) -> Path {
        let name = || vec![Step::Member(text.to_owned())];
        Path { text: text.to_owned(), steps: Path::parse_steps(text).unwrap_or_else(name) }
    }

    fn parse_steps(text: &str) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        for part in text.split('.') {
            let (name, brackets) = part.split_at(part.find('[').unwrap_or(part.len()));
            steps.push(Step::Member(name.to_owned()));
            for index in brackets.split_inclusive(']') {
                let index = index.strip_prefix('[')?.strip_suffix(']')?;
                steps.push(if index == "*" { Step::Each } else { Step::Item(index.parse().ok()?) });
            }
        }
        Some(steps)
    }

    /// Returns the reference as it is written.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the name of the column, or that of the outermost member.
    pub(super) fn top(&self) -> &str {
        match self.steps.first() {
            Some(Step::Member(name)) if self.steps.len() > 1 => name,
            _ => &self.text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Path, Step};

    #[test]
    fn paths_have_members_and_items() {
        let path = Path::parse("attempts[-1].detail[*].gpus");
        let member = |name: &str| Step::Member(name.to_owned());
        assert_eq!(
            path.steps,
            [member("attempts"), Step::Item(-1), member("detail"), Step::Each, member("gpus")]
        );
        assert_eq!((path.top(), path.text()), ("attempts", "attempts[-1].detail[*].gpus"));
        for name in ["Wall Time", "memory [MB]", "a[", "a[x]", "a[1]b"] {
            assert_eq!(Path::parse(name).top(), name);
        }
    }
}
