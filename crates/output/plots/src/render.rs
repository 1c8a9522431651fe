//! Output of shapes as SVG and PNG, with plotters' backends.

use crate::colour::WHITE;
use crate::dark;
use crate::letters::Letters;
use crate::picture::{CANNOT_FAIL, PIXEL, Picture, Shape};
use plotters::style::Color as _;
use plotters_backend::{BackendCoord, DrawingBackend, DrawingErrorKind};
use plotters_bitmap::BitMapBackend;
use plotters_svg::SVGBackend;

/// Smallest number of pixels of a PNG per pixel of the picture, in each direction.
const PNG_SCALE: u32 = 2;
/// Least resolution of a PNG file of a chosen size, in pixels per point (300 per inch).
const RESOLUTION: f64 = 300.0 / 72.0;
/// Points in a metre.
const POINTS_PER_M: f64 = 72.0 / 0.0254;
/// Supersampling factor in each direction, for smooth edges.
const SUPERSAMPLING: u32 = 3;

impl Picture {
    /// Formats the picture as SVG. Texts remain texts.
    pub fn svg(&self) -> String {
        let mut svg = String::new();
        let (width, height) = self.size();
        let pixels = PIXEL.unsigned_abs();
        // The shapes are drawn at ten times the size, and the SVG is scaled down.
        let backend = SVGBackend::with_string(&mut svg, (width * pixels, height * pixels));
        Renderer { backend, scale: 1.0, joins_lines: true }.draw(self);
        let drawn = format!("<svg width=\"{}\" height=\"{}\"", width * pixels, height * pixels);
        let chosen = self.chosen();
        let on_paper = |pixels: u32| match chosen.is_chosen {
            true => format!("{:.2}pt", f64::from(pixels) * chosen.points),
            false => pixels.to_string(),
        };
        svg.replacen(
            &drawn,
            &format!("<svg width=\"{}\" height=\"{}\"", on_paper(width), on_paper(height)),
            1,
        )
    }

    /// Formats the picture as SVG that follows the colour scheme of the reader: in a dark one, the
    /// background is dark and texts are light. For figures of results, whose texts are all on the
    /// background.
    pub fn svg_for_page(&self) -> String {
        let svg = self.svg();
        let (tag, rest) = svg.split_at(svg.find('>').map_or(0, |end| end + 1));
        format!("{tag}\n<style>{}</style>{rest}", dark::style())
    }

    /// Encodes the picture as PNG, with two pixels per pixel of the picture in both directions, or with
    /// more if a chosen size needs them for 300 pixels per inch.
    pub fn png(&self) -> Vec<u8> {
        let ((width, height), chosen) = (self.size(), self.chosen());
        let times = PNG_SCALE.max((chosen.points * RESOLUTION).ceil() as u32);
        let (columns, rows) = (width * times, height * times);
        let mut samples = vec![0; (columns * rows * SUPERSAMPLING * SUPERSAMPLING * 3) as usize];
        let backend =
            BitMapBackend::with_buffer(&mut samples, (columns * SUPERSAMPLING, rows * SUPERSAMPLING));
        let scale = f64::from(times * SUPERSAMPLING) / f64::from(PIXEL);
        Renderer { backend, scale, joins_lines: false }.draw(self);
        let per_metre = (f64::from(times) / chosen.points * POINTS_PER_M).round() as u32;
        let pixels = average_samples(&samples, columns as usize, rows as usize);
        encode(&pixels, columns, rows, chosen.is_chosen.then_some(per_metre))
    }
}

/// Averages each square of samples; the samples are in lines, with three bytes per sample.
///
/// Most of a picture is white, and comparing memory is much faster than summing bytes.
fn average_samples(samples: &[u8], columns: usize, rows: usize) -> Vec<u8> {
    const SPAN: usize = 32;
    const SIDE: usize = SUPERSAMPLING as usize;
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
            // The sum of three samples in three lines is unrolled: loops take twice as long in
            // unoptimised builds.
            let [first, second, third] = spans;
            let sum = |span: &[u8], part: usize| {
                u32::from(span[part]) + u32::from(span[part + 3]) + u32::from(span[part + 6])
            };
            for square in (0..to - from).step_by(SQUARE) {
                for part in [square, square + 1, square + 2] {
                    let sum = sum(first, part) + sum(second, part) + sum(third, part);
                    pixels.push((sum / (SUPERSAMPLING * SUPERSAMPLING)) as u8);
                }
            }
        }
    }
    pixels
}

