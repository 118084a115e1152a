//! The few random draws that the project needs, with streams that never change.
//!
//! They are written by hand because their bits are a promise: a distribution library may change its
//! algorithms between versions. The generator is ChaCha with 8 rounds, whose stream is documented and
//! seekable.

use crate::kernel::widened;
use chacha20::ChaCha8Rng;
use libm::{exp, log};
use rand_core::{Infallible, Rng, SeedableRng, TryRng};
use std::sync::OnceLock;

/// Returns the generator of a seed. Its key is the seed in little-endian bytes, then zeros.
///
/// ```
/// let mut rng = moglb::draw::seeded(7);
/// let arm = moglb::draw::below(40, &mut rng);
/// assert!(arm < 40);
/// ```
pub fn seeded(seed: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    ChaCha8Rng::from_seed(key)
}

/// A uniform draw from [0, 1), a multiple of 2⁻⁵³.
pub fn unit<R: Rng + ?Sized>(rng: &mut R) -> f64 {
    (rng.next_u64() >> 11) as f64 * UNIT
}

/// 2⁻⁵³, the step of a uniform draw that is made of the upper 53 bits of a word.
const UNIT: f64 = 1.0 / (1u64 << 53) as f64;

/// 2⁻³², the step of a uniform draw that is made of half a word.
const HALF_UNIT: f64 = 1.0 / (1u64 << 32) as f64;

/// A uniform draw from 0..n without bias: the high word of a product, where the few uneven low words are
/// rejected (Lemire).
///
/// # Panics
///
/// If n is zero.
pub fn below<R: Rng + ?Sized>(n: usize, rng: &mut R) -> usize {
    assert!(n > 0, "a draw from an empty set");
    let n = n as u64;
    let mut product = u128::from(rng.next_u64()) * u128::from(n);
    if (product as u64) < n {
        let uneven = n.wrapping_neg() % n;
        while (product as u64) < uneven {
            product = u128::from(rng.next_u64()) * u128::from(n);
        }
    }
    (product >> 64) as usize
}

/// A standard normal draw (ziggurat of 256 layers, Marsaglia and Tsang 2000, in the form of Doornik 2005).
#[inline]
pub fn normal<R: Rng + ?Sized>(rng: &mut R) -> f64 {
    normal_of(ziggurat(), rng)
}

/// A standard normal draw from the layers of a ziggurat.
#[inline(always)]
fn normal_of<R: Rng + ?Sized>(layers: &Ziggurat, rng: &mut R) -> f64 {
    loop {
        let bits = rng.next_u64();
        let (x, inside) = layers.point(bits);
        if inside {
            return x;
        }
        if let Some(x) = layers.at_the_edge(bits, rng) {
            return x;
        }
    }
}

/// The point at which the tail begins.
const TAIL: f64 = 3.654152885361009;
/// The area of each of the 256 layers.
const AREA: f64 = 0.00492867323397466;

/// A normal draw from the tail beyond [`TAIL`], on the side of `sign`.
fn normal_tail<R: Rng + ?Sized>(sign: f64, rng: &mut R) -> f64 {
    loop {
        let x = -log(1.0 - unit(rng)) / TAIL;
        let y = -log(1.0 - unit(rng));
        if 2.0 * y > x * x {
            return (TAIL + x).copysign(sign);
        }
    }
}

/// The layers of the ziggurat under exp(−x²/2), and the density at their edges.
struct Ziggurat {
    /// The right edges of the layers, from the base up. The base includes the tail: its edge is chosen so
    /// that its area is [`AREA`].
    x: [f64; 257],
    /// exp(−x²/2) at each edge.
    density: [f64; 257],
}

impl Ziggurat {
    /// Returns a point of a layer, and true if the point is inside the layer above and is therefore accepted
    /// without a test.
    #[inline(always)]
    fn point(&self, bits: u64) -> (f64, bool) {
        let (layer, u) = Self::place(bits);
        let x = u * self.x[layer];
        (x, x.abs() < self.x[layer + 1])
    }

    /// Returns a layer and a position in it, from −1 at the left edge to 1 at the right edge.
    #[inline(always)]
    fn place(bits: u64) -> (usize, f64) {
        ((bits & 0xff) as usize, 2.0 * ((bits >> 11) as f64 * UNIT) - 1.0)
    }

    /// Completes a draw whose point is not inside the layer above: it lies in the tail, or in the wedge next
    /// to the density, where it may be rejected. About one draw in eighty needs this.
    #[cold]
    fn at_the_edge<R: Rng + ?Sized>(&self, bits: u64, rng: &mut R) -> Option<f64> {
        let (layer, u) = Self::place(bits);
        if layer == 0 {
            return Some(normal_tail(u, rng));
        }
        let (x, outer, inner) = (u * self.x[layer], self.density[layer], self.density[layer + 1]);
        (outer + unit(rng) * (inner - outer) < exp(-0.5 * x * x)).then_some(x)
    }
}

