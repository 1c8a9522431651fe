use super::{Appearance, draw};
use crate::tests::legible::assert_legible;
use dfrsim_lab::{Axis, Better, Chart, Drawing, Samples, Series};

fn drawing(chart: Chart) -> Drawing {
    Drawing { stem: "a-stem".to_owned(), title: "A title".to_owned(), remarks: Vec::new(), chart }
}

fn series(number: usize) -> Series {
    let points = (0..5).map(|x| (f64::from(x), (number + 1) as f64 * f64::from(x))).collect();
    Series::new(format!("series {number}"), points)
}

#[test]
fn the_data_has_all_series_even_if_the_picture_has_not() {
    let chart = |count| Chart::Lines {
        x: Axis::linear("load"),
        y: Axis::logarithmic("degradation"),
        name: "policy".to_owned(),
        series: (0..count).map(series).collect(),
    };
    let few = draw(&drawing(chart(3)), &Appearance::default()).unwrap();
    assert_legible(&few);
    assert_eq!(few.csv.lines().next(), Some("policy,load,degradation"));
    assert_eq!(few.csv.lines().count(), 1 + 3 * 5);
    assert_eq!(few.remarks, ["Left out: 3 points that the axis cannot show."]);
    let many = draw(&drawing(chart(20)), &Appearance::default()).unwrap();
    assert_legible(&many);
    assert_eq!(many.csv.lines().count(), 1 + 20 * 5);
    assert!(many.remarks[1].starts_with("The first 12 of 20 series"), "{:?}", many.remarks);
}

/// Checks the quartiles of 1 to 8, which are the 2nd, 4th and 6th value (nearest rank).
#[test]
fn samples_are_boxes_and_distributions() {
    let samples = |count: usize| Samples {
        value: Axis::automatic("degradation"),
        name: "policy".to_owned(),
        samples: (0..count).map(|number| (format!("P{number}"), (1..=8).map(f64::from).collect())).collect(),
    };
    let boxes = draw(&drawing(Chart::Boxes(samples(2))), &Appearance::default()).unwrap();
    assert_legible(&boxes);
    assert_eq!(boxes.csv.lines().nth(1), Some("P0,8,1,2,4,6,8,"));
    let distribution = draw(&drawing(Chart::Distribution(samples(50))), &Appearance::default()).unwrap();
    assert_legible(&distribution);
    assert_eq!(distribution.csv.lines().nth(2), Some("P0,2,0.25"));
    assert_eq!(distribution.csv.lines().count(), 1 + 50 * 8);
    let none = Samples { samples: vec![("P".to_owned(), vec![f64::NAN])], ..samples(0) };
    assert_eq!(draw(&drawing(Chart::Boxes(none)), &Appearance::default()), None);
}

#[test]
fn published_values_and_intervals_have_a_row_each() {
    let beside = Chart::PublishedComparison {
        value: Axis::linear("%"),
        name: "algorithm".to_owned(),
        lines: vec![("A".to_owned(), 4.0, 5.0), ("B".to_owned(), 2.0, 2.5)],
    };
    let figure = draw(&drawing(beside), &Appearance::default()).unwrap();
    assert_legible(&figure);
    assert_eq!(figure.csv, "algorithm,here,published\nA,4,5\nB,2,2.5\n");
    let intervals = Chart::Intervals {
        value: Axis::logarithmic("ratio"),
        name: "group".to_owned(),
        reference: 1.0,
        better: Better::Less,
        lines: vec![("A".to_owned(), 0.5, Some((0.4, 0.6))), ("B".to_owned(), 1.2, None)],
    };
    let figure = draw(&drawing(intervals), &Appearance::default()).unwrap();
    assert_legible(&figure);
    assert_eq!(figure.csv, "group,value,interval_low,interval_high\nA,0.5,0.4,0.6\nB,1.2,1.2,1.2\n");
}
