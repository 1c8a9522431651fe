//! Output of shapes as PDF: one page of the size of the picture, with the font embedded.

use crate::colour::WHITE;
use crate::font;
use crate::picture::{PIXEL, Picture, Shape, Side, Text};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::types::{CidFontType, FontFlags, LineCapStyle, LineJoinStyle, SystemInfo, UnicodeCmap};
use pdf_writer::{Content, Filter, Finish as _, Name, Pdf, Rect, Ref, Str};
use plotters::style::RGBColor;
use plotters_backend::BackendCoord;
use std::collections::BTreeMap;
use std::io::Write as _;

/// Ratio of the length of the tangents to the radius in the Bezier curve of a quarter of a circle.
const KAPPA: f32 = 0.552_284_8;
const FONT: Name<'_> = Name(b"F1");
/// Characters and character codes of the font: those of Unicode, and the numbers of its glyphs.
const UNICODE: SystemInfo<'_> = SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"UCS"), supplement: 0 };
const GLYPHS: SystemInfo<'_> =
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

impl Picture {
    /// Encodes the picture as PDF, of the chosen size or 8.5 cm wide. Texts remain texts.
    pub fn pdf(&self) -> Vec<u8> {
        let [catalog, pages, page, content, font, cid_font, descriptor, file, unicode] =
            std::array::from_fn(|number| Ref::new(number as i32 + 1));
        let (width, height) = self.size();
        let points = self.chosen().points as f32;
        let size = Rect::new(0.0, 0.0, width as f32 * points, height as f32 * points);
        let mut drawing = Drawing { content: Content::new(), glyphs: BTreeMap::new() };
        drawing.draw(self);
        let Drawing { content: drawn, glyphs } = drawing;

        let mut pdf = Pdf::new();
        // Nothing here is newer, and pdfTeX warns of newer ones than it writes itself.
        pdf.set_version(1, 5);
        pdf.catalog(catalog).pages(pages);
        pdf.pages(pages).kids([page]).count(1);
        let mut of_page = pdf.page(page);
        of_page.media_box(size).parent(pages).contents(content);
        of_page.resources().fonts().pair(FONT, font);
        of_page.finish();
        pdf.stream(content, &compressed(&drawn.finish())).filter(Filter::FlateDecode);
        write_font(&mut pdf, [font, cid_font, descriptor, file, unicode], &glyphs);
        pdf.finish()
    }
}

/// Writes the font; a text consists of the numbers of its glyphs.
fn write_font(
    pdf: &mut Pdf,
    [font, cid_font, descriptor, file, unicode]: [Ref; 5],
    glyphs: &BTreeMap<u16, (char, f32)>,
) {
    let name = Name(b"DejaVuSans");
    pdf.type0_font(font)
        .base_font(name)
        .encoding_predefined(Name(b"Identity-H"))
        .descendant_font(cid_font)
        .to_unicode(unicode);
    let mut of_glyphs = pdf.cid_font(cid_font);
    of_glyphs.subtype(CidFontType::Type2).base_font(name).system_info(GLYPHS).font_descriptor(descriptor);
    of_glyphs.cid_to_gid_map_predefined(Name(b"Identity"));
    let mut widths = of_glyphs.widths();
    for (&glyph, &(_, width)) in glyphs {
        widths.same(glyph, glyph, width);
    }
    widths.finish();
    of_glyphs.finish();
    // Lengths are in thousandths of the font size; the box and the stem are those of DejaVu Sans.
    pdf.font_descriptor(descriptor)
        .name(name)
        .flags(FontFlags::NON_SYMBOLIC)
        .bbox(Rect::new(-1_021.0, -463.0, 1_793.0, 1_232.0))
        .italic_angle(0.0)
        .ascent(928.0)
        .descent(-236.0)
        .cap_height(font::CAP_HEIGHT as f32 * 1_000.0)
        .stem_v(88.0)
        .font_file2(file);
    let compressed_file = compressed(font::FILE);
    let mut stream = pdf.stream(file, &compressed_file);
    stream.filter(Filter::FlateDecode).pair(Name(b"Length1"), font::FILE.len() as i32);
    stream.finish();
    let mut names = UnicodeCmap::new(Name(b"Custom"), UNICODE);
    for (&glyph, &(character, _)) in glyphs {
        names.pair(glyph, character);
    }
    pdf.cmap(unicode, &compressed(&names.finish())).filter(Filter::FlateDecode);
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.expect(crate::picture::CANNOT_FAIL)
}

/// Content of the page, in tenths of a pixel from the upper left corner.
struct Drawing {
    content: Content,
    /// Characters and widths of the glyphs that occur.
    glyphs: BTreeMap<u16, (char, f32)>,
}

impl Drawing {
    fn draw(&mut self, picture: &Picture) {
        let (width, height) = picture.size();
        let points = picture.chosen().points as f32;
        let unit = points / PIXEL as f32;
        self.content.transform([unit, 0.0, 0.0, -unit, 0.0, height as f32 * points]);
        self.content.set_line_join(LineJoinStyle::RoundJoin).set_line_cap(LineCapStyle::ButtCap);
        let end = (width as i32 * PIXEL, height as i32 * PIXEL);
        self.shape(&Shape::Rectangle { from: (0, 0), to: end, fill: WHITE });
        picture.shapes().iter().for_each(|shape| self.shape(shape));
    }

    fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Rectangle { from, to, fill } => {
                // A rectangle is at least one pixel wide, so that even very short jobs are visible.
                let width = (to.0 - from.0).max(PIXEL);
                let height = (to.1 - from.1).max(PIXEL);
                self.fill(*fill);
                self.content.rect(from.0 as f32, from.1 as f32, width as f32, height as f32).fill_nonzero();
            }
            Shape::Polygon { points, fill } => {
                self.fill(*fill);
                self.path(points);
                self.content.close_path().fill_nonzero();
            }
            Shape::Disc { centre, radius, fill } => {
                self.fill(*fill);
                self.circle(*centre, *radius as f32);
                self.content.fill_nonzero();
            }
            Shape::Line { points, colour, width } => {
                let [red, green, blue] = parts(*colour);
                self.content.set_stroke_rgb(red, green, blue).set_line_width(*width as f32);
                self.path(points);
                self.content.stroke();
            }
            Shape::Text(text) => self.text(text),
        }
    }

    fn fill(&mut self, colour: RGBColor) {
        let [red, green, blue] = parts(colour);
        self.content.set_fill_rgb(red, green, blue);
    }

    fn path(&mut self, points: &[BackendCoord]) {
        for (place, &(x, y)) in points.iter().enumerate() {
            match place {
                0 => self.content.move_to(x as f32, y as f32),
                _ => self.content.line_to(x as f32, y as f32),
            };
        }
    }

    fn circle(&mut self, centre: BackendCoord, radius: f32) {
        let (x, y) = (centre.0 as f32, centre.1 as f32);
        let tangent = KAPPA * radius;
        self.content.move_to(x + radius, y);
        for (across, down) in [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)] {
            // A quarter from the axis where the last one ended to the next axis.
            let is_from_side = across == down;
            let [side, end] = [(across * radius, 0.0), (0.0, down * radius)];
            let [by_side, by_end] = [(across * radius, down * tangent), (across * tangent, down * radius)];
            let (first, second, to) =
                if is_from_side { (by_side, by_end, end) } else { (by_end, by_side, side) };
            self.content.cubic_to(x + first.0, y + first.1, x + second.0, y + second.1, x + to.0, y + to.1);
        }
        self.content.close_path();
    }

    fn text(&mut self, text: &Text) {
        let (mut bytes, mut width) = (Vec::new(), 0.0);
        for character in text.text.chars() {
            let (glyph, advance) = font::glyph(character);
            self.glyphs.entry(glyph).or_insert((character, advance));
            bytes.extend(glyph.to_be_bytes());
            width += advance * text.size as f32 / 1_000.0;
        }
        let back = match text.side {
            Side::Begin => 0.0,
            Side::Middle => width / 2.0,
            Side::End => width,
        };
        let (x, y) = (text.at.0 as f32, text.at.1 as f32);
        // The page is upside down, so letters are turned over.
        let matrix = match text.is_rotated {
            false => [1.0, 0.0, 0.0, -1.0, x - back, y],
            true => [0.0, -1.0, -1.0, 0.0, x, y + back],
        };
        self.fill(text.colour);
        self.content.begin_text().set_font(FONT, text.size as f32).set_text_matrix(matrix);
        self.content.show(Str(&bytes)).end_text();
    }
}

/// Returns red, green and blue as fractions.
fn parts(RGBColor(red, green, blue): RGBColor) -> [f32; 3] {
    [red, green, blue].map(|part| f32::from(part) / 255.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::size::FigureSize;
    use plotters::style::text_anchor::HPos;

    #[test]
    fn a_page_has_the_size_of_a_column_and_its_font() {
        let style = font::style(100, HPos::Left);
        let picture = Picture::draw(6_000, 3_000, FigureSize::default(), |area| {
            area.draw_text("Wait [h]", &style, (10, 100)).unwrap();
        });
        let pdf = picture.pdf();
        assert!(pdf.starts_with(b"%PDF-") && pdf.ends_with(b"%%EOF"));
        let text = String::from_utf8_lossy(&pdf);
        assert!(text.contains("/MediaBox [0 0 240.9"), "{text}");
        assert!(text.contains("/FontFile2") && text.contains("/ToUnicode"), "{text}");
        assert_eq!(picture.pdf(), pdf);
    }

    #[test]
    fn text_is_drawn_as_numbers_of_glyphs() {
        let style = font::style(100, HPos::Left);
        let picture = Picture::draw(600, 300, FigureSize::default(), |area| {
            area.draw_text("ii", &style, (10, 100)).unwrap();
        });
        let mut drawing = Drawing { content: Content::new(), glyphs: BTreeMap::new() };
        drawing.draw(&picture);
        let (glyph, width) = font::glyph('i');
        assert_eq!(drawing.glyphs, BTreeMap::from([(glyph, ('i', width))]));
        assert!((width - 569.0 / 2.048).abs() < 0.1);
    }
}
