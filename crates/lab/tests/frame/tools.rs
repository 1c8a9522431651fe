//! Tests comparison, baselines, export and figures, which need only the roles of columns.

use crate::{run, toy};
use dfrsim_lab::check::{Baseline, CheckOptions, Direction, Tolerances, check};
use dfrsim_lab::compare::{CompareError, CompareOptions, Comparison, compare};
use dfrsim_lab::{Chart, Estimate, Registry, Results, default_drawings, export, rankings};
use std::path::Path;
use tempfile::TempDir;

/// Runs a toy scenario with these fields.
fn toy(fields: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    run(&format!("study = 'toy'\n{fields}"), folder.path());
    folder
}

fn read<'a>(folder: &Path, registry: &'a Registry) -> Results<'a> {
    Results::read(folder, registry).unwrap()
}

fn options(variant: &str, with: &str) -> CompareOptions {
    let one = |text: &str| if text.is_empty() { Vec::new() } else { vec![text.to_owned()] };
    CompareOptions { variant: one(variant), with: one(with), resamples: 200, ..CompareOptions::default() }
}

fn compared(a: &Path, b: &Path, options: &CompareOptions) -> Result<Comparison, CompareError> {
    let registry = toy::registry();
    compare(&read(a, &registry), &read(b, &registry), options)
}

/// Numbers 100 to 103 at the loads 0 and 1, factors 1 and 2: the differences of even numbers are 100
/// and 102 at load 0, 101 and 103 at load 1, and the ratios are 2. Blocks are the numbers.
#[test]
fn two_variants_of_one_result_are_compared_by_instance() {
    let folder = toy("loads = [0, 1]\nfactors = [1, 2]\n");
    for (variant, with) in [("1", "2"), ("factor=1", "factor=2.0")] {
        let comparison = compared(folder.path(), folder.path(), &options(variant, with)).unwrap();
        let groups = &comparison.parts[0].groups;
        let names: Vec<String> = groups.iter().map(|group| group.key.to_string()).collect();
        let scopes = [
            "even, load 0",
            "even, load 1",
            "even, all loads",
            "odd, load 0",
            "odd, load 1",
            "odd, all loads",
            "all, all loads",
        ];
        assert_eq!(names, scopes.map(|scope| format!("{scope}, factor 1")));
        let all = &groups[2];
        assert_eq!(
            (all.pairs.len(), all.outcomes.wins, all.outcomes.ties, all.outcomes.losses),
            (4, 0, 0, 4)
        );
        assert!(all.with == ["2"] && all.is_pooled);
        // Both parities together.
        let both = &groups[6];
        assert_eq!((both.pairs.len(), both.outcomes.losses, both.is_pooled), (8, 8, true));
        assert!(both.difference.unwrap().mean.interval.is_some());
        assert_eq!(all.difference.unwrap().mean.value, 101.5);
        let ratio = all.ratio.unwrap().mean;
        assert!((ratio.value - 2.0).abs() < 1e-12 && ratio.interval.is_some());
        let pairs = &comparison.exact_tables()[1].table;
        assert_eq!(pairs.lines().len(), 8);
        assert!(pairs.csv().starts_with("parity,load,factor,with_factor,metric,number,a,b,difference,ratio\neven,0,1,2,product_m,100,100,200,100,2\n"));
        let Chart::Intervals { lines, reference, .. } = &comparison.drawings()[0].chart else { panic!() };
        assert_eq!((lines.len(), *reference), (7, 1.0));
        assert_eq!(lines[0].0, "even, load 0, factor 1 -> 2");
    }
    // There is no pair of 1 and 13, as 13 has no row.
    let folder = toy("factors = [1, 13, 0]\n");
    let comparison = compared(folder.path(), folder.path(), &options("1", "13")).unwrap();
    let group = &comparison.parts[0].groups[0];
    assert_eq!((group.pairs.len(), group.only_a, group.only_b, group.difference), (0, 2, 0, None));
    let comparison = compared(folder.path(), folder.path(), &options("1", "0")).unwrap();
    assert_eq!(comparison.parts[0].left_out.failed, 4);
    assert!(comparison.tables()[0].markdown().contains("left out: 4 pairs with a failed run"));
}

