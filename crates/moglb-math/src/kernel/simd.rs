//! Eight lanes on any vector unit, and the dispatch to the widest unit of the machine.

use super::{LANES, Lanes};
use pulp::Simd;

/// A computation that is compiled for every vector unit.
pub trait Job {
    type Output;

    /// Runs the computation on the vector unit `simd`.
    fn run<S: Unit>(self, simd: S) -> Self::Output;
}

/// Runs a computation in the version that is compiled for the widest vector unit of the machine.
#[inline]
pub fn dispatch<J: Job>(job: J) -> J::Output {
    pulp::Arch::new().dispatch(OnAnyUnit(job))
}

/// Runs plain loops compiled for the widest vector unit of the machine. The compiler decides what it
/// vectorizes.
#[inline]
pub fn widened<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}

/// Returns true if one register of this machine holds eight lanes.
#[inline]
pub fn is_wide() -> bool {
    #[cfg(target_arch = "x86_64")]
    return pulp::x86::V4::try_new().is_some();
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Runs a [`Job`] that is written in place. Its inputs are listed with their types, since a computation for
/// any unit cannot be a closure.
#[doc(hidden)]
#[macro_export]
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
pub use vectorized;

/// Connects a [`Job`] to `pulp`, which passes the unit of the machine.
struct OnAnyUnit<J>(J);

impl<J: Job> pulp::WithSimd for OnAnyUnit<J> {
    type Output = J::Output;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> J::Output {
        match S::F64_LANES {
            8 => self.0.run(Registers::<S, 1>(simd)),
            4 => self.0.run(Registers::<S, 2>(simd)),
            2 => self.0.run(Registers::<S, 4>(simd)),
            _ => self.0.run(Plain),
        }
    }
}

/// A vector unit: the few operations on [`Lanes`] that are needed here.
pub trait Unit: Copy {
    /// The type of [`Lanes`] in registers.
    type Eight: Copy;
    /// True if one register holds all lanes.
    const IS_WIDE: bool = false;

    fn splat(self, value: f64) -> Self::Eight;
    fn load(self, lanes: &Lanes) -> Self::Eight;
    fn store(self, a: Self::Eight, lanes: &mut Lanes);
    fn add(self, a: Self::Eight, b: Self::Eight) -> Self::Eight;
    fn sub(self, a: Self::Eight, b: Self::Eight) -> Self::Eight;
    fn mul(self, a: Self::Eight, b: Self::Eight) -> Self::Eight;
    fn div(self, a: Self::Eight, b: Self::Eight) -> Self::Eight;
    fn min(self, a: Self::Eight, b: Self::Eight) -> Self::Eight;
    fn max(self, a: Self::Eight, b: Self::Eight) -> Self::Eight;
    fn sqrt(self, a: Self::Eight) -> Self::Eight;
    /// a·b + c, rounded once.
    fn mul_add(self, a: Self::Eight, b: Self::Eight, c: Self::Eight) -> Self::Eight;
    /// Returns true if no lane reaches a limit.
    fn all_below(self, a: Self::Eight, limit: f64) -> bool;
    /// One bit for each lane that reaches a limit; the lowest bit is that of the first lane.
    fn reached(self, a: Self::Eight, limit: f64) -> u64;
    /// The sum of the lanes, added as a tree.
    fn sum(self, a: Self::Eight) -> f64;
    /// The largest lane.
    fn largest(self, a: Self::Eight) -> f64;
    /// Transposes eight rows of eight.
    fn turn(self, rows: [&[f64; LANES]; LANES]) -> [[f64; LANES]; LANES];
    /// Transposes eight rows of four.
    fn turn_fours(self, rows: [&[f64; 4]; LANES]) -> [[f64; LANES]; 4];
    /// Transposes eight rows of two.
    fn turn_pairs(self, rows: [&[f64; 2]; LANES]) -> [[f64; LANES]; 2];
}

/// A unit that holds eight lanes in P registers.
#[derive(Clone, Copy)]
struct Registers<S, const P: usize>(S);

impl<S: Simd, const P: usize> Registers<S, P> {
    /// Applies an operation to each pair of registers.
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

/// Implements operations on two vectors by their names in `pulp`.
macro_rules! each_lane {
    ($($name:ident = $operation:ident),*) => {$(
        #[inline(always)]
        fn $name(self, a: Self::Eight, b: Self::Eight) -> Self::Eight {
            Self::zip(
                a,
                b,
                #[inline(always)]
                |a, b| self.0.$operation(a, b),
            )
        }
    )*};
}

impl<S: Simd, const P: usize> Unit for Registers<S, P> {
    type Eight = [S::f64s; P];
    const IS_WIDE: bool = P == 1;

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

    each_lane!(
        add = add_f64s,
        sub = sub_f64s,
        mul = mul_f64s,
        div = div_f64s,
        min = min_f64s,
        max = max_f64s
    );

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
        // If no lane reaches the limit, the index of the first lane that does is beyond the last lane.
        let reached = self.0.greater_than_or_equal_f64s(most, self.0.splat_f64s(limit));
        self.0.first_true_m64s(reached) >= S::F64_LANES
    }

    #[inline(always)]
    fn reached(self, a: Self::Eight, limit: f64) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if let Some(unit) = wide(self.0) {
            let avx = unit.avx512f;
            let (a, limit) = (bytemuck::cast(a[0]), avx._mm512_set1_pd(limit));
            return u64::from(avx._mm512_cmp_pd_mask::<{ std::arch::x86_64::_CMP_GE_OQ }>(a, limit));
        }
        const BITS: Lanes = Lanes([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0]);
        let (mut bits, limit) = (self.load(&BITS), self.0.splat_f64s(limit));
        for k in 0..P {
            let reached = self.0.greater_than_or_equal_f64s(a[k], limit);
            bits[k] = self.0.select_f64s(reached, bits[k], self.0.splat_f64s(0.0));
        }
        self.sum(bits) as u64
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
    fn largest(self, a: Self::Eight) -> f64 {
        let mut most = a[0];
        for k in 1..P {
            most = self.0.max_f64s(most, a[k]);
        }
        self.0.reduce_max_f64s(most)
    }

    #[inline(always)]
    fn turn(self, rows: [&[f64; LANES]; LANES]) -> [[f64; LANES]; LANES] {
        #[cfg(target_arch = "x86_64")]
        if let Some(unit) = wide(self.0) {
            return turn_in_registers(unit, rows);
        }
        turned(rows)
    }

    #[inline(always)]
    fn turn_fours(self, rows: [&[f64; 4]; LANES]) -> [[f64; LANES]; 4] {
        #[cfg(target_arch = "x86_64")]
        if let Some(unit) = wide(self.0) {
            return turn_fours_in_registers(unit, rows);
        }
        turned(rows)
    }

    #[inline(always)]
    fn turn_pairs(self, rows: [&[f64; 2]; LANES]) -> [[f64; LANES]; 2] {
        #[cfg(target_arch = "x86_64")]
        if let Some(unit) = wide(self.0) {
            return turn_pairs_in_registers(unit, rows);
        }
        turned(rows)
    }
}

/// Eight lanes without a vector unit, for machines that have no fused multiply-add either. It is then rounded
/// in software. Function calls instead of inlined copies of it keep the code and the compile time small.
#[derive(Clone, Copy)]
pub(super) struct Plain;

/// a·b + c in each lane, rounded once.
#[inline(never)]
fn fused(a: &[f64; LANES], b: &[f64; LANES], c: &[f64; LANES]) -> [f64; LANES] {
    std::array::from_fn(|k| a[k].mul_add(b[k], c[k]))
}

/// An operation on each pair of lanes.
#[inline(never)]
fn each(a: &[f64; LANES], b: &[f64; LANES], operation: fn(f64, f64) -> f64) -> [f64; LANES] {
    std::array::from_fn(|k| operation(a[k], b[k]))
}

impl Unit for Plain {
    type Eight = [f64; LANES];

    fn splat(self, value: f64) -> [f64; LANES] {
        [value; LANES]
    }

    fn load(self, lanes: &Lanes) -> [f64; LANES] {
        lanes.0
    }

    fn store(self, a: [f64; LANES], lanes: &mut Lanes) {
        lanes.0 = a;
    }

    fn add(self, a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
        each(&a, &b, |a, b| a + b)
    }

    fn sub(self, a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
        each(&a, &b, |a, b| a - b)
    }

    fn mul(self, a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
        each(&a, &b, |a, b| a * b)
    }

    fn div(self, a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
        each(&a, &b, |a, b| a / b)
    }

    fn min(self, a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
        each(&a, &b, f64::min)
    }

    fn max(self, a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
        each(&a, &b, f64::max)
    }

    fn sqrt(self, a: [f64; LANES]) -> [f64; LANES] {
        each(&a, &a, |a, _| a.sqrt())
    }

    fn mul_add(self, a: [f64; LANES], b: [f64; LANES], c: [f64; LANES]) -> [f64; LANES] {
        fused(&a, &b, &c)
    }

    fn all_below(self, a: [f64; LANES], limit: f64) -> bool {
        !a.iter().any(|&a| a >= limit)
    }

    fn reached(self, a: [f64; LANES], limit: f64) -> u64 {
        a.iter().rev().fold(0, |bits, &a| 2 * bits + u64::from(a >= limit))
    }

    fn sum(self, a: [f64; LANES]) -> f64 {
        ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]))
    }

    fn largest(self, a: [f64; LANES]) -> f64 {
        a.iter().fold(f64::NEG_INFINITY, |most, a| most.max(*a))
    }

    fn turn(self, rows: [&[f64; LANES]; LANES]) -> [[f64; LANES]; LANES] {
        turned(rows)
    }

    fn turn_fours(self, rows: [&[f64; 4]; LANES]) -> [[f64; LANES]; 4] {
        turned(rows)
    }

    fn turn_pairs(self, rows: [&[f64; 2]; LANES]) -> [[f64; LANES]; 2] {
        turned(rows)
    }
}

