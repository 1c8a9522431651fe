//! Tests the transcripts in `transcripts/`, one for each subject: commands as users type them, with
//! their output.
//!
//! Each section has its own folder, in which the lines above the first section are executed before
//! its own.
//!
//! ```text
//! == NAME                begins a section; words after `# ` give the reason
//! file NAME              has the lines below it, which are indented by four spaces
//! copy NAME...           copies these files of `fixtures/`
//! edit NAME: FROM => TO  replaces the first FROM in that file
//! with NAME...           is like `file` or `edit`, but for the next command only
//! @NAME WORDS            is an abbreviation for WORDS in commands, as `@NAME`; `{root}` is the repository
//! $ ARGUMENTS            runs `dfrsim` in the folder; 'words in quotes' are one argument
//! = CODE                 is its exit code, which is 0 without this line
//! > TEXT                 is in its standard output, `2> TEXT` in its standard error, `FILE> TEXT` in a file;
//!                        `FILE:3> TEXT` in its line 3, `FILE#2> TEXT` in it twice, `#0> TEXT` nowhere in the standard output,
//!                        `FILE|WORD> TEXT` in those of its lines that have the word, `FILE!WORD> TEXT` in the other ones,
//!                        `FILE|WORD:3> TEXT` in the third that has it
//! /POINTER = VALUE       is the value there in the JSON that it prints; `>=` and `<=` compare numbers
//! /POINTER has TEXT      is in the text there
//! same                   checks that it prints what the previous command printed, `same FILE FILE` that two files have equal texts
//! names FILE...          are all files of the folder
//! ```
//!
//! In texts `\n` is a line break, `\s` a space, `\A` the beginning of the whole text and `\z` its
//! end.

use crate::support::{Folder, dfrsim};
use serde_json::Value;
use std::fs;
use std::path::Path;

macro_rules! transcripts {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            follow(stringify!($name));
        })*

        #[test]
        fn all_are_followed() {
            let mut files: Vec<_> = fs::read_dir(folder()).unwrap().map(|it| it.unwrap().file_name()).collect();
            files.sort();
            assert_eq!(files, [$(concat!(stringify!($name), ".txt")),*]);
        }
    };
}

transcripts! {
    adapt bench census check coallocate compare draw interchange logs pack plan records run simulate site solve
}

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/transcripts")
}

fn follow(name: &str) {
    let text = fs::read_to_string(folder().join(format!("{name}.txt"))).unwrap();
    let lines: Vec<(usize, &str)> = (1..).zip(text.lines()).collect();
    let mut sections = lines.split(|(_, line)| line.starts_with("== "));
    let shared = sections.next().unwrap();
    for section in sections {
        let mut session = Session::new(name);
        session.follow(shared);
        session.follow(section);
    }
}

/// State of a section that is being executed.
struct Session<'a> {
    name: &'a str,
    /// Current line with its position.
    line: String,
    folder: Folder,
    names: Vec<(&'a str, &'a str)>,
    /// Previous contents of files that are changed for one command only.
    restored: Vec<(&'a str, String)>,
    /// True if a command has run since these files were changed.
    ran: bool,
    stdout: String,
    stderr: String,
    printed_before: String,
}