/// The table of layers, computed at the first call.
fn ziggurat() -> &'static Ziggurat {
    static TABLE: OnceLock<Ziggurat> = OnceLock::new();
    TABLE.get_or_init(|| {
        let density = |x: f64| exp(-0.5 * x * x);
        let mut x = [0.0; 257];
        x[0] = AREA / density(TAIL);
        x[1] = TAIL;
        for layer in 1..255 {
            x[layer + 1] = (-2.0 * log(AREA / x[layer] + density(x[layer]))).sqrt();
        }
        Ziggurat { x, density: x.map(density) }
    })
}

/// The gamma law with scale 1 and a shape of at least 1, ready to be drawn from (Marsaglia and Tsang 2000).
/// With x normal, d·(1 + cx)³ is accepted with probability exp(h), where for d = shape − 1/3, c = 1/√(9d) and
/// y = cx
///
/// ```text
/// h = x²/2 + d·(1 − (1 + y)³ + 3·log(1 + y))
/// ```
///
/// ```
/// let mut rng = moglb::draw::seeded(7);
/// assert!(moglb::draw::Gamma::new(2.5).draw(&mut rng) > 0.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gamma {
    d: f64,
    c: f64,
}

impl Gamma {
    /// Returns the law of a shape.
    ///
    /// # Panics
    ///
    /// If the shape is below one.
    pub fn new(shape: f64) -> Self {
        assert!(shape >= 1.0, "shape {shape}");
        let d = shape - 1.0 / 3.0;
        Self { d, c: 1.0 / (9.0 * d).sqrt() }
    }

    /// A draw from the law.
    #[inline]
    pub fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        self.draw_of(ziggurat(), rng)
    }

    /// A draw from the law, with normals from the layers of a ziggurat.
    #[inline(always)]
    fn draw_of<R: Rng + ?Sized>(&self, layers: &Ziggurat, rng: &mut R) -> f64 {
        loop {
            let x = normal_of(layers, rng);
            if self.c * x <= -1.0 {
                continue;
            }
            let half = rng.next_u32();
            let (value, sure) = self.point(x, half);
            if sure || self.keeps(x, half, rng) {
                return value;
            }
        }
    }

    /// Returns the value that a normal x proposes, and true if it is certainly accepted. That is nearly
    /// always so: log(1 + y) is at least y − y²/2 + y³/3 − (y⁴/4)/min(1, 1 + y), so
    ///
    /// ```text
    /// exp(h) ≥ 1 + h ≥ 1 − ¾·d·y⁴ / min(1, 1 + y)
    /// ```
    ///
    /// and the upper half of the bits of w = 1 − u nearly always shows that u is below. (With y ≤ −1 it never
    /// does.)
    #[inline(always)]
    fn point(&self, x: f64, half: u32) -> (f64, bool) {
        let (y, w) = (self.c * x, f64::from(half) * HALF_UNIT);
        let (cube_root, y2) = (1.0 + y, y * y);
        let sure = w * cube_root.min(1.0) > 0.75 * self.d * (y2 * y2);
        (self.d * (cube_root * cube_root * cube_root), sure)
    }

    /// Returns true if u < exp(h), by the full test. It draws the lower half of the bits of 1 − u, which only
    /// this test needs.
    #[cold]
    fn keeps<R: Rng + ?Sized>(&self, x: f64, half: u32, rng: &mut R) -> bool {
        let u = 1.0 - (f64::from(half) + unit(rng)) * HALF_UNIT;
        let cube_root = 1.0 + self.c * x;
        let v = cube_root * cube_root * cube_root;
        log(u) < 0.5 * x * x + self.d * (1.0 - v + log(v))
    }
}

/// Beta laws with parameters of at least 1, for one draw from each at once: G_a / (G_a + G_b) for gamma draws
/// G.
///
/// ```
/// let mut laws = moglb::draw::Betas::uniform(2);
/// laws.set(1, 5.0, 2.0);
/// let mut draws = [0.0; 2];
/// laws.draw_into(&mut moglb::draw::seeded(7), &mut draws);
/// assert!(draws.iter().all(|x| (0.0..=1.0).contains(x)));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Betas {
    a: Gammas,
    b: Gammas,
}

impl Betas {
    /// Returns `n` laws, all Beta(1, 1).
    pub fn uniform(n: usize) -> Self {
        let gammas = Gammas { d: vec![Gamma::new(1.0).d; n], c: vec![Gamma::new(1.0).c; n] };
        Self { a: gammas.clone(), b: gammas }
    }