/// Transposes rows into columns, entry by entry.
#[inline(always)]
fn turned<const N: usize>(rows: [&[f64; N]; LANES]) -> [[f64; LANES]; N] {
    let mut columns = [[0.0; LANES]; N];
    for lane in 0..LANES {
        for j in 0..N {
            columns[j][lane] = rows[lane][j];
        }
    }
    columns
}

/// Returns the unit itself if it is that of AVX-512, which is known at compile time.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn wide<S: Simd>(simd: S) -> Option<pulp::x86::V4> {
    (&simd as &dyn std::any::Any).downcast_ref().copied()
}

/// Transposes a square by 16 shuffles.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn turn_in_registers(unit: pulp::x86::V4, rows: [&[f64; LANES]; LANES]) -> [[f64; LANES]; LANES] {
    let mut columns = [[0.0; LANES]; LANES];
    for half in 0..2 {
        let mut fours = [&[0.0; 4]; LANES];
        for row in 0..LANES {
            fours[row] = &rows[row].as_chunks().0[half];
        }
        let turned = turn_fours_in_registers(unit, fours);
        columns[4 * half..][..4].copy_from_slice(&turned);
    }
    columns
}

/// Transposes into four columns by eight shuffles. Half registers are combined as they are loaded: compilers
/// scatter instead, which takes several times as long.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn turn_fours_in_registers(unit: pulp::x86::V4, rows: [&[f64; 4]; LANES]) -> [[f64; LANES]; 4] {
    let avx = unit.avx512f;
    let first = bytemuck::cast([0_i64, 1, 8, 9, 4, 5, 12, 13]);
    let second = bytemuck::cast([2_i64, 3, 10, 11, 6, 7, 14, 15]);
    let mut columns = [[0.0; LANES]; 4];
    // The four entries of a row, and those of the fourth row after it.
    let mut pairs = [avx._mm512_setzero_pd(); 4];
    for lane in 0..4 {
        let four = |row: usize| bytemuck::cast(*rows[row]);
        pairs[lane] = avx._mm512_insertf64x4::<1>(avx._mm512_castpd256_pd512(four(lane)), four(lane + 4));
    }
    for parity in 0..2 {
        // Entries 0 and 2, or 1 and 3, of two rows, interleaved.
        let [a, b] = [[pairs[0], pairs[1]], [pairs[2], pairs[3]]].map(
            #[inline(always)]
            |[a, b]| match parity {
                0 => avx._mm512_unpacklo_pd(a, b),
                _ => avx._mm512_unpackhi_pd(a, b),
            },
        );
        columns[parity] = bytemuck::cast(avx._mm512_permutex2var_pd(a, first, b));
        columns[parity + 2] = bytemuck::cast(avx._mm512_permutex2var_pd(a, second, b));
    }
    columns
}

