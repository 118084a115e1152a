//! Contexts of norm at most one (Assumption 2) from raw rows.
//!
//! The columns of a context and those of an arm's own features are put next to each other. [`Step`]s append
//! columns to them. A [`Layout`] decides which of these columns the arms share and which every arm has for
//! itself. One number, frozen before the first decision, scales the result. Everything is a function of the
//! configuration and the row, and nothing is learned. So the context of a round does not depend on when or
//! where it is made.

mod frozen;
mod hash;
mod interactions;
mod layout;
mod step;

pub use frozen::Overlong;
pub use hash::{Named, NamedValue};
pub use layout::Layout;
pub use step::Step;

use moglb_core::Parameter;
use moglb_core::saved::from_json;
use moglb_core::{ArmSet, Norms};
use moglb_math::Error;
use moglb_math::csr::{Csr, Numbers};
use moglb_math::matrix::check_finite;
use moglb_pareto::ArmId;
use serde::{Deserialize, Serialize};

/// The format of [`Features::to_json`].
pub const FEATURES_FORMAT: &str = "moglb.features/1";

/// The description of how raw rows become contexts. It is saved as JSON, and unknown fields are refused.
///
/// Example: [`Features`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeaturesConfig {
    /// The number of columns of a raw context.
    pub context: usize,
    /// The number of columns of an arm's own features, which come after those of the context.
    #[serde(default)]
    pub arm: usize,
    /// The steps that append columns, in order.
    #[serde(default)]
    pub steps: Vec<Step>,
    /// The columns that the arms share, and those that each arm has for itself.
    #[serde(default)]
    pub layout: Layout,
    /// The number that all contexts are divided by; none until it is frozen.
    #[serde(default)]
    pub scale: Option<f64>,
    /// The treatment of contexts that are longer than one after scaling.
    #[serde(default)]
    pub overlong: Overlong,
}

/// The raw data of an arm before it becomes a context.
///
/// Example: [`Features`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RawRow<'a> {
    /// The arm. It selects the arm's own block of columns.
    pub arm: ArmId,
    /// The raw context.
    pub context: Numbers<'a>,
    /// The arm's own features.
    pub arm_features: Numbers<'a>,
    /// Features by name, for the step that hashes them.
    pub named: &'a [Named<'a>],
}

/// The contexts that [`Features::map`] makes, ready for [`ArmSet::sparse`](moglb_core::ArmSet::sparse).
///
/// Example: [`Features`].
#[derive(Debug, Clone, PartialEq)]
pub struct Mapped {
    /// One row per raw row.
    pub contexts: Csr,
    /// The number of contexts that were shortened to norm one.
    pub clipped: usize,
}

/// Makes contexts from raw rows.
///
/// ```
/// use moglb::{Features, FeaturesConfig, Layout, RawRow, Step};
///
/// // Two numbers about a user, an intercept, and three arms with coefficients of their own.
/// let config = FeaturesConfig {
///     context: 2,
///     steps: vec![Step::Intercept { value: 1.0 }],
///     layout: Layout::Blocks { n_arms: 3 },
///     ..Default::default()
/// };
/// let sample = [[3.0, 4.0], [0.0, 2.0]];
/// let rows = sample.each_ref().map(|x| RawRow { context: x[..].into(), ..Default::default() });
/// let features = Features::new(config)?.frozen(&rows, 1.0)?; // the largest norm: √(9 + 16 + 1)
/// assert_eq!(features.dim(), 9);
///
/// let (arms, clipped) = features.arms(&features.rows_of([0.0, 2.0][..].into(), &[]))?;
/// assert_eq!((arms.n_arms(), clipped), (3, 0));
/// assert_eq!(arms.table().unwrap().row(1).columns(), [4, 5]);
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    config: FeaturesConfig,
    /// The number of columns before the layout.
    n_columns: usize,
    dim: usize,
}

