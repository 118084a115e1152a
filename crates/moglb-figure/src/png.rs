//! Renders SVG as PNG.

use crate::svg::FONT_NAME;
use anyhow::{Context, Result};
use resvg::{tiny_skia, usvg};

/// The font, cut to the characters that figures use. With it a PNG needs no font on the machine.
const FONT: &[u8] = include_bytes!("../assets/fonts/DejaVuSans.subset.ttf");
/// PNG pixels per SVG unit. Two make lines sharp on any screen.
const SCALE: f32 = 2.0;
/// The height in SVG units from which on a PNG has one pixel per unit. Such a figure is viewed in
/// parts, so one pixel is enough, and the file is smaller.
const TALL: f32 = 1500.0;

/// Renders SVG text as a PNG: two pixels per unit (one for a tall figure), a white background, the
/// bundled font.
///
/// # Errors
///
/// An error if the text is not valid SVG, or if the figure is too large to be held as pixels.
pub fn to_png(svg: &str) -> Result<Vec<u8>> {
    let mut options = usvg::Options { font_family: FONT_NAME.into(), ..usvg::Options::default() };
    let fonts = options.fontdb_mut();
    fonts.load_font_data(FONT.to_vec());
    fonts.set_sans_serif_family(FONT_NAME);
    let tree = usvg::Tree::from_str(svg, &options).context("the figure is not valid SVG")?;
    let scale = if tree.size().height() < TALL { SCALE } else { 1.0 };
    let size = tree.size().to_int_size().scale_by(scale).context("the figure is empty")?;
    let mut pixels =
        tiny_skia::Pixmap::new(size.width(), size.height()).context("the figure is too large")?;
    pixels.fill(tiny_skia::Color::WHITE);
    resvg::render(&tree, tiny_skia::Transform::from_scale(scale, scale), &mut pixels.as_mut());
    encode(&pixels).context("the figure could not be written as PNG")
}

/// Encodes pixels as a PNG. On a white background all pixels are opaque, so three channels are
/// enough. Areas of one color compress best without a filter: to less than half of the bytes of the
/// filters of the fast compression, in twice its time (0.1 s for the largest figure).
fn encode(pixels: &tiny_skia::Pixmap) -> Result<Vec<u8>, png::EncodingError> {
    let colors: Vec<u8> =
        pixels.data().as_chunks::<4>().0.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    encoder.set_filter(png::Filter::NoFilter);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&colors)?;
    writer.finish()?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_not_svg_is_refused() {
        assert!(to_png("<html/>").is_err());
    }

    #[test]
    fn a_tall_figure_has_one_pixel_per_unit() {
        for (height, pixels) in [(1400, 2800_u32), (1600, 1600)] {
            let svg = crate::svg::document((10.0, f64::from(height)), "a test", "");
            let png = to_png(&svg).expect("an empty figure");
            // Bytes 20 to 23 of a PNG are its height.
            assert_eq!(png[20..24], pixels.to_be_bytes(), "{height}");
        }
    }
}