/// Transposes into two columns. Pairs are combined as they are loaded.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn turn_pairs_in_registers(unit: pulp::x86::V4, rows: [&[f64; 2]; LANES]) -> [[f64; LANES]; 2] {
    let (avx, narrow) = (unit.avx512f, unit.avx);
    // The pairs of the rows `first`, `first` + 2, + 4 and + 6.
    let four = |first: usize| {
        let pair = |row: usize| bytemuck::cast(*rows[first + row]);
        let two = |row: usize| {
            narrow._mm256_insertf128_pd::<1>(narrow._mm256_castpd128_pd256(pair(row)), pair(row + 2))
        };
        avx._mm512_insertf64x4::<1>(avx._mm512_castpd256_pd512(two(0)), two(4))
    };
    let (even, odd) = (four(0), four(1));
    [bytemuck::cast(avx._mm512_unpacklo_pd(even, odd)), bytemuck::cast(avx._mm512_unpackhi_pd(even, odd))]
}

/// [`Lanes`] in the registers of a unit, with operations that read like formulas.
#[derive(Clone, Copy)]
pub struct Vector<S: Unit> {
    unit: S,
    eight: S::Eight,
}

/// Forwards operations between two vectors to the unit.
macro_rules! of_two {
    ($($name:ident),*) => {$(
        // The names are those of the operators, but the traits are not implemented: a vector is a unit and a
        // register, and chains end in `min` and `max`.
        #[allow(clippy::should_implement_trait)]
        #[inline(always)]
        pub fn $name(self, other: Self) -> Self {
            Self { eight: self.unit.$name(self.eight, other.eight), ..self }
        }
    )*};
}

