//! SVG as PNG.

use crate::svg::FONT_NAME;
use anyhow::{Context, Result};
use resvg::{tiny_skia, usvg};

/// The font, cut to the characters the figures use, so that a PNG needs no font on the machine.
const FONT: &[u8] = include_bytes!("../assets/fonts/DejaVuSans.subset.ttf");
/// PNG pixels per SVG unit.
const SCALE: f32 = 2.0;

/// Renders SVG text as a PNG: two pixels per unit, white ground, the bundled font.
///
/// # Errors
///
/// When the text is not an SVG, or is too large to be held as pixels.
pub fn to_png(svg: &str) -> Result<Vec<u8>> {
    let mut options = usvg::Options { font_family: FONT_NAME.into(), ..usvg::Options::default() };
    let fonts = options.fontdb_mut();
    fonts.load_font_data(FONT.to_vec());
    fonts.set_sans_serif_family(FONT_NAME);
    let tree = usvg::Tree::from_str(svg, &options).context("the figure is not valid SVG")?;
    let size = tree.size().to_int_size().scale_by(SCALE).context("the figure is empty")?;
    let mut pixels =
        tiny_skia::Pixmap::new(size.width(), size.height()).context("the figure is too large")?;
    pixels.fill(tiny_skia::Color::WHITE);
    resvg::render(&tree, tiny_skia::Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    encode(&pixels).context("the figure could not be written as PNG")
}

/// Pixels on white ground hide nothing, so three channels do. The default compression would take a third of the time of
/// all pictures; the fast one makes files half as large again.
fn encode(pixels: &tiny_skia::Pixmap) -> Result<Vec<u8>, png::EncodingError> {
    let colors: Vec<u8> =
        pixels.data().as_chunks::<4>().0.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
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
}
