//! Arms and their contexts, checked once on entry (Assumption 2: ‖x‖ ≤ 1). In an arm set every −0.0 is 0.0.

mod checks;
pub mod sparse;
mod tiles;

pub use checks::NORM_SLACK;
pub use checks::Norms;
use checks::{
    TableScan, apply, check_context, check_length, check_norm, check_table, clear_signs, cleared, good,
};
use moglb_math::csr::{Csr, Numbers, SparseRow};
use moglb_math::kernel::{Lanes, norm, sparse_norm};
use moglb_math::{Error, Matrix};
use moglb_pareto::ArmId;
pub(crate) use tiles::MOST_SMALL_ARMS;

use sparse::{DenseRow, Sparse};
use std::borrow::Cow;
use tiles::Tiles;

/// An arm: its id and its context x, finite and of norm at most one.
///
/// Example: [`MoglbUcb`].
///
/// [`MoglbUcb`]: crate::MoglbUcb
#[derive(Debug, Clone, Copy)]
pub struct Arm<'a> {
    id: ArmId,
    context: Context<'a>,
}

/// A context as its arm set stores it.
#[derive(Debug, Clone, Copy)]
enum Context<'a> {
    Dense(&'a [f64]),
    /// With a place for the row with its zeros, filled when it is first requested.
    Sparse(SparseRow<'a>, &'a DenseRow),
}

impl<'a> Arm<'a> {
    /// Creates an arm outside of an arm set, for a context from a log or from a caller that kept only the
    /// context. The sign of a zero in it does not affect later decisions.
    ///
    /// # Errors
    ///
    /// [`Error::NoFeatures`], [`Error::NotFinite`] or [`Error::Norm`].
    pub fn new(id: ArmId, context: &'a [f64]) -> Result<Self, Error> {
        check_context(id.0, context)?;
        Ok(Self { id, context: Context::Dense(context) })
    }

    /// Returns this arm with another id. Used if a context was checked as an arm set of its own.
    #[must_use]
    pub fn renamed(self, id: ArmId) -> Self {
        Self { id, ..self }
    }

    /// Returns the arm's id.
    pub fn id(self) -> ArmId {
        self.id
    }

    /// Returns the arm's context x. A sparse context is written out with its zeros when it is first
    /// requested, and kept by its arm set; [`Arm::numbers`] avoids this.
    pub fn context(self) -> &'a [f64] {
        match self.context {
            Context::Dense(context) => context,
            Context::Sparse(row, dense) => dense.of(row),
        }
    }

    /// Returns the arm's context x as it is stored.
    pub fn numbers(self) -> Numbers<'a> {
        match self.context {
            Context::Dense(context) => context.into(),
            Context::Sparse(row, _) => row.into(),
        }
    }

    /// Returns the number of features d.
    pub fn dim(self) -> usize {
        self.numbers().len()
    }
}

/// Two arms are equal if they have the same id and the same context, regardless of storage.
impl PartialEq for Arm<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && self.numbers().to_dense() == other.numbers().to_dense()
    }
}

/// The number type in which a policy stores the contexts of a fixed arm set, for its passes over all of
/// them.
///
/// Example: [`ArmSet`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Storage {
    /// The given f64 values.
    #[default]
    F64,
    /// Values rounded to f32: half the memory and half the memory traffic. Decisions are the same, bit for
    /// bit. Scores of rounded contexts only reject arms; where they are too close to tell, the f64 contexts
    /// decide.
    F32,
}

/// The arms on offer: K contexts of d features.
///
/// One set may serve a whole run (the paper) or a single decision (contextual use).
///
/// ```
/// use moglb::{ArmSet, Norms};
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// assert_eq!((arms.n_arms(), arms.dim()), (2, 2));
/// assert!(ArmSet::from_rows(&[[3.0, 4.0]]).is_err());
/// let scaled = ArmSet::new(2, vec![3.0, 4.0], Norms::DivideBy(5.0))?;
/// assert_eq!(scaled.context(0), [0.6, 0.8]);
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ArmSet<'a> {
    /// The number of features d.
    dim: usize,
    contexts: Contexts<'a>,
    /// The contexts in tiles, if the set is small; they follow from `contexts`.
    tiles: Tiles,
    /// The number type for policies that fix these arms.
    storage: Storage,
}