/// Encodes pixels; `per_metre` is the resolution on paper.
fn encode(pixels: &[u8], width: u32, height: u32, per_metre: Option<u32>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Default);
    encoder.set_filter(png::FilterType::NoFilter);
    let dimensions = |each| png::PixelDimensions { xppu: each, yppu: each, unit: png::Unit::Meter };
    encoder.set_pixel_dims(per_metre.map(dimensions));
    let mut writer = encoder.write_header().expect(CANNOT_FAIL);
    writer.write_image_data(pixels).expect(CANNOT_FAIL);
    writer.finish().expect(CANNOT_FAIL);
    bytes
}

/// Draws shapes on a plotters backend.
struct Renderer<B> {
    backend: B,
    /// Pixels of the backend per tenth of a pixel of the picture.
    scale: f64,
    /// True if the backend itself draws smooth joints in lines with several points.
    joins_lines: bool,
}

impl<B: DrawingBackend> Renderer<B> {
    fn draw(mut self, picture: &Picture) {
        let (width, height) = picture.size();
        let end = (width as i32 * PIXEL, height as i32 * PIXEL);
        self.draw_shape(&Shape::Rectangle { from: (0, 0), to: end, fill: WHITE }).expect(CANNOT_FAIL);
        for shape in picture.shapes() {
            self.draw_shape(shape).expect(CANNOT_FAIL);
        }
        self.backend.present().expect(CANNOT_FAIL);
    }

    fn draw_shape(&mut self, shape: &Shape) -> Result<(), DrawingErrorKind<B::ErrorType>> {
        let length = |length: f64| (length * self.scale).round() as i32;
        let point = |&(x, y): &BackendCoord| (length(f64::from(x)), length(f64::from(y)));
        match shape {
            Shape::Rectangle { from, to, fill } => {
                // A rectangle is at least one pixel wide, so that even very short jobs are visible.
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
                let top = if text.is_rotated { (x - rise, y) } else { (x, y - rise) };
                let letters = Letters { text, size: text.size * self.scale };
                self.backend.draw_text(&text.text, &letters, point(&top))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::size::FigureSize;
    use plotters::element::Rectangle;
    use plotters::style::BLACK;
    use plotters::style::text_anchor::HPos;

    /// Checks that control characters in names, which come from files, do not reach the SVG.
    #[test]
    fn control_characters_do_not_get_into_svg() {
        let name = "a\u{1}\u{1b}[2J\n<b>\u{ffff}&\u{7f}";
        let style = crate::font::style(100, HPos::Left);
        let picture = Picture::draw(300, 200, FigureSize::default(), |area| {
            area.draw_text(name, &style, (10, 100)).unwrap();
        });
        let svg = picture.svg();
        assert!(!svg.contains(|it: char| it.is_control() && it != '\n'), "{svg:?}");
        let shown = "a\u{fffd}\u{fffd}[2J\u{fffd}&lt;b&gt;\u{fffd}&amp;\u{fffd}";
        assert!(svg.contains(shown), "{svg}");
    }

    /// Draws a black square in the upper left corner: its pixel must be black, and the next one,
    /// which it does not cover, white.
    #[test]
    fn a_png_reads_back() {
        let square = Rectangle::new([(0, 0), (5, 5)], BLACK.filled());
        let picture = Picture::draw(30, 20, FigureSize::default(), |area| area.draw(&square).unwrap());
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
        let picture = Picture::draw(30, 20, FigureSize::default(), |area| area.draw(&thin).unwrap());
        assert!(
            picture.svg().contains("<rect x=\"10\" y=\"0\" width=\"1\" height=\"20\""),
            "{}",
            picture.svg()
        );
        assert_ne!(picture.png(), Picture::draw(30, 20, FigureSize::default(), |_| {}).png());
    }
}
