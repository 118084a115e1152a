//! The few loops everything else is made of.
//!
//! Bits are a promise: sums run over a fixed number of lanes in a fixed order whatever the machine's vector width, and
//! where a product is added to a sum it is rounded once on every machine (fused in hardware since 2013, in software
//! before that). So the vector unit may be chosen when the program runs, and the results stay the same.
//!
//! Written by hand for that reason; `nalgebra` is the independent opinion in the tests. The vectors are explicit,
//! since a compiler that has to find them does not always do so; `pulp` knows the machines.

use pulp::Simd;
use std::ops::{Deref, DerefMut};

/// Lanes of a sum, and arms in a tile.
pub(crate) const LANES: usize = 8;

/// One value for each arm of a tile, or eight places of a vector: a cache line.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(align(64))]
pub(crate) struct Lanes(pub(crate) [f64; LANES]);

impl Lanes {
    pub(crate) const ZERO: Self = Self([0.0; LANES]);
}

impl Deref for Lanes {
    type Target = [f64; LANES];

    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Lanes {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

/// A computation for any vector unit.
pub(crate) trait Job {
    type Output;

    fn run<S: Unit>(self, simd: S) -> Self::Output;
}

/// Runs a computation compiled for the widest vector unit of the machine.
#[inline]
pub(crate) fn dispatch<J: Job>(job: J) -> J::Output {
    pulp::Arch::new().dispatch(OnAnyUnit(job))
}

/// Runs plain loops compiled for the widest vector unit of the machine; what becomes vectors is the compiler's choice.
#[inline]
pub(crate) fn widened<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}

/// A [`Job`] written in place. What it works on is named with its type, as a computation for any unit cannot be a closure.
macro_rules! vectorized {
    (
        { $($name:ident: $type:ty = $value:expr),* $(,)? },
        $output:ty,
        $($generic:ident: $bound:ident,)?
        |$simd:ident| $body:expr
    ) => {{
        struct Work<'a $(, $generic: $bound)?> {
            $($name: $type),*
        }
        impl<'a $(, $generic: $bound)?> $crate::kernel::Job for Work<'a $(, $generic)?> {
            type Output = $output;

            #[inline(always)]
            fn run<S: $crate::kernel::Unit>(self, $simd: S) -> $output {
                let Self { $($name),* } = self;
                $body
            }
        }
        $crate::kernel::dispatch(Work { $($name: $value),* })
    }};
}
pub(crate) use vectorized;

struct OnAnyUnit<J>(J);

impl<J: Job> pulp::WithSimd for OnAnyUnit<J> {
    type Output = J::Output;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> J::Output {
        match S::F64_LANES {
            8 => self.0.run(Registers::<S, 1>(simd)),
            4 => self.0.run(Registers::<S, 2>(simd)),
            2 => self.0.run(Registers::<S, 4>(simd)),
            _ => self.0.run(Registers::<pulp::Scalar, LANES>(pulp::Scalar)),
        }
    }
}

/// A vector unit, as the few operations on [`Lanes`] that are needed here.
pub(crate) trait Unit: Copy {
    /// [`Lanes`] in registers.
    type Eight: Copy;

    fn splat(self, value: f64) -> Self::Eight;
    fn load(self, lanes: &Lanes) -> Self::Eight;
    fn store(self, a: Self::Eight, lanes: &mut Lanes);
    fn sub(self, a: Self::Eight, b: Self::Eight) -> Self::Eight;
    fn mul(self, a: Self::Eight, b: Self::Eight) -> Self::Eight;
    fn div(self, a: Self::Eight, b: Self::Eight) -> Self::Eight;
    fn min(self, a: Self::Eight, b: Self::Eight) -> Self::Eight;
    fn max(self, a: Self::Eight, b: Self::Eight) -> Self::Eight;
    fn sqrt(self, a: Self::Eight) -> Self::Eight;
    /// a·b + c, rounded once.
    fn mul_add(self, a: Self::Eight, b: Self::Eight, c: Self::Eight) -> Self::Eight;
    /// Whether no lane reaches a limit.
    fn all_below(self, a: Self::Eight, limit: f64) -> bool;
    /// The lanes added as a tree.
    fn sum(self, a: Self::Eight) -> f64;
    /// Eight rows as eight columns.
    fn turn(self, rows: [&[f64; LANES]; LANES]) -> [[f64; LANES]; LANES];
}