#[derive(Debug, Clone, PartialEq)]
enum Contexts<'a> {
    Dense(Cow<'a, [f64]>),
    Sparse(Sparse),
}

impl<'a> ArmSet<'a> {
    /// Creates an arm set from contexts that lie end to end.
    ///
    /// # Errors
    ///
    /// [`Error::NoFeatures`], [`Error::Shape`], [`Error::NoArms`], [`Error::NotFinite`], [`Error::Scale`], or
    /// [`Error::Norm`] under [`Norms::Strict`] and [`Norms::DivideBy`].
    pub fn new(dim: usize, mut contexts: Vec<f64>, norms: Norms) -> Result<Self, Error> {
        if norms == Norms::Strict
            && let Some(seen) = good(dim, &contexts)
        {
            if seen.negative_zero {
                clear_signs(&mut contexts);
            }
            return Ok(Self::of(dim, Contexts::Dense(contexts.into())).laid_out());
        }
        check_table(dim, &contexts)?;
        contexts.chunks_exact_mut(dim).try_for_each(|context| apply(norms, context, norm))?;
        // After the norms: a division can underflow to −0.0.
        clear_signs(&mut contexts);
        Ok(Self::checked(dim, contexts.into())?.laid_out())
    }

    /// Creates a strict arm set that reads its contexts in place. It copies them only if there is a −0.0
    /// among them.
    ///
    /// ```
    /// let table = [0.6, 0.1, 0.2, 0.7];
    /// let arms = moglb::ArmSet::borrowed(2, &table)?;
    /// assert_eq!(arms.context(1), [0.2, 0.7]);
    /// # Ok::<(), moglb::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`ArmSet::new`].
    pub fn borrowed(dim: usize, contexts: &'a [f64]) -> Result<Self, Error> {
        match good(dim, contexts) {
            Some(TableScan { negative_zero: false, .. }) => {
                Ok(Self::of(dim, Contexts::Dense(contexts.into())))
            }
            Some(_) => Ok(Self::of(dim, Contexts::Dense(cleared(contexts)))),
            None => {
                check_table(dim, contexts)?;
                Self::checked(dim, cleared(contexts))
            }
        }
    }

    /// Creates a strict arm set from separate contexts.
    ///
    /// # Errors
    ///
    /// As [`ArmSet::new`], and [`Error::Ragged`].
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Result<Self, Error> {
        let table = Matrix::from_rows(rows)?;
        if table.n_rows() == 0 {
            return Err(Error::NoArms);
        }
        Self::new(table.n_cols(), table.into_vec(), Norms::Strict)
    }

    /// Refuses overlong contexts, of a table that is otherwise checked.
    fn checked(dim: usize, contexts: Cow<'a, [f64]>) -> Result<Self, Error> {
        for (index, context) in contexts.chunks_exact(dim).enumerate() {
            check_norm(index, context)?;
        }
        Ok(Self::of(dim, Contexts::Dense(contexts)))
    }

    /// An arm set of checked contexts.
    fn of(dim: usize, contexts: Contexts<'a>) -> Self {
        Self { dim, contexts, tiles: Tiles::default(), storage: Storage::F64 }
    }

    /// Adds the tiles if the set is small.
    fn laid_out(mut self) -> Self {
        if let (Contexts::Dense(contexts), None) = (&self.contexts, self.tiles.get()) {
            self.tiles = Tiles::of_few(self.dim, contexts);
        }
        self
    }

    /// Returns the tiles, if they were laid out: eight arms in each, feature by feature.
    #[inline(always)]
    pub(crate) fn tiles(&self) -> Option<&[Lanes]> {
        self.tiles.get()
    }