/// A scenario with another seed has other numbers; other loads at an equal index have other digests
/// only if they differ.
#[test]
fn rows_of_two_results_are_paired_by_name_and_content() {
    let (a, b) = (toy("replications = 6\n"), toy("factors = [2, 3]\n"));
    let comparison = compared(a.path(), b.path(), &options("", "")).unwrap();
    let part = &comparison.parts[0];
    let left_out = part.left_out;
    assert_eq!((left_out.only_in_a, left_out.only_in_b, left_out.other_instances), (8, 4, 0));
    let single = part.groups.iter().filter(|group| !group.is_pooled);
    assert_eq!(single.map(|group| group.outcomes.ties).sum::<usize>(), 4);
    let all = part.groups.last().unwrap();
    assert!(all.is_pooled && all.outcomes.ties == 4, "all labels together: {all:?}");
    assert!(part.groups.iter().all(|group| group.with.is_empty()));
    let one = Estimate { value: 1.0, interval: Some((1.0, 1.0)) };
    assert_eq!(part.groups[0].ratio.unwrap().mean, one);

    let other = toy("seed = 2\n");
    let error = compared(a.path(), other.path(), &options("", "")).unwrap_err();
    assert!(matches!(error, CompareError::NoPairs { only_in_a: 12, only_in_b: 8, .. }), "{error}");
}

/// A larger remainder is better: 100 % 7 = 2 and 200 % 7 = 4; 105 has none.
#[test]
fn metrics_have_directions_and_may_be_missing() {
    let folder = toy("replications = 6\nfactors = [1, 2]\n");
    let metrics = vec!["remainder".to_owned(), "product_m".to_owned()];
    let options = CompareOptions { metrics, ..options("1", "2") };
    let comparison = compared(folder.path(), folder.path(), &options).unwrap();
    let groups = &comparison.parts[0].groups;
    let counts: Vec<_> = groups
        .iter()
        .map(|group| (group.metric.name, group.pairs.len(), group.outcomes.wins, group.outcomes.losses))
        .collect();
    // Remainders of 100, 102, 104: 2 4 6 and 4 1 5; of 101, 103, 105: 3 5 - and 6 3 -.
    // All numbers together come last.
    let expected = [
        ("product_m", 3, 0, 3),
        ("remainder", 3, 1, 2),
        ("product_m", 3, 0, 3),
        ("remainder", 2, 1, 1),
        ("product_m", 6, 0, 6),
        ("remainder", 5, 2, 3),
    ];
    assert_eq!(counts, expected);
}

#[test]
fn unknown_variants_and_metrics_are_answered_with_the_nearest() {
    let folder = toy("factors = [1, 150]\n");
    let message =
        |options: CompareOptions| compared(folder.path(), folder.path(), &options).unwrap_err().to_string();
    assert!(message(options("15", "")).ends_with("unknown variant `15`; did you mean `150`?"));
    assert!(message(options("factor=3", "")).ends_with("unknown factor `3`; expected 1 or 150"));
    assert!(message(options("faktor=1", "150")).ends_with("unknown column `faktor`; did you mean `factor`?"));
    let wrong = CompareOptions { metrics: vec!["product".to_owned()], ..options("", "") };
    assert_eq!(message(wrong), "unknown metric `product`; did you mean `product_m`?");
    let twice = CompareOptions { variant: vec!["1".to_owned(), "150".to_owned()], ..options("", "") };
    assert_eq!(message(twice), "`factor` is selected twice");
}

/// Checks the lines of a baseline: 100 and 102 times 2.
#[test]
fn a_baseline_reads_back_and_finds_changes() {
    let folder = toy("title = 'a \"title\"'\nloads = [0.5]\nfactors = [2, 13]\n");
    let registry = toy::registry();
    let now = Baseline::from_results(&read(folder.path(), &registry)).unwrap();
    let text = now.to_toml();
    let group = "[groups.\"parity=even, load=0.5, factor=2\"]\nruns = 2\nfailures = 0\nunsolved = 0\nproduct_m.mean = 203\nproduct_m.worst = 205\nremainder.mean = 3.5\nremainder.worst = 2\n";
    assert!(text.contains(group), "{text}");
    let study = registry.study_named("toy").unwrap();
    let before = Baseline::parse(&text, "baseline.toml", study).unwrap();
    let report = check(&before, &now, &CheckOptions::default()).unwrap();
    assert!(!report.fails());
    assert_eq!((report.groups.len(), report.values, report.changes.len()), (4, 20, 0));
    assert_eq!(report.summary(), "20 values in 4 groups: 0 worse, 0 better, 20 within tolerance (0 %)");

    // An increase of 2 % is worse for a product, and an increase is better for a remainder.
    let altered = text
        .replace("product_m.mean = 203", "product_m.mean = 199")
        .replace("remainder.mean = 3.5", "remainder.mean = 3");
    let before = Baseline::parse(&altered, "baseline.toml", study).unwrap();
    let report = check(&before, &now, &CheckOptions::default()).unwrap();
    let changes: Vec<_> =
        report.changes.iter().map(|change| (change.metric.as_str(), change.direction)).collect();
    assert_eq!(changes, [("product_m.mean", Direction::Worse), ("remainder.mean", Direction::Better)]);
    assert!(report.fails() && report.junit().contains("product_m.mean 199 -&gt; 203 (+2.0 %)"));
    let single = [("product_m".to_owned(), "3%".parse().unwrap())].into();
    let tolerant = CheckOptions {
        tolerances: Tolerances { single, ..Tolerances::default() },
        ..CheckOptions::default()
    };
    let report = check(&before, &now, &tolerant).unwrap();
    assert!(!report.fails() && report.changes.len() == 1);
    assert!(check(&before, &now, &CheckOptions { strict: true, ..tolerant }).unwrap().fails());
    // A value that the baseline lacks is not compared, and one that the results lack is worse.
    let without =
        Baseline::parse(&text.replacen("remainder.worst = 2\n", "", 1), "baseline.toml", study).unwrap();
    let error = check(&without, &now, &CheckOptions::default()).unwrap_err().to_string();
    let missing =
        "only in the results: remainder.worst of parity=even, load=0.5, factor=2; use --allow-missing";
    assert!(error.starts_with(missing), "{error}");
    let allowing = CheckOptions { allow_missing: true, ..CheckOptions::default() };
    let report = check(&without, &now, &allowing).unwrap();
    assert_eq!(
        (report.values, report.changes.len(), report.only_in_results.len(), report.fails()),
        (19, 0, 1, false)
    );
    let report = check(&now, &without, &allowing).unwrap();
    assert_eq!((report.changes[0].now, report.changes[0].direction), (None, Direction::Worse));
    let wrong = [("products".to_owned(), "3%".parse().unwrap())].into();
    let wrong = CheckOptions {
        tolerances: Tolerances { single: wrong, ..Tolerances::default() },
        ..CheckOptions::default()
    };
    let error = check(&before, &now, &wrong).unwrap_err().to_string();
    assert!(error.starts_with("unknown metric `products`"), "{error}");
}