impl<'a> Session<'a> {
    fn new(name: &'a str) -> Session<'a> {
        Session {
            name,
            line: String::new(),
            folder: Folder::with(&[]),
            names: Vec::new(),
            restored: Vec::new(),
            ran: false,
            stdout: String::new(),
            stderr: String::new(),
            printed_before: String::new(),
        }
    }

    fn follow(&mut self, lines: &[(usize, &'a str)]) {
        let mut lines = lines.iter().copied().peekable();
        while let Some((number, line)) = lines.next() {
            self.line = format!("transcripts/{}.txt:{number}: {line}", self.name);
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            if self.ran && matches!(word, "copy" | "file" | "edit" | "with" | "$") {
                self.restore();
            }
            match word {
                "" | "#" => {}
                "copy" => rest.split(' ').for_each(|name| {
                    fs::copy(folder().join("../fixtures").join(name), self.folder.path(name)).unwrap();
                }),
                "file" | "edit" | "with" => {
                    let (name, change) =
                        rest.split_once(": ").map_or((rest, None), |(name, it)| (name, Some(it)));
                    if word == "with" {
                        self.restored.push((name, self.text_of(name)));
                    }
                    let text = match change {
                        Some(change) => self.edited(name, change),
                        None => {
                            let below =
                                std::iter::from_fn(|| lines.next_if(|(_, line)| line.starts_with("    ")));
                            below.flat_map(|(_, line)| [&line[4..], "\n"]).collect()
                        }
                    };
                    fs::write(self.folder.path(name), text).unwrap();
                }
                "$" => {
                    let code = lines.next_if(|(_, line)| line.starts_with("= "));
                    self.run(rest, code.map_or(0, |(_, line)| line[2..].parse().unwrap()));
                }
                "same" if rest.is_empty() => assert_eq!(self.stdout, self.printed_before, "{}", self.line),
                "same" => {
                    let (one, other) = rest.split_once(' ').unwrap();
                    assert_eq!(self.text_of(one), self.text_of(other), "{}", self.line);
                }
                "names" => assert_eq!(self.folder.names().join(" "), rest, "{}", self.line),
                _ if word.starts_with('@') => self.names.push((word, rest)),
                _ if word.starts_with('/') => self.expect_value(word, rest),
                _ => {
                    let place = word.strip_suffix('>').unwrap_or_else(|| panic!("{}", self.line));
                    self.expect_text(place, rest);
                }
            }
        }
    }

    /// Returns a file with the first occurrence of a text replaced.
    fn edited(&self, name: &str, change: &str) -> String {
        let (from, to) = change.split_once(" =>").unwrap();
        let before = self.text_of(name);
        let after = before.replacen(&unescaped(from), &unescaped(to.strip_prefix(' ').unwrap_or("")), 1);
        assert_ne!(before, after, "{}", self.line);
        after
    }

    fn restore(&mut self) {
        while let Some((name, text)) = self.restored.pop() {
            fs::write(self.folder.path(name), text).unwrap();
        }
        self.ran = false;
    }

    fn run(&mut self, arguments: &str, code: i32) {
        let mut command = dfrsim(self.words(arguments));
        let output = command.current_dir(self.folder.path("")).output().unwrap();
        self.printed_before = std::mem::take(&mut self.stdout);
        self.stdout = String::from_utf8(output.stdout).unwrap();
        self.stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{}\n{}{}", self.line, self.stdout, self.stderr);
        self.ran = true;
    }

    fn words(&self, arguments: &str) -> Vec<String> {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let mut words = Vec::new();
        for (place, part) in arguments.split('\'').enumerate() {
            if place % 2 == 1 {
                words.push(part.to_owned());
                continue;
            }
            for word in part.split_whitespace() {
                match self.names.iter().find(|(name, _)| *name == word) {
                    Some((_, long)) => words.extend(self.words(long)),
                    None => words.push(word.replace("{root}", root)),
                }
            }
        }
        words
    }

    fn text_of(&self, name: &str) -> String {
        match name {
            "" => self.stdout.clone(),
            "2" => self.stderr.clone(),
            file => fs::read_to_string(self.folder.path(file)).unwrap_or_else(|_| panic!("{}", self.line)),
        }
    }

    /// Returns the text of a file, or only the lines with a word, or those without it.
    fn lines_of(&self, place: &str) -> String {
        let Some(sign) = place.find(['|', '!']) else { return self.text_of(place) };
        let (name, word) = (&place[..sign], &place[sign + 1..]);
        let wanted = place[sign..].starts_with('|');
        let text = self.text_of(name);
        text.split_inclusive('\n').filter(|line| (occurrences(line, word) > 0) == wanted).collect()
    }

    fn expect_text(&self, place: &str, expected: &str) {
        let (place, count) =
            place.split_once('#').map_or((place, None), |(place, count)| (place, Some(count)));
        let (lines, line) = place.split_once(':').map_or((place, None), |(name, line)| (name, Some(line)));
        let mut text = self.lines_of(lines);
        if let Some(line) = line {
            text = text.lines().nth(line.parse::<usize>().unwrap() - 1).unwrap_or_default().to_owned();
        }
        let found = occurrences(&text, expected);
        let right = count.map_or(found > 0, |count| count.parse() == Ok(found));
        assert!(right, "{}\nfound {found} times in\n{text}\n{}", self.line, self.stderr);
    }

    fn expect_value(&self, pointer: &str, expected: &str) {
        let printed: Value = serde_json::from_str(&self.stdout).unwrap();
        let found = printed.pointer(pointer).unwrap_or(&Value::Null);
        let (relation, expected) = expected.split_once(' ').unwrap();
        let value = || serde_json::from_str::<Value>(expected).unwrap();
        let numbers = || found.as_f64().zip(value().as_f64());
        let right = match relation {
            "=" => *found == value(),
            ">=" => numbers().is_some_and(|(found, least)| found >= least),
            "<=" => numbers().is_some_and(|(found, most)| found <= most),
            "has" => found.as_str().is_some_and(|text| occurrences(text, expected) > 0),
            other => panic!("{}: unknown relation `{other}`", self.line),
        };
        assert!(right, "{}\nfound {found} in\n{printed}", self.line);
    }
}

/// Counts the occurrences of a text in another one, in the notation of transcripts.
fn occurrences(text: &str, expected: &str) -> usize {
    format!("\\A{text}\\z").matches(&unescaped(expected)).count()
}

fn unescaped(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\s", " ")
}