    /// Returns this arm set with contexts that it owns.
    pub fn into_owned(self) -> ArmSet<'static> {
        let contexts = match self.contexts {
            Contexts::Dense(contexts) => Contexts::Dense(Cow::Owned(contexts.into_owned())),
            Contexts::Sparse(contexts) => Contexts::Sparse(contexts),
        };
        ArmSet { dim: self.dim, contexts, tiles: self.tiles, storage: self.storage }.laid_out()
    }

    /// Returns this arm set with another storage for policies that fix it
    /// ([`Policy::fix_arms`](crate::Policy::fix_arms)).
    #[must_use]
    pub fn stored_as(self, storage: Storage) -> Self {
        Self { storage, ..self }
    }

    /// Returns the number type in which a policy stores the contexts.
    pub fn storage(&self) -> Storage {
        self.storage
    }

    /// Returns the number of arms K.
    pub fn n_arms(&self) -> usize {
        match &self.contexts {
            Contexts::Dense(contexts) => contexts.len() / self.dim,
            Contexts::Sparse(contexts) => contexts.table.n_rows(),
        }
    }

    /// Returns the number of features d.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Returns the context of the arm at a position. A sparse context is written out as by
    /// [`Arm::context`].
    ///
    /// # Panics
    ///
    /// If there is no such arm.
    #[inline]
    pub fn context(&self, index: usize) -> &[f64] {
        match &self.contexts {
            Contexts::Dense(contexts) => &contexts[index * self.dim..][..self.dim],
            Contexts::Sparse(contexts) => contexts.dense(index),
        }
    }

    /// Returns the contexts end to end; none if the set is sparse.
    #[inline(always)]
    pub(crate) fn end_to_end(&self) -> Option<&[f64]> {
        match &self.contexts {
            Contexts::Dense(contexts) => Some(contexts),
            Contexts::Sparse(_) => None,
        }
    }

    /// Returns the contexts of a sparse set.
    pub fn table(&self) -> Option<&Csr> {
        match &self.contexts {
            Contexts::Dense(_) => None,
            Contexts::Sparse(contexts) => Some(&contexts.table),
        }
    }

    /// Returns the arm with an id that came from a decision on this set.
    ///
    /// # Panics
    ///
    /// If there is no such arm. For ids from elsewhere use [`ArmSet::get`].
    pub fn arm(&self, id: ArmId) -> Arm<'_> {
        let context = match &self.contexts {
            Contexts::Dense(_) => Context::Dense(self.context(id.0)),
            Contexts::Sparse(contexts) => Context::Sparse(contexts.table.row(id.0), &contexts.dense[id.0]),
        };
        Arm { id, context }
    }

    /// Returns the arm with an id.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownArm`].
    pub fn get(&self, id: ArmId) -> Result<Arm<'_>, Error> {
        if id.0 < self.n_arms() {
            Ok(self.arm(id))
        } else {
            Err(Error::UnknownArm { arm: id.0, n_arms: self.n_arms() })
        }
    }

    /// Returns the arms in order.
    pub fn iter(&self) -> impl Iterator<Item = Arm<'_>> {
        (0..self.n_arms()).map(|index| self.arm(ArmId(index)))
    }
}

impl ArmSet<'static> {
    /// Creates an arm set from contexts that are mostly zeros. All decisions and learned states have the
    /// same bits as with the dense contexts.
    ///
    /// [`MoglbUcb`](crate::MoglbUcb), [`EkfUcb`](crate::EkfUcb) and [`MoglbEb`](crate::MoglbEb) read the
    /// stored entries. Other policies read a context with its zeros, which is made when it is first
    /// requested.
    ///
    /// ```
    /// use moglb::{ArmSet, Csr, Norms};
    /// let table = Csr::new(6, vec![0, 2, 4], vec![0, 2, 3, 5], vec![0.6, 0.8, 0.1, 0.2])?;
    /// let arms = ArmSet::sparse(table, Norms::Strict)?;
    /// assert_eq!((arms.n_arms(), arms.dim()), (2, 6));
    /// assert_eq!(arms.context(1), [0.0, 0.0, 0.0, 0.1, 0.0, 0.2]);
    /// # Ok::<(), moglb::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NoFeatures`], [`Error::NoArms`], [`Error::Scale`] or [`Error::Norm`], as [`ArmSet::new`].
    pub fn sparse(mut contexts: Csr, norms: Norms) -> Result<Self, Error> {
        if contexts.n_columns() == 0 {
            return Err(Error::NoFeatures);
        }
        if contexts.n_rows() == 0 {
            return Err(Error::NoArms);
        }
        contexts
            .change_rows(|columns, values| apply(norms, values, |values| sparse_norm(columns, values)))?;
        for (arm, row) in contexts.rows().enumerate() {
            check_length(arm, row.values(), sparse_norm(row.columns(), row.values()))?;
        }
        let dense = vec![DenseRow::default(); contexts.n_rows()];
        let dim = contexts.n_columns();
        Ok(Self::of(dim, Contexts::Sparse(Sparse { table: contexts, dense })))
    }
}