/// A unit that holds eight lanes in P registers.
#[derive(Clone, Copy)]
struct Registers<S, const P: usize>(S);

impl<S: Simd, const P: usize> Registers<S, P> {
    #[inline(always)]
    fn zip(
        a: [S::f64s; P],
        b: [S::f64s; P],
        operation: impl Fn(S::f64s, S::f64s) -> S::f64s,
    ) -> [S::f64s; P] {
        let mut result = a;
        for k in 0..P {
            result[k] = operation(a[k], b[k]);
        }
        result
    }
}

impl<S: Simd, const P: usize> Unit for Registers<S, P> {
    type Eight = [S::f64s; P];

    #[inline(always)]
    fn splat(self, value: f64) -> Self::Eight {
        [self.0.splat_f64s(value); P]
    }

    #[inline(always)]
    fn load(self, lanes: &Lanes) -> Self::Eight {
        S::as_simd_f64s(&lanes.0).0.try_into().expect("P registers hold eight lanes")
    }

    #[inline(always)]
    fn store(self, a: Self::Eight, lanes: &mut Lanes) {
        S::as_mut_simd_f64s(&mut lanes.0).0.copy_from_slice(&a);
    }

    #[inline(always)]
    fn sub(self, a: Self::Eight, b: Self::Eight) -> Self::Eight {
        Self::zip(
            a,
            b,
            #[inline(always)]
            |a, b| self.0.sub_f64s(a, b),
        )
    }

    #[inline(always)]
    fn mul(self, a: Self::Eight, b: Self::Eight) -> Self::Eight {
        Self::zip(
            a,
            b,
            #[inline(always)]
            |a, b| self.0.mul_f64s(a, b),
        )
    }

    #[inline(always)]
    fn div(self, a: Self::Eight, b: Self::Eight) -> Self::Eight {
        Self::zip(
            a,
            b,
            #[inline(always)]
            |a, b| self.0.div_f64s(a, b),
        )
    }

    #[inline(always)]
    fn min(self, a: Self::Eight, b: Self::Eight) -> Self::Eight {
        Self::zip(
            a,
            b,
            #[inline(always)]
            |a, b| self.0.min_f64s(a, b),
        )
    }

    #[inline(always)]
    fn max(self, a: Self::Eight, b: Self::Eight) -> Self::Eight {
        Self::zip(
            a,
            b,
            #[inline(always)]
            |a, b| self.0.max_f64s(a, b),
        )
    }

    #[inline(always)]
    fn sqrt(self, a: Self::Eight) -> Self::Eight {
        Self::zip(
            a,
            a,
            #[inline(always)]
            |a, _| self.0.sqrt_f64s(a),
        )
    }

    #[inline(always)]
    fn mul_add(self, a: Self::Eight, b: Self::Eight, c: Self::Eight) -> Self::Eight {
        let mut result = c;
        for k in 0..P {
            result[k] = self.0.mul_add_f64s(a[k], b[k], c[k]);
        }
        result
    }

    #[inline(always)]
    fn all_below(self, a: Self::Eight, limit: f64) -> bool {
        let mut most = a[0];
        for k in 1..P {
            most = self.0.max_f64s(most, a[k]);
        }
        // The first lane that reaches it is none of those that there are.
        let reached = self.0.greater_than_or_equal_f64s(most, self.0.splat_f64s(limit));
        self.0.first_true_m64s(reached) >= S::F64_LANES
    }

    #[inline(always)]
    fn sum(self, a: Self::Eight) -> f64 {
        let (mut parts, mut n) = (a, P);
        while n > 1 {
            n /= 2;
            for k in 0..n {
                parts[k] = self.0.add_f64s(parts[k], parts[k + n]);
            }
        }
        self.0.reduce_sum_f64s(parts[0])
    }

    #[inline(always)]
    fn turn(self, rows: [&[f64; LANES]; LANES]) -> [[f64; LANES]; LANES] {
        #[cfg(target_arch = "x86_64")]
        if P == 1
            && let Some(unit) = pulp::x86::V4::try_new()
        {
            return turn_in_registers(unit, rows);
        }
        let mut columns = [[0.0; LANES]; LANES];
        for (lane, row) in rows.iter().enumerate() {
            for j in 0..LANES {
                columns[j][lane] = row[j];
            }
        }
        columns
    }
}

