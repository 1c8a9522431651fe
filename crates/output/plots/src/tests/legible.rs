//! Legibility checks of pictures, for tests.

use crate::figure::Figure;
use crate::font;
use crate::picture::{PIXEL, Shape, Side, Text};

/// Computes the rectangle that a text covers, from its tallest letters to the baseline: left, top,
/// right, bottom.
fn extent(text: &Text) -> [i32; 4] {
    let width = font::width(&text.text, text.size as i32);
    let before = match text.side {
        Side::Begin => 0,
        Side::Middle => width / 2,
        Side::End => width,
    };
    let ((x, y), height) = (text.at, (text.size * font::CAP_HEIGHT) as i32);
    if text.is_rotated {
        [x - height, y + before - width, x, y + before]
    } else {
        [x - before, y - height, x - before + width, y]
    }
}

/// Checks that all shapes are within the picture, texts are large enough and do not overlap, SVG and
/// PNG are valid and contain the texts, and drawing is deterministic.
pub(crate) fn assert_legible(figure: &Figure) {
    let Figure { stem, picture, csv, .. } = figure;
    let (pixels_across, pixels_down) = picture.size();
    let (width, height) = (pixels_across as i32 * PIXEL, pixels_down as i32 * PIXEL);
    let mut texts: Vec<(&str, [i32; 4])> = Vec::new();
    for shape in picture.shapes() {
        let [left, top, right, bottom] = match shape {
            Shape::Text(text) => {
                assert!(text.size >= 110.0 && !text.text.is_empty(), "{stem}: {text:?}");
                let new = extent(text);
                for (known, old) in &texts {
                    let apart = new[0] >= old[2] || old[0] >= new[2] || new[1] >= old[3] || old[1] >= new[3];
                    assert!(apart, "{stem}: `{}` covers `{known}`", text.text);
                }
                texts.push((&text.text, new));
                new
            }
            Shape::Rectangle { from, to, .. } => [from.0, from.1, to.0, to.1],
            Shape::Disc { centre: (x, y), radius, .. } => {
                let radius = *radius as i32;
                [x - radius, y - radius, x + radius, y + radius]
            }
            Shape::Line { points, .. } | Shape::Polygon { points, .. } => {
                let ends = |part: fn(&(i32, i32)) -> i32| {
                    let (least, most) = (points.iter().map(part).min(), points.iter().map(part).max());
                    least.zip(most).expect("it has points")
                };
                let (across, down) = (ends(|point| point.0), ends(|point| point.1));
                [across.0, down.0, across.1, down.1]
            }
        };
        let is_inside = left >= 0 && top >= 0 && right <= width && bottom <= height;
        assert!(is_inside, "{stem}: {shape:?} is not within {width} x {height}");
    }
    assert!(texts.len() >= 5, "{stem}: {texts:?}");

    let source = picture.svg();
    let mut shown = 0;
    for event in svg::read(&source).unwrap() {
        assert!(!matches!(event, svg::parser::Event::Error(_)), "{stem}: {event:?}");
        shown += usize::from(matches!(event, svg::parser::Event::Text(_)));
    }
    assert!(shown >= texts.len(), "{stem}: {shown} texts of {}", texts.len());
    let bytes = picture.png();
    let mut reader = png::Decoder::new(&bytes[..]).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size()];
    let frame = reader.next_frame(&mut pixels).unwrap();
    // Large letters of a chosen size need more pixels.
    let times = frame.width / pixels_across;
    assert!(times >= 2);
    assert_eq!((frame.width, frame.height), (times * pixels_across, times * pixels_down));
    assert!(pixels.iter().any(|&part| part < 0x40), "{stem} is empty");
    assert_eq!(picture.svg(), source, "the same each time");
    assert!(csv.lines().count() > 1, "{stem}");
}
