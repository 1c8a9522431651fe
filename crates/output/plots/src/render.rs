//! From shapes to SVG and PNG, through plotters' backends.

use crate::colour::Colour;
use crate::font::Letters;
use crate::picture::{Picture, Point, Shape, Stroke, Text};
use plotters_backend::{BackendColor, BackendStyle, DrawingBackend};
use plotters_bitmap::BitMapBackend;
use plotters_svg::SVGBackend;

/// Backends have whole coordinates: SVG is drawn ten times as large and scaled down.
const SVG_SCALE: u32 = 10;
/// A PNG has this many of its pixels for one of the picture's.
const PNG_SCALE: u32 = 2;
/// And is averaged from this many times as many in each direction, which smooths its edges.
const SAMPLES: u32 = 3;

/// No backend fails here: both draw into memory, with the font of this crate.
const NO_FAILURE: &str = "drawing into memory cannot fail";

impl Picture {
    /// The picture as SVG. Text stays text.
    pub fn svg(&self) -> String {
        let mut svg = String::new();
        let (width, height) = self.pixels(SVG_SCALE);
        let mut backend = SVGBackend::with_string(&mut svg, (width, height));
        Renderer { backend: &mut backend, scale: f64::from(SVG_SCALE), joins_lines: true }.draw(self);
        backend.present().expect(NO_FAILURE);
        drop(backend);
        let drawn = format!("<svg width=\"{width}\" height=\"{height}\"");
        let shown = format!("<svg width=\"{}\" height=\"{}\"", width / SVG_SCALE, height / SVG_SCALE);
        svg.replacen(&drawn, &shown, 1)
    }

    /// The picture as PNG, with two pixels for each of the picture's in both directions.
    pub fn png(&self) -> Vec<u8> {
        let (width, height) = self.pixels(PNG_SCALE * SAMPLES);
        let mut samples = vec![0; (width * height * 3) as usize];
        let mut backend = BitMapBackend::with_buffer(&mut samples, (width, height));
        let scale = f64::from(PNG_SCALE * SAMPLES);
        Renderer { backend: &mut backend, scale, joins_lines: false }.draw(self);
        drop(backend);
        let (columns, rows) = (width / SAMPLES, height / SAMPLES);
        encode(&averaged(&samples, columns as usize, rows as usize), columns, rows)
    }