#[cfg(test)]
mod tests {
    use super::checks::{is_negative_zero, look};
    use super::*;

    #[test]
    fn bad_contexts_are_refused_with_their_values() {
        let set = |dim, data: &[f64]| ArmSet::new(dim, data.to_vec(), Norms::Strict);
        assert_eq!(set(0, &[]), Err(Error::NoFeatures));
        assert_eq!(set(2, &[]), Err(Error::NoArms));
        assert_eq!(set(2, &[0.1, 0.2, 0.3]), Err(Error::Shape { columns: 2, got: 3 }));
        assert_eq!(set(2, &[0.0, 0.0, 3.0, 4.0]), Err(Error::Norm { arm: 1, norm: 5.0 }));
        assert!(matches!(set(1, &[f64::NAN]), Err(Error::NotFinite { index: 0, .. })));
        assert!(matches!(set(1, &[0.5, f64::INFINITY]), Err(Error::NotFinite { index: 1, .. })));
        let overflowing = set(1, &[1e300]);
        assert!(matches!(overflowing, Err(Error::Norm { arm: 0, norm }) if norm > 1.0), "{overflowing:?}");
        let none: [[f64; 2]; 0] = [];
        assert_eq!(ArmSet::from_rows(&none), Err(Error::NoArms));
        assert_eq!(ArmSet::from_rows(&[vec![]]), Err(Error::NoFeatures));
        let ragged = ArmSet::from_rows(&[vec![0.1], vec![0.1, 0.2]]);
        assert_eq!(ragged, Err(Error::Ragged { row: 1, expected: 1, got: 2 }));
    }

    #[test]
    fn zero_duplicated_and_exactly_normalized_contexts_are_fine() {
        let third = 1.0 / 3.0_f64.sqrt();
        assert!(ArmSet::from_rows(&[[0.0; 3], [third; 3], [third; 3]]).is_ok());
    }