/// A square turned over by 24 shuffles: compilers scatter, which takes several times as long.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn turn_in_registers(unit: pulp::x86::V4, rows: [&[f64; LANES]; LANES]) -> [[f64; LANES]; LANES] {
    use std::arch::x86_64::__m512d;
    let avx = unit.avx512f;
    let row = |lane: usize| -> __m512d { bytemuck::cast(*rows[lane]) };
    let [mut even, mut odd] = [[row(0); 4]; 2];
    for k in 0..4 {
        // Places 0, 2, 4, 6 of two rows, interleaved, and places 1, 3, 5, 7.
        even[k] = avx._mm512_unpacklo_pd(row(2 * k), row(2 * k + 1));
        odd[k] = avx._mm512_unpackhi_pd(row(2 * k), row(2 * k + 1));
    }
    let mut columns = [[0.0; LANES]; LANES];
    for (parity, [a, b, c, d]) in [even, odd].into_iter().enumerate() {
        // A four-by-four square of pairs.
        let near = [avx._mm512_shuffle_f64x2::<0x44>(a, b), avx._mm512_shuffle_f64x2::<0x44>(c, d)];
        let far = [avx._mm512_shuffle_f64x2::<0xEE>(a, b), avx._mm512_shuffle_f64x2::<0xEE>(c, d)];
        columns[parity] = bytemuck::cast(avx._mm512_shuffle_f64x2::<0x88>(near[0], near[1]));
        columns[parity + 2] = bytemuck::cast(avx._mm512_shuffle_f64x2::<0xDD>(near[0], near[1]));
        columns[parity + 4] = bytemuck::cast(avx._mm512_shuffle_f64x2::<0x88>(far[0], far[1]));
        columns[parity + 6] = bytemuck::cast(avx._mm512_shuffle_f64x2::<0xDD>(far[0], far[1]));
    }
    columns
}

/// [`Lanes`] in the registers of a unit, with operations to read like formulas.
#[derive(Clone, Copy)]
pub(crate) struct Vector<S: Unit> {
    unit: S,
    eight: S::Eight,
}

impl<S: Unit> Vector<S> {
    #[inline(always)]
    pub(crate) fn splat(unit: S, value: f64) -> Self {
        Self { unit, eight: unit.splat(value) }
    }

    #[inline(always)]
    pub(crate) fn load(unit: S, lanes: &Lanes) -> Self {
        Self { unit, eight: unit.load(lanes) }
    }

    #[inline(always)]
    pub(crate) fn store(self, lanes: &mut Lanes) {
        self.unit.store(self.eight, lanes);
    }

    #[inline(always)]
    pub(crate) fn lanes(self) -> Lanes {
        let mut lanes = Lanes::ZERO;
        self.store(&mut lanes);
        lanes
    }

    #[inline(always)]
    pub(crate) fn sub(self, other: Self) -> Self {
        Self { eight: self.unit.sub(self.eight, other.eight), ..self }
    }

    #[inline(always)]
    pub(crate) fn mul(self, other: Self) -> Self {
        Self { eight: self.unit.mul(self.eight, other.eight), ..self }
    }

    #[inline(always)]
    pub(crate) fn div(self, other: Self) -> Self {
        Self { eight: self.unit.div(self.eight, other.eight), ..self }
    }

    #[inline(always)]
    pub(crate) fn min(self, other: Self) -> Self {
        Self { eight: self.unit.min(self.eight, other.eight), ..self }
    }

    #[inline(always)]
    pub(crate) fn max(self, other: Self) -> Self {
        Self { eight: self.unit.max(self.eight, other.eight), ..self }
    }

    #[inline(always)]
    pub(crate) fn sqrt(self) -> Self {
        Self { eight: self.unit.sqrt(self.eight), ..self }
    }

    /// self·a + b, rounded once.
    #[inline(always)]
    pub(crate) fn mul_add(self, a: Self, b: Self) -> Self {
        Self { eight: self.unit.mul_add(self.eight, a.eight, b.eight), ..self }
    }

