//! Instances of vector bin packing in the format of VPSolver (Brandão and Pedroso).

use super::instance::MOST_TASKS;
use crate::vector::MAX_DIMENSIONS;
use dfrsim_input::{Fault, Faults};
use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, OfflineJob};
use std::fmt::Write as _;

/// Reads an instance from a text in the format `.vbp`; `file` names the text in messages.
///
/// The text has the number of resources, the capacity of a bin for each resource, the number of
/// kinds of items, and for each kind the demand of an item for each resource and the number of such
/// items, all as integers. The items of a kind become the tasks of a job that has only fixed
/// requirements, and there are as many bins as items; the question is how few bins suffice
/// (`dfrsim_optimum::fewest_nodes`). One fluid resource is added, which no item needs, so that every
/// packing has a yield of 1.
///
/// ```
/// use dfrsim_vector_packing::file::instance_from_vbp;
///
/// // Bins of 10 and 8; two items of 5 and 4, one of 3 and 8.
/// let instance = instance_from_vbp("two.vbp", "2\n10 8\n2\n5 4 2\n3 8 1\n")?;
/// assert_eq!((instance.nodes.len(), instance.jobs[0].tasks), (3, 2));
/// assert_eq!(instance.jobs[1].demand[..2], [3, 8]);
/// let error = instance_from_vbp("two.vbp", "2\n10 8\n2\n5 four 2").unwrap_err();
/// assert_eq!(error.to_string(), "two.vbp:4:3: expected the demand of an item of kind 1 for resource 2, found `four`");
/// # Ok::<(), dfrsim_input::Faults>(())
/// ```
///
/// # Errors
/// A number is not an integer in its range or is missing, or the text has more numbers than
/// expected.
pub fn instance_from_vbp(file: &str, text: &str) -> Result<Instance, Faults> {
    let mut numbers = Numbers { file, text, at: 0 };
    let resources =
        numbers.next(MAX_DIMENSIONS as u32 - 1, || "the number of resources, from 1 to 31".to_owned())?;
    if resources == 0 {
        return Err(numbers.error(0, "expected at least one resource, found 0".to_owned()));
    }
    let vector = |numbers: &mut Numbers<'_>, what: &dyn Fn(u32) -> String| {
        let mut amounts = Vec::with_capacity(resources as usize + 1);
        for resource in 1..=resources {
            amounts.push(numbers.next(u32::MAX, || what(resource))?);
        }
        amounts.push(0);
        Ok::<Box<[u32]>, Faults>(amounts.into())
    };
    let bin = vector(&mut numbers, &|resource| format!("the capacity of a bin for resource {resource}"))?;
    let kinds = numbers.next(MOST_TASKS, || format!("the number of kinds of items, up to {MOST_TASKS}"))?;
    let (mut jobs, mut items) = (Vec::new(), 0);
    for kind in 1..=kinds {
        let what = |resource| format!("the demand of an item of kind {kind} for resource {resource}");
        let demand = vector(&mut numbers, &what)?;
        let tasks = numbers.next(MOST_TASKS, || format!("the number of items of kind {kind}"))?;
        items += u64::from(tasks);
        if items > u64::from(MOST_TASKS) {
            return Err(numbers.error(numbers.at, format!("expected at most {MOST_TASKS} items in total")));
        }
        if tasks > 0 {
            jobs.push(OfflineJob { tasks, demand, least_yield: Yield::ZERO });
        }
    }
    if let Some((at, word)) = numbers.word() {
        return Err(numbers.error(at, format!("expected the end of the file, found `{word}`")));
    }
    let nodes = vec![bin; items as usize];
    Ok(Instance { fixed: resources as usize, fluid: 1, nodes, jobs })
}

/// Tokenizer of a text.
struct Numbers<'a> {
    file: &'a str,
    text: &'a str,
    at: usize,
}

impl<'a> Numbers<'a> {
    /// Returns the next word and its byte offset.
    fn word(&mut self) -> Option<(usize, &'a str)> {
        let rest = &self.text[self.at..];
        let begin = self.at + (rest.len() - rest.trim_start().len());
        let word = self.text[begin..].split_whitespace().next()?;
        self.at = begin + word.len();
        Some((begin, word))
    }

    fn next(&mut self, most: u32, what: impl Fn() -> String) -> Result<u32, Faults> {
        let Some((at, word)) = self.word() else {
            return Err(self.error(
                self.text.trim_end().len(),
                format!("expected {}, found the end of the file", what()),
            ));
        };
        let number = word.parse().ok().filter(|number| *number <= most);
        number.ok_or_else(|| self.error(at, format!("expected {}, found `{word}`", what())))
    }

    fn error(&self, at: usize, message: String) -> Faults {
        let before = &self.text[..at];
        let line = 1 + before.matches('\n').count();
        let column = 1 + before.rsplit('\n').next().map_or(0, |rest| rest.chars().count());
        Fault { line: Some(line), column: Some(column), ..Fault::of_file(self.file, message) }.into()
    }
}

/// Formats an instance as a text in the format `.vbp`, with the demands of tasks at this scaled
/// yield, rounded up. Returns `None` if the instance has no nodes or heterogeneous ones, since the
/// format has a single kind of bins.
pub fn instance_to_vbp(instance: &Instance, scaled: Yield) -> Option<String> {
    let bin = instance.nodes.first().filter(|_| instance.is_homogeneous())?;
    let mut text = String::new();
    let mut line = |numbers: &mut dyn Iterator<Item = u64>| {
        let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
        writeln!(text, "{}", numbers.join(" ")).expect("writing to a string cannot fail");
    };
    line(&mut std::iter::once(instance.dimensions() as u64));
    line(&mut bin.iter().map(|&amount| u64::from(amount)));
    line(&mut std::iter::once(instance.jobs.len() as u64));
    for job in &instance.jobs {
        let sizes = job.sizes_at(instance.fixed, scaled);
        let amounts = sizes.map(|size| size.div_ceil(1 << Yield::BITS));
        line(&mut amounts.chain([u64::from(job.tasks)]));
    }
    Some(text)
}