    #[test]
    fn scaling_happens_only_when_asked_for() {
        let data = vec![3.0, 4.0, 0.3, 0.4];
        assert!(ArmSet::new(2, data.clone(), Norms::Strict).is_err());
        let divided = ArmSet::new(2, data.clone(), Norms::DivideBy(10.0)).unwrap();
        assert_eq!(divided.context(1), [0.03, 0.04]);
        assert!(matches!(ArmSet::new(2, data.clone(), Norms::DivideBy(2.0)), Err(Error::Norm { .. })));
        for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(ArmSet::new(2, data.clone(), Norms::DivideBy(scale)), Err(Error::Scale { .. })));
        }
        let clipped = ArmSet::new(2, data, Norms::Clip).unwrap();
        assert!((clipped.context(0)[0] - 0.6).abs() < 1e-15 && (clipped.context(0)[1] - 0.8).abs() < 1e-15);
        assert_eq!(clipped.context(1), [0.3, 0.4]);
        let huge = ArmSet::new(2, vec![1e300, 1e300], Norms::Clip).unwrap();
        assert!((huge.context(0)[0] - 0.5_f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn a_borrowed_set_is_the_same_set_and_is_checked_alike() {
        let table = [0.6, 0.1, 0.2, 0.7];
        let borrowed = ArmSet::borrowed(2, &table).unwrap();
        assert_eq!(borrowed, ArmSet::new(2, table.to_vec(), Norms::Strict).unwrap());
        assert!(std::ptr::eq(borrowed.context(1).as_ptr(), &raw const table[2]), "no copy");
        assert_eq!(borrowed.clone().into_owned(), borrowed);
        assert_eq!(ArmSet::borrowed(3, &table), Err(Error::Shape { columns: 3, got: 4 }));
        assert_eq!(ArmSet::borrowed(2, &[]), Err(Error::NoArms));
        assert!(matches!(ArmSet::borrowed(1, &[0.5, f64::NAN]), Err(Error::NotFinite { index: 1, .. })));
        assert_eq!(ArmSet::borrowed(1, &[0.5, 2.0]), Err(Error::Norm { arm: 1, norm: 2.0 }));
    }

    /// One scan recognizes a good table, four features at a time.
    #[test]
    fn a_bad_number_is_found_wherever_it_stands() {
        for (dim, n_arms) in [(1, 9), (7, 9), (8, 1), (8, 8), (9, 7), (10, 17), (16, 3), (21, 9)] {
            let good = vec![0.1 / dim as f64; n_arms * dim];
            assert!(look(dim, &good).all_short, "{n_arms} arms of {dim} features");
            for place in 0..good.len() {
                for bad in [f64::NAN, f64::NEG_INFINITY, 1e200, -1.1] {
                    let mut table = good.clone();
                    table[place] = bad;
                    let refused = ArmSet::borrowed(dim, &table);
                    assert!(refused.is_err(), "{bad} at {place}, {n_arms} arms of {dim} features");
                    let owned = ArmSet::new(dim, table.clone(), Norms::Strict);
                    assert_eq!(format!("{owned:?}"), format!("{refused:?}"));
                }
            }
        }
    }

    /// Ones next to zeros: no feature is counted twice, and none of another arm.
    #[test]
    fn contexts_of_length_one_are_short() {
        for dim in 1..=24 {
            for n_arms in [1, 5, 8, 11] {
                let mut table = vec![0.0; n_arms * dim];
                (0..n_arms).for_each(|arm| table[arm * dim + arm % dim] = 1.0);
                assert!(look(dim, &table).all_short, "{n_arms} arms of {dim} features");
            }
        }
    }

    /// One −0.0 is found at every position, and nothing else is mistaken for one.
    #[test]
    fn a_negative_zero_is_found_wherever_it_stands() {
        for (dim, n_arms) in [(1, 9), (2, 5), (3, 4), (7, 9), (8, 8), (9, 7), (21, 9)] {
            let others = [0.0, 5e-324, -5e-324, -1e-300, 1e-160, -0.01, 0.01];
            let good: Vec<f64> = (0..n_arms * dim).map(|k| others[k % 7]).collect();
            assert_eq!(look(dim, &good), TableScan { all_short: true, negative_zero: false });
            assert!(matches!(
                ArmSet::borrowed(dim, &good).unwrap().contexts,
                Contexts::Dense(Cow::Borrowed(_))
            ));
            for place in 0..good.len() {
                let mut table = good.clone();
                table[place] = -0.0;
                assert!(look(dim, &table).negative_zero, "at {place}, {n_arms} arms of {dim} features");
                let mut clean = good.clone();
                clean[place] = 0.0;
                for arms in [
                    ArmSet::borrowed(dim, &table).unwrap(),
                    ArmSet::new(dim, table.clone(), Norms::Strict).unwrap(),
                    ArmSet::new(dim, table.clone(), Norms::Clip).unwrap(),
                ] {
                    assert!(
                        arms.end_to_end()
                            .unwrap()
                            .iter()
                            .zip(&clean)
                            .all(|(x, y)| x.to_bits() == y.to_bits())
                    );
                }
            }
        }
    }

    /// A number that underflows when scaled, and contexts that a single scan does not accept.
    #[test]
    fn norms_leave_no_negative_zeros() {
        let has_none = |arms: ArmSet<'_>| !arms.end_to_end().unwrap().iter().any(|x| is_negative_zero(*x));
        let table = vec![-1e-300, 0.5, -0.0, 1.0];
        assert!(has_none(ArmSet::new(2, table.clone(), Norms::DivideBy(1e200)).unwrap()));
        assert!(has_none(ArmSet::new(2, vec![-1e-20, 1e308], Norms::Clip).unwrap()));
        let long = [-0.0, 1.0 + 5e-10];
        assert!(has_none(ArmSet::borrowed(2, &long).unwrap()));
        assert!(has_none(ArmSet::new(2, long.to_vec(), Norms::Strict).unwrap()));
    }

    #[test]
    fn an_id_from_elsewhere_is_checked() {
        let arms = ArmSet::from_rows(&[[0.1], [0.2]]).unwrap();
        assert_eq!(arms.get(ArmId(1)).unwrap().context(), [0.2]);
        assert_eq!(arms.get(ArmId(2)), Err(Error::UnknownArm { arm: 2, n_arms: 2 }));
        assert!(Arm::new(ArmId(9), &[2.0]).is_err());
    }
}