    /// Whether no lane reaches a limit.
    #[inline(always)]
    pub(crate) fn all_below(self, limit: f64) -> bool {
        self.unit.all_below(self.eight, limit)
    }

    /// The lanes added as a tree.
    #[inline(always)]
    pub(crate) fn sum(self) -> f64 {
        self.unit.sum(self.eight)
    }
}

/// One feature of the eight arms of a tile, as it is stored.
pub(crate) trait Tile: Copy + Default + Send + Sync {
    fn vector<S: Unit>(&self, simd: S) -> Vector<S>;
    fn of(values: [f64; LANES]) -> Self;
}

impl Tile for Lanes {
    #[inline(always)]
    fn vector<S: Unit>(&self, simd: S) -> Vector<S> {
        Vector::load(simd, self)
    }

    #[inline(always)]
    fn of(values: [f64; LANES]) -> Self {
        Self(values)
    }
}

/// [`Lanes`] in half the memory.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(32))]
pub(crate) struct Narrow([f32; LANES]);

impl Tile for Narrow {
    #[inline(always)]
    fn vector<S: Unit>(&self, simd: S) -> Vector<S> {
        let mut lanes = Lanes::ZERO;
        for lane in 0..LANES {
            lanes[lane] = f64::from(self.0[lane]);
        }
        Vector::load(simd, &lanes)
    }

    #[inline(always)]
    fn of(values: [f64; LANES]) -> Self {
        Self(values.map(|value| value as f32))
    }
}

/// The number of blocks that hold d places.
pub(crate) const fn blocks(dim: usize) -> usize {
    dim.div_ceil(LANES)
}

/// A vector in blocks, filled up with zeros.
pub(crate) fn padded(values: &[f64]) -> Vec<Lanes> {
    let mut vector = vec![Lanes::ZERO; blocks(values.len())];
    fill(&mut vector, values);
    vector
}

/// Writes the first places of a vector in blocks.
#[inline(always)]
pub(crate) fn fill(vector: &mut [Lanes], values: &[f64]) {
    for (block, values) in vector.iter_mut().zip(values.chunks(LANES)) {
        block[..values.len()].copy_from_slice(values);
    }
}

/// The places of a vector in blocks, one after the other.
pub(crate) fn places(vector: &[Lanes]) -> impl Iterator<Item = f64> + Clone + '_ {
    (0..vector.len() * LANES).map(|j| vector[j / LANES][j % LANES])
}

/// ‖a‖, of a slice of any length: lane j sums the entries j, j + 8, …, without fused operations, so that it may be called
/// from anywhere.
pub(crate) fn norm(a: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    for a in a.chunks(LANES) {
        for (lane, a) in lanes.iter_mut().zip(a) {
            *lane += a * a;
        }
    }
    let quarter: [f64; 4] = std::array::from_fn(|j| lanes[j] + lanes[j + 4]);
    let half: [f64; 2] = std::array::from_fn(|j| quarter[j] + quarter[j + 2]);
    (half[0] + half[1]).sqrt()
}

/// aᵀb: lane j sums the places j, j + 8, …; then the lanes are added as a tree.
#[inline(always)]
pub(crate) fn dot<S: Unit>(simd: S, a: &[Lanes], b: &[Lanes]) -> f64 {
    debug_assert_eq!(a.len(), b.len());
    let mut sum = Vector::splat(simd, 0.0);
    for (a, b) in a.iter().zip(b) {
        sum = Vector::load(simd, a).mul_add(Vector::load(simd, b), sum);
    }
    sum.sum()
}

/// rᵀx for N rows at once, each with the bits of [`dot`].
#[inline(always)]
pub(crate) fn dots<S: Unit, const N: usize>(simd: S, rows: [&[Lanes]; N], x: &[Lanes]) -> [f64; N] {
    let mut sums = [Vector::splat(simd, 0.0); N];
    for j in 0..x.len() {
        let x = Vector::load(simd, &x[j]);
        for n in 0..N {
            sums[n] = Vector::load(simd, &rows[n][j]).mul_add(x, sums[n]);
        }
    }
    let mut totals = [0.0; N];
    for n in 0..N {
        totals[n] = sums[n].sum();
    }
    totals
}

