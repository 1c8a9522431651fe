//! From shapes to SVG and PNG, through plotters' backends.

use crate::colour::WHITE;
use crate::letters::Letters;
use crate::picture::{NO_FAILURE, PIXEL, Picture, Shape};
use plotters::style::Color as _;
use plotters_backend::{BackendCoord, DrawingBackend, DrawingErrorKind};
use plotters_bitmap::BitMapBackend;
use plotters_svg::SVGBackend;

/// A PNG has this many of its pixels for one of the picture's.
const PNG_SCALE: u32 = 2;
/// And is averaged from this many times as many in each direction, which smooths its edges.
const SAMPLES: u32 = 3;

impl Picture {
    /// The picture as SVG. Text stays text.
    pub fn svg(&self) -> String {
        let mut svg = String::new();
        let (width, height) = self.size();
        let pixels = PIXEL.unsigned_abs();
        // Drawn ten times as large, and scaled down.
        let backend = SVGBackend::with_string(&mut svg, (width * pixels, height * pixels));
        Renderer { backend, scale: 1.0, joins_lines: true }.draw(self);
        let drawn = format!("<svg width=\"{}\" height=\"{}\"", width * pixels, height * pixels);
        svg.replacen(&drawn, &format!("<svg width=\"{width}\" height=\"{height}\""), 1)
    }

    /// The picture as PNG, with two pixels for each of the picture's in both directions.
    pub fn png(&self) -> Vec<u8> {
        let (width, height) = self.size();
        let (columns, rows) = (width * PNG_SCALE, height * PNG_SCALE);
        let mut samples = vec![0; (columns * rows * SAMPLES * SAMPLES * 3) as usize];
        let backend = BitMapBackend::with_buffer(&mut samples, (columns * SAMPLES, rows * SAMPLES));
        let scale = f64::from(PNG_SCALE * SAMPLES) / f64::from(PIXEL);
        Renderer { backend, scale, joins_lines: false }.draw(self);
        encode(&averaged(&samples, columns as usize, rows as usize), columns, rows)
    }
}

/// The mean of each square of samples, which are in lines of three bytes a sample.
///
/// Most of a picture is white, and comparing memory is much faster than adding its bytes up.
fn averaged(samples: &[u8], columns: usize, rows: usize) -> Vec<u8> {
    const SPAN: usize = 32;
    const SIDE: usize = SAMPLES as usize;
    const SQUARE: usize = SIDE * 3;
    const WHITE: [u8; SPAN * SQUARE] = [u8::MAX; SPAN * SQUARE];
    let width = columns * SQUARE;
    let mut pixels = Vec::with_capacity(columns * rows * 3);
    for lines in samples.chunks_exact(width * SIDE) {
        for from in (0..width).step_by(SPAN * SQUARE) {
            let to = width.min(from + SPAN * SQUARE);
            let spans: [&[u8]; SIDE] = std::array::from_fn(|line| &lines[line * width..][from..to]);
            if spans.iter().all(|span| **span == WHITE[..to - from]) {
                pixels.resize(pixels.len() + (to - from) / SIDE, u8::MAX);
                continue;
            }
            // Three samples in three lines are written out: loops take as long again where they are not optimised.
            let [first, second, third] = spans;
            let sum = |span: &[u8], part: usize| {
                u32::from(span[part]) + u32::from(span[part + 3]) + u32::from(span[part + 6])
            };
            for square in (0..to - from).step_by(SQUARE) {
                for part in [square, square + 1, square + 2] {
                    let sum = sum(first, part) + sum(second, part) + sum(third, part);
                    pixels.push((sum / (SAMPLES * SAMPLES)) as u8);
                }
            }
        }
    }
    pixels
}

fn encode(pixels: &[u8], width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Default);
    encoder.set_filter(png::FilterType::NoFilter);
    let mut writer = encoder.write_header().expect(NO_FAILURE);
    writer.write_image_data(pixels).expect(NO_FAILURE);
    writer.finish().expect(NO_FAILURE);
    bytes
}

/// Draws shapes on a backend.
struct Renderer<B> {
    backend: B,
    /// Pixels of the backend for a tenth of one of the picture.
    scale: f64,
    /// Whether the backend draws lines of several points well by itself.
    joins_lines: bool,
}