#[test]
fn other_instances_and_missing_groups_are_not_compared() {
    let registry = toy::registry();
    let baseline = |fields: &str| Baseline::from_results(&read(toy(fields).path(), &registry)).unwrap();
    let whole = baseline("factors = [1, 2, 3]\n");
    let options = CheckOptions::default();
    let error = check(&whole, &baseline("seed = 2\n"), &options).unwrap_err();
    assert!(error.to_string().starts_with("the instances of parity=even differ: 2 instances, "), "{error}");
    let some = baseline("factors = [2]\n");
    let error = check(&whole, &some, &options).unwrap_err().to_string();
    assert!(
        error.starts_with("only in the baseline: parity=even, factor=1; ")
            && error.ends_with("use --allow-missing to compare the others"),
        "{error}"
    );
    let report = check(&whole, &some, &CheckOptions { allow_missing: true, ..options.clone() }).unwrap();
    assert_eq!((report.groups.len(), report.only_in_baseline.len(), report.fails()), (2, 4, false));
    let error = check(&whole, &baseline("factors = [4]\n"), &options).unwrap_err().to_string();
    let start = "results and baseline have no group (labels and variant) in common; ";
    let groups =
        "the first of the results is parity=even, factor=4, and that of the baseline parity=even, factor=1";
    assert_eq!(error, format!("{start}{groups}"));
}

#[test]
fn all_that_is_wrong_with_a_baseline_is_reported_with_its_place() {
    let registry = toy::registry();
    let study = registry.study_named("toy").unwrap();
    let text = "study = 'toy'\nformat = 2\nsemantics = 'one'\nsemantix = 1\n[instances]\neven = 3\n\
        [groups.'factor=1']\nruns = 'two'\nproducts_m.mean = 1\nproduct_m.mean = nan\n";
    let errors = Baseline::parse(text, "baseline.toml", study).unwrap_err().to_string();
    let expected = [
        "baseline.toml:3:13: semantics: \"one\" is not an integer from 0 to 4294967295",
        "baseline.toml:4:1: unknown field `semantix`; did you mean `semantics`?",
        "baseline.toml:6:8: instances.even: 3 is not a text: the number of instances and their digest",
        "baseline.toml:8:8: groups.factor=1.runs: \"two\" is not a finite number",
        "baseline.toml:9:19: groups.factor=1.products_m.mean: unknown metric `products_m.mean`; did you mean `product_m.mean`?",
        "baseline.toml:10:18: groups.factor=1.product_m.mean: nan is not a finite number",
    ];
    for line in expected {
        assert!(errors.contains(line), "{line}\n{errors}");
    }
    let twice = "study = 'toy'\nformat = 2\nsemantics = 1\n[instances]\n[groups.'factor=1']\nruns = 1\nruns = 2\n[groups.'factor=1']\nruns = 1\n";
    let errors = Baseline::parse(twice, "baseline.toml", study).unwrap_err();
    assert_eq!(errors.0.len(), 3, "{errors}");
    let old = Baseline::parse("study = 'toy'\nformat = 1\nx = 1\n", "baseline.toml", study).unwrap_err();
    assert_eq!(old.0.len(), 1, "{old}");
    assert!(old.to_string().contains("expected a baseline of format 2"), "{old}");
    assert!(Baseline::parse("study = 'grid'\n", "baseline.toml", study).is_err());
}