/// y ← y + a·x.
#[inline(always)]
pub(crate) fn axpy<S: Unit>(simd: S, y: &mut [Lanes], a: f64, x: &[Lanes]) {
    debug_assert_eq!(y.len(), x.len());
    let a = Vector::splat(simd, a);
    for (y, x) in y.iter_mut().zip(x) {
        a.mul_add(Vector::load(simd, x), Vector::load(simd, y)).store(y);
    }
}

/// y ← a·y.
#[inline(always)]
pub(crate) fn scale<S: Unit>(simd: S, y: &mut [Lanes], a: f64) {
    let a = Vector::splat(simd, a);
    for y in y {
        a.mul(Vector::load(simd, y)).store(y);
    }
}

/// start + Σ aₖ·rowₖ into `out`, for rows of `out.len()` blocks each. `first` says from which row on a block is not zero;
/// the sums of a few blocks stay in registers while the rows go by.
#[inline(always)]
pub(crate) fn combine<S: Unit>(
    simd: S,
    rows: &[Lanes],
    a: &[f64],
    first: impl Fn(usize) -> usize,
    out: &mut [Lanes],
) {
    let mut start = 0;
    while start < out.len() {
        let row = first(start);
        start += match out.len() - start {
            1 => combine_blocks::<S, 1>(simd, rows, a, row, start, out),
            2 => combine_blocks::<S, 2>(simd, rows, a, row, start, out),
            3 => combine_blocks::<S, 3>(simd, rows, a, row, start, out),
            _ => combine_blocks::<S, 4>(simd, rows, a, row, start, out),
        };
    }
}

#[inline(always)]
fn combine_blocks<S: Unit, const N: usize>(
    simd: S,
    rows: &[Lanes],
    a: &[f64],
    first: usize,
    start: usize,
    out: &mut [Lanes],
) -> usize {
    let mut sums = [Vector::splat(simd, 0.0); N];
    for (row, a) in rows.chunks_exact(out.len()).zip(a).skip(first) {
        let row: &[Lanes; N] = row[start..start + N].try_into().expect("N blocks");
        let a = Vector::splat(simd, *a);
        for n in 0..N {
            sums[n] = a.mul_add(Vector::load(simd, &row[n]), sums[n]);
        }
    }
    for n in 0..N {
        sums[n].store(&mut out[start + n]);
    }
    N
}

/// Tiles side by side in a group, so that they are read as one stream and enough sums are in flight at once.
pub(crate) const GROUP: usize = 4;

/// The products of T tiles with N vectors; `tiles[j]` holds feature j of each arm of each tile, `factors[j]` that of each
/// vector. Every product is one sum over the features in their order, whatever is computed beside it.
#[inline(always)]
pub(crate) fn products<S: Unit, X: Tile, const N: usize, const T: usize>(
    simd: S,
    tiles: &[[X; T]],
    factors: &[[f64; N]],
) -> [[Vector<S>; N]; T] {
    let mut sums = [[Vector::splat(simd, 0.0); N]; T];
    for (tiles, factors) in tiles.iter().zip(factors) {
        let mut x = [Vector::splat(simd, 0.0); T];
        for k in 0..T {
            x[k] = tiles[k].vector(simd);
        }
        for n in 0..N {
            let factor = Vector::splat(simd, factors[n]);
            for k in 0..T {
                sums[k][n] = factor.mul_add(x[k], sums[k][n]);
            }
        }
    }
    sums
}

/// The products of every tile with some vectors, handed to `each` tile by tile. Whole groups of tiles come first, then
/// single ones; `factors` holds the vectors feature by feature.
#[inline(always)]
pub(crate) fn tile_dots<S: Unit, X: Tile>(
    simd: S,
    tiles: &[X],
    dim: usize,
    factors: &[f64],
    each: impl FnMut(usize, &[Lanes]),
) {
    match factors.len() / dim {
        1 => group_dots::<S, X, 1>(simd, tiles, dim, factors, each),
        2 => group_dots::<S, X, 2>(simd, tiles, dim, factors, each),
        3 => group_dots::<S, X, 3>(simd, tiles, dim, factors, each),
        4 => group_dots::<S, X, 4>(simd, tiles, dim, factors, each),
        5 => group_dots::<S, X, 5>(simd, tiles, dim, factors, each),
        6 => group_dots::<S, X, 6>(simd, tiles, dim, factors, each),
        n => many_dots(simd, n, tiles, dim, factors, each),
    }
}

