//! A valid events file, small enough to follow by hand.
//!
//! Two nodes, penalty 3 s; a yield of 1,048,576 is 1, of 524,288 is 1/2; 471,859,200 units are half a node.
//! Job 0 has two tasks of 10 s that need whole CPUs, job 1 one task of 4 s; every task has half a node's memory.
//!
//! | second | what happens | work of job 0 | work of job 1 |
//! |---|---|---|---|
//! | 0 | job 0 starts on both nodes at yield 1 | 0 | |
//! | 2 | job 0 goes on at 1/2, and job 1 starts on node 0 at 1/2: node 0 is full of both resources | 2 | 0 |
//! | 4 | job 1 moves to node 1: no progress until second 7 | 3 | 1 |
//! | 6 | job 0 is paused, job 1 gets yield 1 | 4 | 1 |
//! | 10 | job 1 has run from 7 to 10 and completes; job 0 resumes: no progress until second 13 | 4 | 4 |
//! | 12 | job 2 comes and is rejected | 4 | |
//! | 19 | job 0 has run from 13 to 19 and completes | 10 | |
//!
//! Turnarounds: 19 s and 8 s, mean 13.5 s. Stretches: 1.9 and 2; bounded by 10 s: 1.9 and 1, mean 1.45. Work:
//! 2 * 10 + 4 = 24 of 2 * 19 = 38 node-seconds.

/// The lines of the file.
pub(crate) const BASE: [&str; 15] = [
    r#"{"event":"run","format":3,"policy":"by hand","nodes":2,"penalty_us":3000000,"tau_us":10000000}"#,
    r#"{"event":"submit","at_us":0,"job":0,"id":10,"tasks":2,"cpu_need":943718400,"memory":471859200,"run_us":10000000}"#,
    r#"{"event":"start","at_us":0,"job":0,"on":[[0,1],[1,1]],"yield":1048576}"#,
    r#"{"event":"submit","at_us":2000000,"job":1,"id":11,"tasks":1,"cpu_need":943718400,"memory":471859200,"run_us":4000000}"#,
    r#"{"event":"yield","at_us":2000000,"job":0,"yield":524288}"#,
    r#"{"event":"start","at_us":2000000,"job":1,"on":[[0,1]],"yield":524288}"#,
    r#"{"event":"migrate","at_us":4000000,"job":1,"on":[[1,1]],"yield":524288}"#,
    r#"{"event":"pause","at_us":6000000,"job":0}"#,
    r#"{"event":"yield","at_us":6000000,"job":1,"yield":1048576}"#,
    r#"{"event":"complete","at_us":10000000,"job":1}"#,
    r#"{"event":"resume","at_us":10000000,"job":0,"on":[[0,1],[1,1]],"yield":1048576}"#,
    r#"{"event":"submit","at_us":12000000,"job":2,"id":12,"tasks":3,"cpu_need":943718400,"memory":471859200,"run_us":1}"#,
    r#"{"event":"reject","at_us":12000000,"job":2}"#,
    r#"{"event":"complete","at_us":19000000,"job":0}"#,
    concat!(
        r#"{"event":"summary","completed":2,"rejected":1,"makespan_us":19000000,"max_stretch":2.0,"#,
        r#""max_bounded_stretch":1.9,"mean_bounded_stretch":1.45,"mean_turnaround_s":13.5,"#,
        r#""utilisation":0.631578947368421,"preemptions":1,"migrations":1,"migrated_tasks":1}"#
    ),
];

/// The number of the summary's line.
pub(crate) const SUMMARY: usize = BASE.len();

/// The lines, to be changed and numbered from 1.
pub(crate) struct Lines(Vec<String>);

impl Lines {
    pub(crate) fn new() -> Lines {
        Lines(BASE.iter().map(|&line| line.to_owned()).collect())
    }
    /// Replaces a part of a line that must be there.
    pub(crate) fn edit(mut self, line: usize, from: &str, to: &str) -> Lines {
        assert!(self.0[line - 1].contains(from), "line {line} has no {from}");
        self.0[line - 1] = self.0[line - 1].replacen(from, to, 1);
        self
    }
    pub(crate) fn insert(mut self, line: usize, text: &str) -> Lines {
        self.0.insert(line - 1, text.to_owned());
        self
    }
    pub(crate) fn delete(mut self, line: usize) -> Lines {
        self.0.remove(line - 1);
        self
    }
    /// Moves a line to another place.
    pub(crate) fn reorder(mut self, line: usize, to: usize) -> Lines {
        let text = self.0.remove(line - 1);
        self.0.insert(to - 1, text);
        self
    }
    pub(crate) fn text(&self) -> String {
        self.0.join("\n") + "\n"
    }
}

/// The line, from 1, what it has there, and what it has instead.
pub(crate) type Edit = (usize, &'static str, &'static str);

/// A file in which parts of lines are others.
pub(crate) fn edited(file: &[&str], edits: &[Edit]) -> String {
    let mut lines: Vec<String> = file.iter().map(|&line| line.to_owned()).collect();
    for &(line, from, to) in edits {
        assert!(lines[line - 1].contains(from), "line {line} has no {from}");
        lines[line - 1] = lines[line - 1].replacen(from, to, 1);
    }
    lines.join("\n") + "\n"
}