#[test]
fn rows_are_exported_with_their_kinds() {
    let folder = toy("loads = [0.5]\nfactors = [0, 2]\nreplications = 1\n");
    let registry = toy::registry();
    let mut out = Vec::new();
    export::json_lines(&read(folder.path(), &registry).rows().unwrap(), &mut out).unwrap();
    let expected = r#"{"status":"violation","message":"a factor must not be 0","parity":"even","load":0.5,"number":100,"factor":0,"product_m":null,"remainder":null}
{"status":"ok","message":null,"parity":"even","load":0.5,"number":100,"factor":2,"product_m":201.0,"remainder":5.0}
"#;
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

#[cfg(feature = "parquet")]
#[test]
fn a_parquet_file_has_the_rows_and_their_units() {
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    let folder = toy("factors = [0, 2]\n");
    let registry = toy::registry();
    let results = read(folder.path(), &registry);
    let path = folder.path().join("rows.parquet");
    export::parquet(&results, &results.rows().unwrap()[0], std::fs::File::create(&path).unwrap()).unwrap();
    let reader = SerializedFileReader::new(std::fs::File::open(&path).unwrap()).unwrap();
    let metadata = reader.metadata().file_metadata();
    assert_eq!(metadata.num_rows(), 8);
    let units: Vec<_> = metadata
        .key_value_metadata()
        .unwrap()
        .iter()
        .filter(|each| each.key.starts_with("dfrsim.unit."))
        .collect();
    assert_eq!(
        (units.len(), units[0].key.as_str(), units[0].value.as_deref()),
        (1, "dfrsim.unit.product_m", Some("m"))
    );
    let row = reader.get_row_iter(None).unwrap().nth(1).unwrap().unwrap();
    assert_eq!(
        row.to_string(),
        "{status: \"ok\", message: null, parity: \"even\", load: null, number: 100, factor: 2, product_m: 200.0, remainder: 4.0}"
    );
}

#[test]
fn rankings_have_the_best_variant_first() {
    let folder = toy("loads = [0, 1]\nfactors = [2, 0, 1]\n");
    let registry = toy::registry();
    let ranking = rankings(&read(folder.path(), &registry).rows().unwrap(), 1).remove(0);
    let variants: Vec<_> = ranking.variants.iter().map(|one| (one.name.as_str(), one.mean.value)).collect();
    // Factor 0 has no value, so it has no rank.
    assert_eq!(variants, [("1", 102.0), ("2", 204.0)]);
    let scopes: Vec<_> = ranking.scopes.iter().map(|scope| (scope.name.as_str(), scope.order[0])).collect();
    assert_eq!(scopes[0], ("even, load 0", (0, 101.0)));
    assert_eq!(scopes.len(), 4);
}

#[test]
fn figures_follow_from_the_roles() {
    let folder = toy("loads = [0, 1]\nfactors = [1, 2]\n");
    let registry = toy::registry();
    let drawings = default_drawings(&read(folder.path(), &registry).rows().unwrap());
    let stems: Vec<&str> = drawings.iter().map(|drawing| drawing.stem.as_str()).collect();
    let expected = ["boxes", "distribution", "means", "by-load", "by-factor"];
    let expected: Vec<String> = ["even", "odd"]
        .iter()
        .flat_map(|scope| expected.map(|kind| format!("product-{kind}-{scope}")))
        .collect();
    assert_eq!(stems, expected);
    // Factor 1: 100 and 102 at load 0, 101 and 103 at load 1.
    let Chart::Bars { value, bars, .. } = &drawings[2].chart else { panic!() };
    let (name, mean, interval) = &bars[0];
    assert_eq!((value.label.as_str(), name.as_str(), *mean), ("mean product (m)", "1", 101.5));
    let (low, high) = interval.unwrap();
    assert!(low < 101.5 && 101.5 < high && low >= 100.0 && high <= 103.0, "{interval:?}");
    assert!(drawings[2].remarks[1].contains("over 2 independent instances"), "{:?}", drawings[2].remarks);
    let Chart::Lines { x, y, series, .. } = &drawings[3].chart else { panic!() };
    assert_eq!(series[1].intervals.len(), series[1].points.len());
    assert_eq!((x.label.as_str(), y.label.as_str()), ("load", "mean product (m)"));
    assert_eq!(
        (series[1].name.as_str(), series[1].points.as_slice()),
        ("2", &[(0.0, 202.0), (1.0, 204.0)][..])
    );
    let Chart::Boxes(samples) = &drawings[0].chart else { panic!() };
    assert_eq!(samples.samples[0], ("1".to_owned(), vec![100.0, 102.0, 101.0, 103.0]));
}