#[inline(always)]
fn group_dots<S: Unit, X: Tile, const N: usize>(
    simd: S,
    tiles: &[X],
    dim: usize,
    factors: &[f64],
    mut each: impl FnMut(usize, &[Lanes]),
) {
    let factors = factors.as_chunks::<N>().0;
    let mut groups = tiles.chunks_exact(GROUP * dim);
    let (mut next, mut lanes) = (0, [Lanes::ZERO; N]);
    for group in groups.by_ref() {
        let sums = products::<S, X, N, GROUP>(simd, group.as_chunks().0, factors);
        for k in 0..GROUP {
            for n in 0..N {
                sums[k][n].store(&mut lanes[n]);
            }
            each(next, &lanes);
            next += 1;
        }
    }
    for tile in groups.remainder().chunks_exact(dim) {
        let [sums] = products::<S, X, N, 1>(simd, tile.as_chunks().0, factors);
        for n in 0..N {
            sums[n].store(&mut lanes[n]);
        }
        each(next, &lanes);
        next += 1;
    }
}

/// Any number of vectors, one after the other.
#[inline(always)]
fn many_dots<S: Unit, X: Tile>(
    simd: S,
    n: usize,
    tiles: &[X],
    dim: usize,
    factors: &[f64],
    mut each: impl FnMut(usize, &[Lanes]),
) {
    // More than that takes memory for every call.
    let (mut few, mut many) = ([Lanes::ZERO; 64], Vec::new());
    let sums = if n <= few.len() {
        &mut few[..n]
    } else {
        many.resize(n, Lanes::ZERO);
        &mut many[..]
    };
    let n_tiles = tiles.len() / dim;
    for tile in 0..n_tiles {
        sums.fill(Lanes::ZERO);
        for (j, factors) in factors.chunks_exact(n).enumerate() {
            let x = tiles[place(tile, j, n_tiles, dim)].vector(simd);
            for (sum, factor) in sums.iter_mut().zip(factors) {
                Vector::splat(simd, *factor).mul_add(x, Vector::load(simd, sum)).store(sum);
            }
        }
        each(tile, sums);
    }
}

/// Where feature j of a tile is, among tiles in groups.
#[inline(always)]
pub(crate) fn place(tile: usize, j: usize, n_tiles: usize, dim: usize) -> usize {
    let grouped = n_tiles / GROUP * GROUP;
    if tile < grouped { (tile / GROUP * dim + j) * GROUP + tile % GROUP } else { tile * dim + j }
}

/// Rows that tiles are multiplied with, laid out four at a time and feature by feature, so that four sums share what
/// they load.
#[derive(Debug, Clone, Default)]
pub(crate) struct Panels {
    n_rows: usize,
    dim: usize,
    /// Whether row i has entries up to feature i only.
    triangular: bool,
    data: Vec<f64>,
}

/// Rows in a panel.
const PANEL: usize = 4;

impl Panels {
    /// Takes the rows of a matrix; `entry(i, j)` is only asked for where there is one.
    pub(crate) fn refill(
        &mut self,
        n_rows: usize,
        dim: usize,
        triangular: bool,
        entry: impl Fn(usize, usize) -> f64,
    ) {
        (self.n_rows, self.dim, self.triangular) = (n_rows, dim, triangular);
        self.data.clear();
        for first in (0..n_rows).step_by(PANEL) {
            let n = PANEL.min(n_rows - first);
            for j in 0..self.length(first, n) {
                let of_row = |i: usize| if triangular && j > i { 0.0 } else { entry(i, j) };
                self.data.extend((first..first + n).map(of_row));
            }
        }
    }

    /// Up to which feature a panel goes.
    #[inline(always)]
    fn length(&self, first: usize, n: usize) -> usize {
        if self.triangular { first + n } else { self.dim }
    }

