//! Tests claims given as entries: their aggregates, their verdicts, and rejected entries.

use dfrsim_lab::query::{Cells, ClaimChecker, Entries, sources};
use dfrsim_lab::{Bootstrap, Verdict};

/// Creates mean waits of two policies on two traces at two loads.
fn cells() -> Cells<'static> {
    let mut cells = Cells::new(&["policy", "load", "trace"], &["wait"], &["trace"]);
    for (load, trace, waits) in [
        ("0.5", "a", [10.0, 5.0]),
        ("0.5", "b", [20.0, 5.0]),
        ("0.9", "a", [50.0, 30.0]),
        ("0.9", "b", [70.0, 80.0]),
    ] {
        for (policy, wait) in ["FCFS", "EASY"].into_iter().zip(waits) {
            cells.push([policy, load, trace], [Some(wait)]);
        }
    }
    cells
}

const TEXT: &str = include_str!("entries.toml");

/// Mean waits are 15 and 5 at load 0.5, and 60 and 55 at load 0.9; over the loads they are 37.5 and
/// 30.
#[test]
fn verdicts_values_and_details_by_hand() {
    let (cells, entries) = (cells(), Entries::new("claims.toml", TEXT));
    let claims = ClaimChecker::without_replications(&cells).claims(entries.iter());
    let found: Vec<_> = claims
        .iter()
        .map(|it| (it.verdict, it.ours, it.low, it.detail.as_str(), it.verdict_published))
        .collect();
    assert_eq!(
        found,
        [
            (Verdict::Holds, Some(5.0), None, "2 of 2 cases", None),
            (Verdict::Holds, Some(3.0), None, "3.0 times", Some(Verdict::Holds)),
            (Verdict::Holds, Some(7.5), None, "EASY 30.00, FCFS 37.50", None),
            (Verdict::Holds, Some(5.0), None, "5.00", Some(Verdict::Holds)),
        ],
        "what is not in the results is left out"
    );
}

/// The differences are 5 and 20 on trace a, and 15 and -10 on trace b: the worst ones are 5 and -10.
#[test]
fn intervals_are_over_replications() {
    let (cells, entries) = (cells(), Entries::new("claims.toml", TEXT));
    let each = cells.split("trace");
    let bootstrap = Bootstrap::for_tables(1);
    let estimate = bootstrap.estimator();
    let judge = ClaimChecker {
        replications: sources(&each),
        estimate: &estimate,
        needs_interval: true,
        ..ClaimChecker::without_replications(&cells)
    };
    let claim = judge.claim(entries.iter().next().unwrap()).unwrap();
    assert_eq!((claim.verdict, claim.ours, claim.low), (Verdict::Open, Some(-2.5), Some(-10.0)));
}

#[test]
fn what_the_results_have_not_is_refused_with_file_and_line() {
    assert_eq!(Entries::new("claims.toml", TEXT).undefined_names(&cells()), [""; 0]);
    let wrong =
        TEXT.replace("of = \"wait\", over", "of = \"slowdown\", over").replace("load = 0.5", "laod = 0.5");
    let entries = Entries::new("claims.toml", wrong.leak());
    assert_eq!(
        entries.undefined_names(&cells()),
        [
            "claims.toml:7: unknown column `laod`; known columns: policy, load, trace",
            "claims.toml:9: unknown metric `slowdown`; known metrics: wait",
        ]
    );
}

#[test]
#[should_panic(expected = "unknown field `tke`")]
fn a_field_that_no_entry_has_is_refused() {
    let _ = Entries::new("claims.toml", TEXT.replace("take = \"worst\"", "tke = \"worst\"").leak());
}

/// The shortest waits are 5 and 10 at load 0.5, and 30 and 50 at load 0.9: ratios of 0.5 and 0.6.
#[test]
fn it_holds_for_each_label_and_both_sides_are_taken_for_themselves() {
    let text = r#"
        [[section]]
        source = "the text"
        claims = [
            { text = "EASY", of = "wait", each = true, sides = [{ policy = "EASY" }, { policy = ["FCFS", "SJF"] }],
              combine = "ratio", take = "min", is = { at-most = 0.5 }, for-each = { column = "load", at-least = 2 },
              detail = "{a_name} {a:.1}, {b_name} {b:.1}" },
            { text = "one load", of = "wait", where = { load = 0.5 }, for-each = { column = "load", at-least = 2 }, take = "max" },
            { text = "both loads", of = "wait", where = { load = [0.5, 0.9], policy = "EASY" }, take = "max",
              for-each = { column = "load", detail = "at 0.5 {0.5}, at 0.9 {0.9}" }, detail = "{value:.0}", is = { below = 60 } },
        ]"#;
    let (cells, entries) = (cells(), Entries::new("claims.toml", text));
    let claims = ClaimChecker::without_replications(&cells).claims(entries.iter());
    let found: Vec<_> = claims.iter().map(|it| (it.verdict, it.ours, it.detail.as_str())).collect();
    assert_eq!(
        found,
        [
            (Verdict::Fails, Some(0.6), "0.5: EASY, a 5.0, FCFS, a 10.0; 0.9: EASY, a 30.0, FCFS, a 50.0"),
            (Verdict::Holds, Some(55.0), "at 0.5 5, at 0.9 55"),
        ]
    );
}

/// Returns the error about a claim that is on line 5 of its file.
fn error_of(claim: &str) -> String {
    let text = format!(
        "[[section]]\nsource = 'the text'\nclaims = [\n  # A claim.\n  {{ text = 'EASY', {claim} }},\n]"
    );
    let read = std::panic::catch_unwind(|| Entries::new("claims.toml", text.leak()));
    *read.expect_err("an error").downcast::<String>().expect("a message")
}

/// Each kind of query has keys of its own; those of two kinds are not mixed.
#[test]
fn mixtures_of_queries_are_refused_with_both_keys_file_and_line() {
    let lines = "of = 'wait', take = 'mean'";
    for (claim, expected) in [
        ("check = 'order', for-each = { column = 'load' }", "`for-each` and `check` exclude each other"),
        ("check = 'order', all = []", "`all` and `check` exclude each other"),
        ("check = 'order', sides = [{}, {}]", "`sides` and `check` exclude each other"),
        ("all = [], for-each = { column = 'load' }", "`for-each` and `all` exclude each other"),
        ("all = [], is = { above = 0 }", "`is` and `all` exclude each other"),
        ("pair = {}, apart = {}", "`apart` and `pair` exclude each other"),
        ("sides = [{}, {}], apart = {}", "`apart` and `sides` exclude each other"),
        ("second = 'min'", "`second` needs `pair`, `sides` or `apart`"),
        ("combine = 'ratio'", "`combine` needs `pair`, `sides` or `apart`"),
        (
            "pair = {}, combine = 'ratio', second = 'min'",
            "`second` and `combine` exclude each other for pairs",
        ),
    ] {
        let error = error_of(&format!("{lines}, {claim}"));
        assert!(error.contains("claims.toml:5:") && error.contains(expected), "{claim}: {error}");
    }
    assert!(error_of("take = 'mean'").contains("missing field `of`"));
    assert!(error_of("of = 'wait'").contains("missing field `take`"));
    assert!(error_of("all = []").contains("`all` is empty"));
}