    /// Sets the parameters of one law.
    ///
    /// # Panics
    ///
    /// If a parameter is below one, or there is no such law.
    pub fn set(&mut self, index: usize, a: f64, b: f64) {
        self.a.set(index, a);
        self.b.set(index, b);
    }

    /// Draws from each law, into the entry of `out` with its index.
    ///
    /// # Panics
    ///
    /// If `out` is not as long as there are laws.
    pub fn draw_into(&self, rng: &mut dyn Rng, out: &mut [f64]) {
        assert_eq!(out.len(), self.a.d.len(), "a place for each law");
        let mut others = [0.0; NORMALS_PER_BLOCK];
        for (block, out) in out.chunks_mut(NORMALS_PER_BLOCK).enumerate() {
            let others = &mut others[..out.len()];
            self.a.draw_block(block, rng, out);
            self.b.draw_block(block, rng, others);
            out.iter_mut().zip(others).for_each(|(x, y)| *x /= *x + *y);
        }
    }
}

/// The number of laws that are drawn from at once.
const NORMALS_PER_BLOCK: usize = 32;

/// Gamma laws as two arrays, so that a block of them is drawn by vectors.
#[derive(Debug, Clone, PartialEq)]
struct Gammas {
    d: Vec<f64>,
    c: Vec<f64>,
}

impl Gammas {
    fn set(&mut self, index: usize, shape: f64) {
        let law = Gamma::new(shape);
        (self.d[index], self.c[index]) = (law.d, law.c);
    }

    /// Draws from each law of a block. A draw nearly always needs a word and a half. The generator delivers
    /// them for all laws in one call each (behind `dyn`, every word would cost a call), and vectors turn them
    /// into draws. The few draws that this does not settle continue one by one.
    fn draw_block(&self, block: usize, rng: &mut dyn Rng, out: &mut [f64]) {
        let (n, first, layers) = (out.len(), block * NORMALS_PER_BLOCK, ziggurat());
        let (d, c) = (&self.d[first..][..n], &self.c[first..][..n]);
        let (mut words, mut halves, mut normals) =
            ([[0; 8]; NORMALS_PER_BLOCK], [[0; 4]; NORMALS_PER_BLOCK], [0.0; NORMALS_PER_BLOCK]);
        let (words, halves) = (&mut words[..n], &mut halves[..n]);
        rng.fill_bytes(words.as_flattened_mut());
        rng.fill_bytes(halves.as_flattened_mut());
        for (x, word) in normals.iter_mut().zip(&*words) {
            let (point, inside) = layers.point(u64::from_le_bytes(*word));
            *x = if inside { point } else { f64::NAN };
        }
        widened(
            #[inline(always)]
            || {
                let laws = d.iter().zip(c).map(|(&d, &c)| Gamma { d, c });
                for (((out, law), &x), half) in out.iter_mut().zip(laws).zip(&normals).zip(&*halves) {
                    let (value, sure) = law.point(x, u32::from_le_bytes(*half));
                    *out = if sure { value } else { f64::NAN };
                }
            },
        );
        for i in 0..n {
            if !out[i].is_nan() {
                continue;
            }
            let (word, half) = (u64::from_le_bytes(words[i]), u32::from_le_bytes(halves[i]));
            let mut rest = Begun { word: Some(word), half: Some(half), rng };
            out[i] = Gamma { d: d[i], c: c[i] }.draw_of(layers, &mut rest);
        }
    }
}

/// A generator whose first word and first half word were drawn before.
struct Begun<'a> {
    word: Option<u64>,
    half: Option<u32>,
    rng: &'a mut dyn Rng,
}