    /// The products of T tiles with every row, in order.
    #[inline(always)]
    pub(crate) fn multiply<S: Unit, X: Tile, const T: usize>(
        &self,
        simd: S,
        tiles: &[[X; T]],
        mut each: impl FnMut(usize, [Vector<S>; T]),
    ) {
        let (mut first, mut data) = (0, &self.data[..]);
        while first < self.n_rows {
            let n = PANEL.min(self.n_rows - first);
            let (panel, rest) = data.split_at(n * self.length(first, n));
            match n {
                1 => panel_products::<S, X, 1, T>(simd, tiles, panel, first, &mut each),
                2 => panel_products::<S, X, 2, T>(simd, tiles, panel, first, &mut each),
                3 => panel_products::<S, X, 3, T>(simd, tiles, panel, first, &mut each),
                _ => panel_products::<S, X, PANEL, T>(simd, tiles, panel, first, &mut each),
            }
            (first, data) = (first + n, rest);
        }
    }
}

#[inline(always)]
fn panel_products<S: Unit, X: Tile, const N: usize, const T: usize>(
    simd: S,
    tiles: &[[X; T]],
    panel: &[f64],
    first: usize,
    each: &mut impl FnMut(usize, [Vector<S>; T]),
) {
    let sums = products::<S, X, N, T>(simd, tiles, panel.as_chunks::<N>().0);
    for n in 0..N {
        each(
            first + n,
            std::array::from_fn(
                #[inline(always)]
                |k| sums[k][n],
            ),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The unit that every machine has.
    const PLAIN: Registers<pulp::Scalar, LANES> = Registers(pulp::Scalar);

    fn dispatched_dot(a: &[Lanes], b: &[Lanes]) -> f64 {
        vectorized!({ a: &'a [Lanes] = a, b: &'a [Lanes] = b }, f64, |simd| dot(simd, a, b))
    }

    #[test]
    fn rows_are_turned_into_columns() {
        fn check<S: Unit>(simd: S) {
            let rows: [[f64; LANES]; LANES] =
                std::array::from_fn(|i| std::array::from_fn(|j| (10 * i + j) as f64));
            let columns = simd.turn(rows.each_ref());
            for i in 0..LANES {
                (0..LANES).for_each(|j| assert_eq!(columns[j][i], rows[i][j], "row {i}, place {j}"));
            }
        }
        check(PLAIN);
        struct Here;
        impl Job for Here {
            type Output = ();
            fn run<S: Unit>(self, simd: S) {
                check(simd);
            }
        }
        dispatch(Here);
    }

    #[test]
    fn no_lane_reaches_a_limit_or_some_lane_does() {
        fn check<S: Unit>(simd: S) {
            for lane in 0..LANES {
                let mut lanes = Lanes([-1.0; LANES]);
                assert!(Vector::load(simd, &lanes).all_below(0.0));
                lanes[lane] = 0.0;
                assert!(!Vector::load(simd, &lanes).all_below(0.0), "lane {lane}");
                lanes[lane] = f64::NEG_INFINITY;
                assert!(Vector::load(simd, &lanes).all_below(-0.5));
            }
        }
        check(PLAIN);
        struct Here;
        impl Job for Here {
            type Output = ();
            fn run<S: Unit>(self, simd: S) {
                check(simd);
            }
        }
        dispatch(Here);
    }

    #[test]
    fn a_dot_product_has_one_order_of_summation() {
        // Values whose sum depends on the order: pinned so that no rewrite changes the bits.
        let a: Vec<f64> = (0..19).map(|i| 1.0 / f64::from(i * i + 1)).collect();
        let b: Vec<f64> = (0..19).map(|i| f64::from(i) - 7.3).collect();
        let mut lanes = [0.0; 8];
        for i in 0..19 {
            lanes[i % 8] = a[i].mul_add(b[i], lanes[i % 8]);
        }
        let tree =
            ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
        assert_eq!(dispatched_dot(&padded(&a), &padded(&b)).to_bits(), tree.to_bits());
        assert_eq!(dot(PLAIN, &padded(&a), &padded(&b)).to_bits(), tree.to_bits());
        assert_eq!(dot(PLAIN, &[], &[]), 0.0);
    }

    /// The widest vector unit of the machine, several tiles and vectors at once, against one plain sum at a time.
    #[test]
    fn wider_vectors_give_the_same_bits() {
        let mut rng = crate::draw::seeded(3);
        for (dim, n_tiles, n_vectors) in [(1, 1, 1), (10, 5, 1), (7, 9, 3), (33, 13, 6), (5, 3, 9)] {
            let mut numbers = |n: usize| (0..n).map(|_| crate::draw::normal(&mut rng)).collect::<Vec<f64>>();
            let tiles = padded(&numbers(n_tiles * dim * LANES));
            let factors = numbers(dim * n_vectors);
            let plain = |tile: usize, vector: usize, lane: usize| {
                (0..dim).fold(0.0_f64, |sum, j| {
                    factors[j * n_vectors + vector].mul_add(tiles[place(tile, j, n_tiles, dim)][lane], sum)
                })
            };
            let mut panels = Panels::default();
            panels.refill(n_vectors, dim, false, |i, j| factors[j * n_vectors + i]);
            let [wide, narrow] = [true, false].map(|wide| {
                let (mut dots, mut rows) = (Vec::new(), vec![Lanes::ZERO; n_tiles * n_vectors]);
                let work = Products {
                    tiles: &tiles,
                    dim,
                    factors: &factors,
                    panels: &panels,
                    dots: &mut dots,
                    rows: &mut rows,
                };
                if wide {
                    dispatch(work)
                } else {
                    work.run(PLAIN)
                }
                assert_eq!(dots, rows);
                dots
            });
            assert_eq!(wide, narrow);
            for (at, products) in wide.iter().enumerate() {
                for lane in 0..LANES {
                    let plain = plain(at / n_vectors, at % n_vectors, lane);
                    assert_eq!(products[lane].to_bits(), plain.to_bits());
                }
            }
            let (a, b) = (padded(&numbers(dim)), padded(&numbers(dim)));
            assert_eq!(dot(PLAIN, &a, &b).to_bits(), dispatched_dot(&a, &b).to_bits());
        }
    }

    /// All products in two ways.
    struct Products<'a> {
        tiles: &'a [Lanes],
        dim: usize,
        factors: &'a [f64],
        panels: &'a Panels,
        dots: &'a mut Vec<Lanes>,
        rows: &'a mut [Lanes],
    }

    impl Job for Products<'_> {
        type Output = ();

        #[inline(always)]
        fn run<S: Unit>(self, simd: S) {
            let Self { tiles, dim, factors, panels, dots, rows } = self;
            let n_vectors = factors.len() / dim;
            tile_dots(simd, tiles, dim, factors, |_, sums| dots.extend_from_slice(sums));
            let (n_tiles, n) = (tiles.len() / dim, n_vectors);
            let mut groups = tiles.chunks_exact(GROUP * dim);
            for (group, tiles) in groups.by_ref().enumerate() {
                let mut store = |i: usize, sums: [Vector<S>; GROUP]| {
                    (0..GROUP).for_each(|k| sums[k].store(&mut rows[(group * GROUP + k) * n + i]));
                };
                panels.multiply(simd, tiles.as_chunks().0, &mut store);
            }
            for (tile, rows) in groups
                .remainder()
                .chunks_exact(dim)
                .zip(rows[n_tiles / GROUP * GROUP * n..].chunks_exact_mut(n))
            {
                panels.multiply(simd, tile.as_chunks().0, |i, [sum]| sum.store(&mut rows[i]));
            }
        }
    }

    /// Σ aₖ·rowₖ over the rows of a triangular matrix, against a sum over all of them.
    #[test]
    fn combining_skips_only_zeros() {
        for dim in [1, 8, 9, 33, 70] {
            let stride = blocks(dim);
            let mut rows = vec![Lanes::ZERO; dim * stride];
            for i in 0..dim {
                (0..=i).for_each(|j| rows[i * stride + j / LANES][j % LANES] = 1.0 / (i + j + 1) as f64);
            }
            let a: Vec<f64> = (0..dim).map(|k| k as f64 - 3.5).collect();
            let mut out = vec![Lanes::ZERO; stride];
            combine(PLAIN, &rows, &a, |block| block * LANES, &mut out);
            for (j, got) in places(&out).take(dim).enumerate() {
                let plain = (0..dim).fold(0.0_f64, |sum, k| {
                    a[k].mul_add(if j <= k { 1.0 / (k + j + 1) as f64 } else { 0.0 }, sum)
                });
                assert_eq!(got, plain, "d = {dim}, place {j}");
            }
        }
    }
}