impl<B: DrawingBackend> Renderer<B> {
    fn draw(mut self, picture: &Picture) {
        let (width, height) = picture.size();
        let end = (width as i32 * PIXEL, height as i32 * PIXEL);
        self.draw_shape(&Shape::Rectangle { from: (0, 0), to: end, fill: WHITE }).expect(NO_FAILURE);
        for shape in picture.shapes() {
            self.draw_shape(shape).expect(NO_FAILURE);
        }
        self.backend.present().expect(NO_FAILURE);
    }

    fn draw_shape(&mut self, shape: &Shape) -> Result<(), DrawingErrorKind<B::ErrorType>> {
        let length = |length: f64| (length * self.scale).round() as i32;
        let point = |&(x, y): &BackendCoord| (length(f64::from(x)), length(f64::from(y)));
        match shape {
            Shape::Rectangle { from, to, fill } => {
                // However short a job is, it is seen.
                let (from, to) = (point(from), point(to));
                let to = (to.0.max(from.0 + 1), to.1.max(from.1 + 1));
                self.backend.draw_rect(from, to, &fill.filled(), true)
            }
            Shape::Polygon { points, fill } => {
                let points: Vec<_> = points.iter().map(point).collect();
                self.backend.fill_polygon(points, fill)
            }
            Shape::Disc { centre, radius, fill } => {
                let radius = length(f64::from(*radius)).unsigned_abs();
                self.backend.draw_circle(point(centre), radius, fill, true)
            }
            Shape::Line { points, colour, width } => {
                let style = colour.stroke_width(length(f64::from(*width)).unsigned_abs());
                let points: Vec<_> = points.iter().map(point).collect();
                if self.joins_lines {
                    return self.backend.draw_path(points, &style);
                }
                for pair in points.windows(2) {
                    self.backend.draw_line(pair[0], pair[1], &style)?;
                    self.backend.draw_circle(pair[1], style.stroke_width / 2, &style, true)?;
                }
                Ok(())
            }
            Shape::Text(text) => {
                let (rise, (x, y)) = ((Letters::ASCENT * text.size).round() as i32, text.at);
                let top = if text.is_turned { (x - rise, y) } else { (x, y - rise) };
                let letters = Letters { text, size: text.size * self.scale };
                self.backend.draw_text(&text.text, &letters, point(&top))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plotters::element::Rectangle;
    use plotters::style::BLACK;
    use plotters::style::text_anchor::HPos;

    /// Names come from files.
    #[test]
    fn control_characters_do_not_get_into_svg() {
        let name = "a\u{1}\u{1b}[2J\n<b>\u{ffff}&\u{7f}";
        let style = crate::font::style(100, HPos::Left);
        let picture = Picture::draw(300, 200, |area| area.draw_text(name, &style, (10, 100)).unwrap());
        let svg = picture.svg();
        assert!(!svg.contains(|it: char| it.is_control() && it != '\n'), "{svg:?}");
        let shown = "a\u{fffd}\u{fffd}[2J\u{fffd}&lt;b&gt;\u{fffd}&amp;\u{fffd}";
        assert!(svg.contains(shown), "{svg}");
    }

    /// A black square in the upper left corner: its pixel is black, the next one, which it does not cover, white.
    #[test]
    fn a_png_reads_back() {
        let square = Rectangle::new([(0, 0), (5, 5)], BLACK.filled());
        let picture = Picture::draw(30, 20, |area| area.draw(&square).unwrap());
        let bytes = picture.png();
        let mut reader = png::Decoder::new(&bytes[..]).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size()];
        let information = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((information.width, information.height), (6, 4));
        assert_eq!(pixels[..6], [0, 0, 0, 255, 255, 255]);
        assert_eq!(picture.png(), bytes);
        assert!(picture.svg().starts_with("<svg width=\"3\" height=\"2\" viewBox=\"0 0 30 20\""));
    }

    #[test]
    fn the_thinnest_rectangle_is_seen() {
        let thin = Rectangle::new([(10, 0), (10, 20)], BLACK.filled());
        let picture = Picture::draw(30, 20, |area| area.draw(&thin).unwrap());
        assert!(
            picture.svg().contains("<rect x=\"10\" y=\"0\" width=\"1\" height=\"20\""),
            "{}",
            picture.svg()
        );
        assert_ne!(picture.png(), Picture::draw(30, 20, |_| {}).png());
    }
}