impl Features {
    /// Features of a configuration, after a check of the configuration.
    ///
    /// # Errors
    ///
    /// [`Error::NoFeatures`], [`Error::TooLarge`], [`Error::Scale`], or an error about a step or the layout.
    pub fn new(config: FeaturesConfig) -> Result<Self, Error> {
        let too_large = || Error::TooLarge { rows: config.context, columns: config.arm };
        let mut n_columns = config.context.checked_add(config.arm).ok_or_else(too_large)?;
        for step in &config.steps {
            let more = step.check(n_columns)?;
            n_columns =
                n_columns.checked_add(more).ok_or(Error::TooLarge { rows: n_columns, columns: more })?;
        }
        if n_columns == 0 {
            return Err(Error::NoFeatures);
        }
        if n_columns > isize::MAX as usize / 2 {
            return Err(Error::TooLarge { rows: 1, columns: n_columns });
        }
        if config.steps.iter().filter(|step| matches!(step, Step::Hash { .. })).count() > 1 {
            return Err(Error::Parameters { what: "named features are hashed by one step, not by several" });
        }
        if let Some(got) = config.scale.filter(|scale| !(scale.is_finite() && *scale > 0.0)) {
            return Err(Error::Scale { got });
        }
        let dim = config.layout.check(n_columns)?;
        Ok(Self { config, n_columns, dim })
    }

