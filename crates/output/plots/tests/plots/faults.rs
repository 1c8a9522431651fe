//! Tests events files that cannot be drawn, and their error messages.

use crate::support::file;
use dfrsim_model::SimTime;
use dfrsim_plots::{
    ColourBy, EventsError, FigureSize, StretchForm, Window, draw_gantt, draw_stretch, draw_timeline,
};
use std::path::Path;

const EVENTS: &str = r#"{"event":"run","format":3,"policy":"FCFS","nodes":2,"penalty_us":0,"tau_us":10000000}
{"event":"submit","at_us":0,"job":0,"id":7,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":10000000}
{"event":"start","at_us":0,"job":0,"on":[[0,1]],"yield":1048576}
{"event":"complete","at_us":10000000,"job":0}
{"event":"summary","completed":1,"rejected":0,"makespan_us":10000000,"max_stretch":1.0,"max_bounded_stretch":1.0,"mean_bounded_stretch":1.0,"mean_turnaround_s":10.0,"utilisation":0.5,"preemptions":0,"migrations":0,"migrated_tasks":0}
"#;

/// Returns the error message for the events with one text replaced, without the name of the file.
fn fault(from: &str, to: &str) -> String {
    assert!(EVENTS.contains(from));
    let events = file(&EVENTS.replacen(from, to, 1));
    let error =
        draw_gantt(events.path(), Window::default(), ColourBy::Job, FigureSize::default()).unwrap_err();
    error.to_string().replace(&events.path().display().to_string(), "events")
}

#[test]
fn faults_are_reported_with_their_line() {
    for (from, to, expected) in [
        (
            "\"format\":3",
            "\"format\":9",
            "events:1: unsupported events format 9; this version reads format 3",
        ),
        ("\"run\"", "\"walk\"", "events:1: not an event: unknown variant `walk`"),
        ("\"job\":0,\"on\"", "\"job\":3,\"on\"", "events:3: job 3 is not in the system"),
        ("[[0,1]]", "[[2,1]]", "events:3: job 0 is on node 2, but there are only 2 nodes"),
        ("[[0,1]]", "[[0,2]]", "events:4: the CPU of node 0 is over-committed"),
        ("1048576", "1048577", "events:3: job 0 has a CPU need or a yield above 1"),
        ("943718400", "943718401", "events:2: job 0 has a CPU need or a yield above 1"),
        (
            "\"start\",\"at_us\":0",
            "\"start\",\"at_us\":99000000",
            "events:4: the time of this event is earlier than that of the previous line",
        ),
        ("\"start\"", "\"resume\"", "events:3: job 0 is not paused"),
        ("{\"event\":\"complete\",\"at_us\":10000000,\"job\":0}\n", "", "events:5: job 0 never ends"),
        ("utilisation", "use", "events:5: not an event: unknown field `use`"),
    ] {
        let fault = fault(from, to);
        assert!(fault.starts_with(expected), "{fault}");
    }
}

#[test]
fn incomplete_files_are_reported() {
    let lines: Vec<&str> = EVENTS.lines().collect();
    for (text, expected) in [
        (String::new(), ":1: expected a `run` event in the first line"),
        (lines[..4].join("\n"), ":5: the file is incomplete: it ends without a `summary` event"),
        ([EVENTS, lines[0]].concat(), ":6: an event after the `summary`"),
        ([lines[0], lines[0], lines[4]].join("\n"), ":2: a second `run` event"),
        ([lines[0], lines[1], lines[1]].join("\n"), ":3: job 0 is submitted twice"),
    ] {
        let events = file(&text);
        let error = draw_timeline(events.path(), FigureSize::default()).unwrap_err().to_string();
        assert!(error.ends_with(expected), "{error}");
    }
    let error = draw_timeline(Path::new("no such file"), FigureSize::default()).unwrap_err();
    assert!(matches!(error, EventsError::Io { .. }), "{error}");
}

#[test]
fn files_without_anything_to_draw_are_refused() {
    let events = file(EVENTS);
    let window = Window { from: Some(SimTime::from_secs(10)), to: None };
    let error = draw_gantt(events.path(), window, ColourBy::Job, FigureSize::default()).unwrap_err();
    assert!(error.to_string().ends_with("no job runs in the selected time span"), "{error}");

    let other = file(&EVENTS.replace("\"tau_us\":10000000", "\"tau_us\":5000000"));
    let paths = [events.path().to_owned(), other.path().to_owned()];
    let error = draw_stretch(&paths, StretchForm::Boxes, FigureSize::default()).unwrap_err().to_string();
    assert!(error.contains("tau is 5 s, but 10 s in "), "{error}");

    let lines: Vec<&str> = EVENTS.lines().collect();
    let empty = file(&[lines[0], lines[4]].join("\n"));
    let error = draw_stretch(&[empty.path().to_owned()], StretchForm::Ecdf, FigureSize::default())
        .unwrap_err()
        .to_string();
    assert!(error.ends_with("no job completed"), "{error}");
    assert!(draw_timeline(empty.path(), FigureSize::default()).is_err());
}

/// The window clips the picture, but not the data of the rectangles that are partly in it.
#[test]
fn a_window_keeps_whole_stays() {
    let events = file(EVENTS);
    let window = Window { from: Some(SimTime::from_secs(4)), to: Some(SimTime::from_secs(6)) };
    let (whole, part) = (
        draw_gantt(events.path(), Window::default(), ColourBy::Job, FigureSize::default()).unwrap(),
        draw_gantt(events.path(), window, ColourBy::Job, FigureSize::default()).unwrap(),
    );
    assert_eq!(whole.csv, part.csv);
    assert!(whole.picture.svg() != part.picture.svg());
}