    fn pixels(&self, scale: u32) -> (u32, u32) {
        let (width, height) = self.size();
        (width as u32 * scale, height as u32 * scale)
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
            for square in (0..to - from).step_by(SQUARE) {
                for part in square..square + 3 {
                    let mut sum = 0;
                    for span in spans {
                        for sample in 0..SIDE {
                            sum += u32::from(span[part + 3 * sample]);
                        }
                    }
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
    encoder.set_compression(png::Compression::Best);
    encoder.set_filter(png::FilterType::NoFilter);
    let mut writer = encoder.write_header().expect(NO_FAILURE);
    writer.write_image_data(pixels).expect(NO_FAILURE);
    writer.finish().expect(NO_FAILURE);
    bytes
}

/// Draws shapes on a backend.
struct Renderer<'a, B> {
    backend: &'a mut B,
    /// Pixels of the backend for one of the picture.
    scale: f64,
    /// Whether the backend draws lines of several points and any width well by itself.
    joins_lines: bool,
}

impl<B: DrawingBackend> Renderer<'_, B> {
    fn draw(&mut self, picture: &Picture) {
        self.rectangle((0.0, 0.0), picture.size(), Colour::WHITE);
        for shape in picture.shapes() {
            match shape {
                Shape::Rectangle { corner, size, fill } => self.rectangle(*corner, *size, *fill),
                Shape::Line { points, stroke } => self.line(points, stroke),
                Shape::Polygon { points, fill } => self.polygon(points, *fill),
                Shape::Disc { centre, radius, fill } => self.disc(*centre, *radius, *fill),
                Shape::Text(text) => self.text(text),
            }
        }
    }

    fn pixel(&self, (x, y): Point) -> (i32, i32) {
        ((x * self.scale).round() as i32, (y * self.scale).round() as i32)
    }

    fn rectangle(&mut self, (x, y): Point, (width, height): Point, fill: Colour) {
        let (from, to) = (self.pixel((x, y)), self.pixel((x + width, y + height)));
        self.backend.draw_rect(from, to, &style(fill, 1), true).expect(NO_FAILURE);
    }

    fn polygon(&mut self, points: &[Point], fill: Colour) {
        let points: Vec<_> = points.iter().map(|&point| self.pixel(point)).collect();
        self.backend.fill_polygon(points, &style(fill, 1)).expect(NO_FAILURE);
    }

    fn disc(&mut self, centre: Point, radius: f64, fill: Colour) {
        let (centre, radius) = (self.pixel(centre), (radius * self.scale).round() as u32);
        self.backend.draw_circle(centre, radius, &style(fill, 1), true).expect(NO_FAILURE);
    }

    fn line(&mut self, points: &[Point], stroke: &Stroke) {
        match stroke.dash {
            None => self.solid(points, stroke),
            Some(lengths) => {
                for dash in dashes(points, lengths) {
                    self.solid(&dash, stroke);
                }
            }
        }
    }

    fn solid(&mut self, points: &[Point], stroke: &Stroke) {
        if self.joins_lines {
            let width = (stroke.width * self.scale).round() as u32;
            let points: Vec<_> = points.iter().map(|&point| self.pixel(point)).collect();
            return self.backend.draw_path(points, &style(stroke.colour, width)).expect(NO_FAILURE);
        }
        let half = stroke.width / 2.0;
        for pair in points.windows(2) {
            let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
            let length = (x1 - x0).hypot(y1 - y0);
            if x0 == x1 || y0 == y1 {
                let corner = (x0.min(x1) - half, y0.min(y1) - half);
                let size = ((x1 - x0).abs() + stroke.width, (y1 - y0).abs() + stroke.width);
                self.rectangle(corner, size, stroke.colour);
            } else {
                let (dx, dy) = ((y1 - y0) * half / length, (x0 - x1) * half / length);
                let corners =
                    [(x0 + dx, y0 + dy), (x1 + dx, y1 + dy), (x1 - dx, y1 - dy), (x0 - dx, y0 - dy)];
                self.polygon(&corners, stroke.colour);
                self.disc(pair[1], half, stroke.colour);
            }
        }
    }

    fn text(&mut self, text: &Text) {
        let rise = Letters::ASCENT * text.size;
        let (x, y) = text.at;
        let top = if text.turned { (x - rise, y) } else { (x, y - rise) };
        let letters = Letters { text, size: text.size * self.scale };
        self.backend.draw_text(&text.text, &letters, self.pixel(top)).expect(NO_FAILURE);
    }
}

/// How a shape is drawn.
struct Style {
    colour: Colour,
    width: u32,
}

const fn style(colour: Colour, width: u32) -> Style {
    Style { colour, width }
}

impl BackendStyle for Style {
    fn color(&self) -> BackendColor {
        self.colour.into()
    }
    fn stroke_width(&self) -> u32 {
        self.width
    }
}

impl From<Colour> for BackendColor {
    fn from(Colour(red, green, blue): Colour) -> BackendColor {
        BackendColor { alpha: 1.0, rgb: (red, green, blue) }
    }
}

/// The dashes of a line, each with the corners that it goes around.
fn dashes(points: &[Point], (dash, gap): (f64, f64)) -> Vec<Vec<Point>> {
    let mut dashes = Vec::new();
    let (mut is_drawn, mut left) = (true, dash);
    let mut current: Vec<Point> = points.first().copied().into_iter().collect();
    for pair in points.windows(2) {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        let length = (x1 - x0).hypot(y1 - y0);
        let mut done = 0.0;
        while length - done > left {
            done += left;
            let here = (x0 + (x1 - x0) * done / length, y0 + (y1 - y0) * done / length);
            if is_drawn {
                current.push(here);
                dashes.push(std::mem::take(&mut current));
            } else {
                current = vec![here];
            }
            is_drawn = !is_drawn;
            left = if is_drawn { dash } else { gap };
        }
        left -= length - done;
        if is_drawn {
            current.push((x1, y1));
        }
    }
    if is_drawn && current.len() > 1 {
        dashes.push(current);
    }
    dashes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 3 drawn, 2 left out: 0 to 3, then 5 to 8, which goes around the corner at 6.
    #[test]
    fn dashes_go_around_corners() {
        let expected = [vec![(0.0, 0.0), (3.0, 0.0)], vec![(5.0, 0.0), (6.0, 0.0), (6.0, 2.0)]];
        assert_eq!(dashes(&[(0.0, 0.0), (6.0, 0.0), (6.0, 3.0)], (3.0, 2.0)), expected);
        assert_eq!(dashes(&[(0.0, 0.0), (1.0, 0.0)], (3.0, 2.0)), [[(0.0, 0.0), (1.0, 0.0)]]);
    }

    /// Names come from files.
    #[test]
    fn control_characters_do_not_get_into_svg() {
        let mut picture = Picture::new(30.0, 20.0);
        picture.text((1.0, 10.0), crate::picture::Anchor::Start, 10.0, "a\u{1}\u{1b}[2J\n<b>\u{ffff}&\u{7f}");
        let svg = picture.svg();
        assert!(!svg.contains(|it: char| it.is_control() && it != '\n'), "{svg:?}");
        let shown = "a\u{fffd}\u{fffd}[2J\u{fffd}&lt;b&gt;\u{fffd}&amp;\u{fffd}";
        assert!(svg.contains(shown), "{svg}");
    }

    /// A black square in the upper left corner: its pixel is black, the next one, which it does not cover, white.
    #[test]
    fn a_png_reads_back() {
        let mut picture = Picture::new(3.0, 2.0);
        picture.rectangle((0.0, 0.0), (0.5, 0.5), Colour(0, 0, 0));
        let bytes = picture.png();
        let mut reader = png::Decoder::new(&bytes[..]).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size()];
        let information = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((information.width, information.height), (6, 4));
        assert_eq!(pixels[..6], [0, 0, 0, 255, 255, 255]);
        assert_eq!(picture.png(), bytes);
        assert!(picture.svg().starts_with("<svg width=\"3\" height=\"2\" viewBox=\"0 0 30 20\""));
    }
}