    /// These features with the scale set from a sample of raw rows. The scale is the least norm that at least
    /// the share `quantile` of the sample's contexts does not exceed; for 1 it is the largest norm.
    /// [`Overlong`] decides what becomes of longer contexts.
    ///
    /// # Errors
    ///
    /// [`Error::Parameters`] if the scale is already frozen, [`Error::ParameterBounds`] for a quantile
    /// outside of (0, 1], [`Error::NoPoints`] for an empty sample, [`Error::Scale`] if that norm is zero or
    /// too large, or an error about a row.
    pub fn frozen(mut self, sample: &[RawRow<'_>], quantile: f64) -> Result<Self, Error> {
        if self.config.scale.is_some() {
            return Err(Error::Parameters { what: "the scale is frozen: contexts would change their units" });
        }
        Parameter::check("quantile", quantile, f64::MIN_POSITIVE..=1.0)?;
        let mut norms = Vec::with_capacity(sample.len());
        for row in sample {
            norms.push(frozen::length(&self.unscaled(row)?));
        }
        norms.sort_by(f64::total_cmp);
        let rank = (quantile * norms.len() as f64).ceil() as usize;
        let Some(&scale) = norms.get(rank.clamp(1, norms.len().max(1)) - 1) else {
            return Err(Error::NoPoints { what: "a sample to freeze the scale" });
        };
        if !(scale > 0.0 && scale.is_finite()) {
            return Err(Error::Scale { got: scale });
        }
        self.config.scale = Some(scale);
        Ok(self)
    }

    /// The configuration, with the scale if it is frozen.
    pub fn config(&self) -> &FeaturesConfig {
        &self.config
    }

    /// The number of features d of the contexts.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The columns that each step appends, in order, by the numbers under which later steps and the layout
    /// refer to them.
    pub fn columns_of_steps(&self) -> Vec<std::ops::Range<usize>> {
        let mut next = self.config.context + self.config.arm;
        let mut range = |step: &Step| {
            let first = next;
            next += step.check(first).expect("checked when it was built");
            first..next
        };
        self.config.steps.iter().map(&mut range).collect()
    }

    /// The raw rows of one decision, from a context that all arms share and the features of each arm. Pass no
    /// arm features if the layout has the number of arms and the arms have no features of their own.
    pub fn rows_of<'a>(&self, context: Numbers<'a>, arm_features: &[Numbers<'a>]) -> Vec<RawRow<'a>> {
        let n_arms = if arm_features.is_empty() { self.config.layout.n_arms() } else { arm_features.len() };
        let row = |arm: usize| RawRow {
            arm: ArmId(arm),
            context,
            arm_features: arm_features.get(arm).copied().unwrap_or_default(),
            named: &[],
        };
        (0..n_arms).map(row).collect()
    }

    /// The contexts of raw rows.
    ///
    /// # Errors
    ///
    /// [`Error::NotFrozen`] without a scale; [`Error::Dimension`], [`Error::Entries`], [`Error::UnknownArm`],
    /// [`Error::NotFinite`] or [`Error::Parameters`] for a row; [`Error::Norm`] if overlong contexts are
    /// refused.
    pub fn map(&self, rows: &[RawRow<'_>]) -> Result<Mapped, Error> {
        let scale = self.config.scale.ok_or(Error::NotFrozen)?;
        let (mut contexts, mut clipped) = (Csr::empty(self.dim), 0);
        for (index, row) in rows.iter().enumerate() {
            let mut entries = self.unscaled(row)?;
            clipped += usize::from(frozen::scale(index, &mut entries, scale, self.config.overlong)?);
            contexts.push(&mut entries)?;
        }
        Ok(Mapped { contexts, clipped })
    }

    /// The arms of a decision from their raw rows, and the number of contexts that were shortened.
    ///
    /// # Errors
    ///
    /// As [`Features::map`], and [`Error::NoArms`].
    pub fn arms(&self, rows: &[RawRow<'_>]) -> Result<(ArmSet<'static>, usize), Error> {
        let mapped = self.map(rows)?;
        Ok((ArmSet::sparse(mapped.contexts, Norms::Strict)?, mapped.clipped))
    }

    /// The entries of a row in its layout, before it is scaled. Columns ascend.
    fn unscaled(&self, row: &RawRow<'_>) -> Result<Vec<(usize, f64)>, Error> {
        let FeaturesConfig { context, arm, steps, layout, .. } = &self.config;
        if row.context.len() != *context {
            return Err(Error::Dimension { expected: *context, got: row.context.len() });
        }
        if row.arm_features.len() != *arm {
            let got = row.arm_features.len();
            return Err(Error::Entries { name: "arm_features", expected: *arm, got });
        }
        if !(row.named.is_empty() || steps.iter().any(|step| matches!(step, Step::Hash { .. }))) {
            return Err(Error::Parameters { what: "named features need a step that hashes them" });
        }
        let mut entries = Vec::new();
        append(row.context, 0, &mut entries)?;
        append(row.arm_features, *context, &mut entries)?;
        let mut next = context + arm;
        for step in steps {
            next += step.append(next, row.named, &mut entries)?;
        }
        debug_assert_eq!(next, self.n_columns);
        layout.place(self.n_columns, row.arm.0, entries)
    }

    /// The configuration and the frozen scale as JSON.
    pub fn to_json(&self) -> String {
        let saved = Saved { format: FEATURES_FORMAT.into(), features: self.config.clone() };
        serde_json::to_string(&saved).expect("finite numbers and words")
    }

    /// Restores features from [`Features::to_json`].
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotFormat`], [`Error::SnapshotDamaged`], or as [`Features::new`].
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let saved: Saved = from_json(text, FEATURES_FORMAT)?;
        Self::new(saved.features)
    }
}

/// A configuration in its saved form.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    format: String,
    features: FeaturesConfig,
}

/// Appends the entries that are not zero, with columns counted from `offset`.
fn append(numbers: Numbers<'_>, offset: usize, entries: &mut Vec<(usize, f64)>) -> Result<(), Error> {
    match numbers {
        Numbers::Dense(numbers) => {
            check_finite("a raw row", numbers)?;
            let stored = numbers.iter().enumerate().filter(|(_, x)| **x != 0.0);
            entries.extend(stored.map(|(column, &x)| (offset + column, x)));
        }
        Numbers::Sparse(row) => entries.extend(row.iter().map(|(column, x)| (offset + column, x))),
    }
    Ok(())
}