impl TryRng for Begun<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.half.take().unwrap_or_else(|| self.rng.next_u32()))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.word.take().unwrap_or_else(|| self.rng.next_u64()))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.rng.fill_bytes(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean and variance of n draws. For n = 200 000 a mean is off by more than 5 standard errors with
    /// probability 6e-7; for a variance this holds approximately.
    fn moments(n: usize, mut draw: impl FnMut() -> f64) -> (f64, f64) {
        let values: Vec<f64> = (0..n).map(|_| draw()).collect();
        let mean = values.iter().sum::<f64>() / n as f64;
        (mean, values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n as f64)
    }

    const N: usize = 200_000;

    fn assert_moments(what: &str, got: (f64, f64), mean: f64, variance: f64, kurtosis: f64) {
        let mean_error = (variance / N as f64).sqrt();
        let variance_error = variance * ((kurtosis - 1.0) / N as f64).sqrt();
        assert!((got.0 - mean).abs() < 5.0 * mean_error, "{what}: mean {} for {mean}", got.0);
        assert!((got.1 - variance).abs() < 5.0 * variance_error, "{what}: variance {} for {variance}", got.1);
    }

    #[test]
    fn the_stream_of_a_seed_never_changes() {
        let mut rng = seeded(7);
        let first: Vec<u64> = (0..2).map(|_| rng.next_u64()).collect();
        // Printed once by this generator; a change here breaks every seed that a user has written down.
        assert_eq!(first, GOLDEN_STREAM);
    }

    const GOLDEN_STREAM: [u64; 2] = [14_095_323_943_061_994_099, 8_595_031_940_432_502_117];

    #[test]
    fn draws_have_the_moments_of_their_laws() {
        let mut rng = seeded(11);
        assert_moments("unit", moments(N, || unit(&mut rng)), 0.5, 1.0 / 12.0, 1.8);
        assert_moments("normal", moments(N, || normal(&mut rng)), 0.0, 1.0, 3.0);
        for shape in [1.0, 2.5, 40.0] {
            let got = moments(N, || Gamma::new(shape).draw(&mut rng));
            assert_moments("gamma", got, shape, shape, 3.0 + 6.0 / shape);
        }
        for (a, b) in [(1.0, 1.0), (2.0, 5.0), (30.0, 3.0)] {
            let (n, mean): (f64, f64) = (a + b, a / (a + b));
            let (mut laws, mut draws) = (Betas::uniform(N), vec![0.0; N]);
            (0..N).for_each(|k| laws.set(k, a, b));
            laws.draw_into(&mut rng, &mut draws);
            let mut draws = draws.into_iter();
            let got = moments(N, || draws.next().unwrap());
            assert_moments("beta", got, mean, mean * (1.0 - mean) / (n + 1.0), 4.0);
        }
    }

    /// A block of draws has the bits of draws from the same words one by one, on the vector unit that every
    /// machine has.
    #[test]
    fn blocks_have_the_bits_of_single_draws() {
        let n = 20;
        let mut laws = Gammas { d: vec![0.0; n], c: vec![0.0; n] };
        (0..n).for_each(|k| laws.set(k, 1.0 + 0.7 * (k * k) as f64));
        let mut settled = 0;
        for seed in 0..100 {
            let (mut same, mut block) = (seeded(seed), vec![0.0; n]);
            laws.draw_block(0, &mut seeded(seed), &mut block);
            let words: Vec<u64> = (0..n).map(|_| same.next_u64()).collect();
            for k in 0..n {
                let (x, inside) = ziggurat().point(words[k]);
                let (value, sure) = Gamma { d: laws.d[k], c: laws.c[k] }.point(x, same.next_u32());
                if inside && sure {
                    assert_eq!(value.to_bits(), block[k].to_bits());
                    settled += 1;
                }
            }
        }
        assert!(settled > 1900, "only {settled} of 2000 draws were settled at once");
    }

    /// Φ, the normal distribution function.
    fn phi(x: f64) -> f64 {
        0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)
    }

    /// Kolmogorov–Smirnov against Φ: the distance exceeds 2.5/√n with probability 7e-6. The tail has its own
    /// branch, so its draws are counted too.
    #[test]
    fn normal_draws_follow_the_normal_law_out_to_the_tail() {
        let mut rng = seeded(12);
        let mut values: Vec<f64> = (0..N).map(|_| normal(&mut rng)).collect();
        values.sort_by(f64::total_cmp);
        let distance = values.iter().enumerate().fold(0.0_f64, |worst, (rank, &x)| {
            let cdf = phi(x);
            worst.max((cdf - rank as f64 / N as f64).abs()).max((cdf - (rank + 1) as f64 / N as f64).abs())
        });
        assert!(distance < 2.5 / (N as f64).sqrt(), "distance {distance}");
        let beyond = (0..20 * N).filter(|_| normal(&mut rng).abs() > TAIL).count() as f64;
        let expected = 20.0 * N as f64 * 2.0 * phi(-TAIL);
        assert!((beyond - expected).abs() < 5.0 * expected.sqrt(), "{beyond} of {expected} beyond the tail");
    }

    /// Oracle 25, unbiased choice: a chi-square with 6 degrees of freedom is above 33.1 with probability
    /// 1e-5.
    #[test]
    fn below_is_uniform_and_in_range() {
        let mut rng = seeded(13);
        let mut counts = [0.0; 7];
        for _ in 0..70_000 {
            counts[below(7, &mut rng)] += 1.0;
        }
        let chi: f64 = counts.iter().map(|c| (c - 10_000.0) * (c - 10_000.0) / 10_000.0).sum();
        assert!(chi < 33.1, "chi-square {chi}");
        assert_eq!(below(1, &mut rng), 0);
    }
}