impl<S: Unit> Vector<S> {
    /// A vector with the same value in every lane.
    #[inline(always)]
    pub fn splat(unit: S, value: f64) -> Self {
        Self { unit, eight: unit.splat(value) }
    }

    /// Loads a block into registers.
    #[inline(always)]
    pub fn load(unit: S, lanes: &Lanes) -> Self {
        Self { unit, eight: unit.load(lanes) }
    }

    /// Stores the registers into a block.
    #[inline(always)]
    pub fn store(self, lanes: &mut Lanes) {
        self.unit.store(self.eight, lanes);
    }

    /// The lanes as a block in memory.
    #[inline(always)]
    pub fn lanes(self) -> Lanes {
        let mut lanes = Lanes::ZERO;
        self.store(&mut lanes);
        lanes
    }

    of_two!(add, sub, mul, div, min, max);

    /// The square root of each lane.
    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Self { eight: self.unit.sqrt(self.eight), ..self }
    }

    /// self·a + b, rounded once.
    #[inline(always)]
    pub fn mul_add(self, a: Self, b: Self) -> Self {
        Self { eight: self.unit.mul_add(self.eight, a.eight, b.eight), ..self }
    }

    /// Returns true if no lane reaches a limit.
    #[inline(always)]
    pub fn all_below(self, limit: f64) -> bool {
        self.unit.all_below(self.eight, limit)
    }

    /// One bit for each lane that reaches a limit; the lowest bit is that of the first lane.
    #[inline(always)]
    pub fn reached(self, limit: f64) -> u64 {
        self.unit.reached(self.eight, limit)
    }

    /// The sum of the lanes, added as a tree.
    #[inline(always)]
    pub fn sum(self) -> f64 {
        self.unit.sum(self.eight)
    }

    /// The largest lane. No lane may be NaN.
    #[inline(always)]
    pub fn largest(self) -> f64 {
        self.unit.largest(self.eight)
    }
}
