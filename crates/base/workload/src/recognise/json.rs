//! Kinds of JSON files, by the keys in their first part.

use super::foreign::{self, Foreign};
use super::kind::Kind;
use crate::formats::table::{Form, Shape};

/// A key of an object, with the number of objects and lists around it.
struct Key {
    depth: u32,
    name: String,
}

/// Keys at the start of a JSON text, which may be cut anywhere.
struct Keys(Vec<Key>);

impl Keys {
    fn of(text: &str) -> Keys {
        let (mut keys, mut depth) = (Vec::new(), 0_u32);
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                b'"' => {
                    let from = at + 1;
                    at = from;
                    while bytes.get(at).is_some_and(|&byte| byte != b'"') {
                        at += if bytes[at] == b'\\' { 2 } else { 1 };
                    }
                    let is_key =
                        bytes.get(at + 1..).is_some_and(|rest| rest.trim_ascii_start().starts_with(b":"));
                    if let Some(name) = text.get(from..at).filter(|_| is_key) {
                        keys.push(Key { depth, name: name.to_owned() });
                    }
                }
                _ => {}
            }
            at += 1;
        }
        Keys(keys)
    }
    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|key| key.name == name)
    }
    fn has_all(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.has(name))
    }
    /// Returns the names at a depth, each once, in the order of the text.
    fn at(&self, depth: u32) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for key in self.0.iter().filter(|key| key.depth == depth) {
            if !names.contains(&key.name) {
                names.push(key.name.clone());
            }
        }
        names
    }
}

/// Recognises a text that starts like JSON.
pub(super) fn recognise(text: &str) -> Kind {
    let keys = Keys::of(text);
    let top = keys.at(1);
    let is_top = |name: &str| top.iter().any(|key| key == name);
    if is_top("nb_res") || is_top("jobs") && (is_top("profiles") || keys.has_all(&["subtime", "profile"])) {
        return Kind::Batsim;
    }
    if is_top("jobs") && keys.has("job_id") {
        return if keys.has("job_state") { Kind::Foreign(&foreign::SQUEUE) } else { Kind::Slurm };
    }
    if let Some(kind) = known(&keys, &is_top) {
        return Kind::Foreign(kind);
    }
    let is_list = text.starts_with('[');
    let first = text.lines().next().unwrap_or_default();
    let is_lines = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(first).is_ok();
    match (is_list, is_lines) {
        (true, _) if !keys.at(2).is_empty() => Kind::Table(Shape::new(Form::JsonList, keys.at(2))),
        (false, true) => Kind::Table(Shape::new(Form::JsonLines, top)),
        _ => Kind::Foreign(&foreign::JSON),
    }
}

fn known(keys: &Keys, is_top: &dyn Fn(&str) -> bool) -> Option<&'static Foreign> {
    let kinds: [(bool, &Foreign); 8] = [
        (is_top("event"), &foreign::EVENTS),
        (is_top("cells") && is_top("nbformat"), &foreign::NOTEBOOK),
        (is_top("workflow") || is_top("schemaVersion") && keys.has("tasks"), &foreign::WFCOMMONS),
        (keys.has_all(&["attempts", "submitted_time"]), &foreign::PHILLY),
        (is_top("jobs") && keys.has("application_model"), &foreign::ELASTISIM),
        (keys.has("collection_id") || keys.has("instance_index"), &foreign::BORG),
        (is_top("vms") || is_top("vjobs"), &foreign::STATE),
        (is_top("nodes") && is_top("jobs"), &foreign::STATE),
    ];
    kinds.into_iter().find(|(holds, _)| *holds).map(|(_, kind)| kind)
}
