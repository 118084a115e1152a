//! Batch maximum likelihood for generalized linear models: the θ that maximizes Σ log p(yᵢ | θᵀxᵢ).
//!
//! The method is that of Newton with the Fisher information, in the coordinates of an orthonormal basis of
//! the columns. Steps are halved until the likelihood grows. If there is no maximum, the error has the
//! reason: columns that are combinations of others (found by the basis), or a direction that separates the
//! rewards (found among the steps, and checked for every row).

mod basis;
mod separation;
mod triangle;

use basis::Basis;
use moglb::{Echo, EchoNumber, Link, Matrix};
use triangle::{cholesky, solve_lower, solve_lower_transposed};

/// The reason why there is no estimate.
///
/// Example: [`fit`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// There are no rows or no columns.
    #[error("expected at least one row and one column, got {rows} rows of {columns} columns")]
    Empty {
        /// The number of rows.
        rows: usize,
        /// The number of columns.
        columns: usize,
    },
    /// The numbers of rows, rewards and names do not match.
    #[error("expected {expected} {what}, got {got}")]
    Length {
        /// The things that were counted.
        what: &'static str,
        /// The required number.
        expected: usize,
        /// The number in the input.
        got: usize,
    },
    /// A feature that is NaN, infinite or too large.
    #[error("row {row}, column `{}`: expected a finite number, got {value}", Echo(column))]
    NotFinite {
        /// The row, from 0.
        row: usize,
        /// The column.
        column: String,
        /// The feature.
        value: f64,
    },
    /// A reward that is impossible for the link.
    #[error(
        "row {row}: a {} link has rewards between {} and {}, got {}",
        Echo(link),
        EchoNumber(*low),
        EchoNumber(*high),
        EchoNumber(*value)
    )]
    Reward {
        /// The row, from 0.
        row: usize,
        /// The link.
        link: &'static str,
        /// The least possible reward.
        low: f64,
        /// The largest possible reward.
        high: f64,
        /// The reward in the input.
        value: f64,
    },
    /// A column is a combination of others, so the maximum is not unique.
    #[error(
        "column `{}` is a combination of {}: leave it out, or allow columns to be dropped",
        Echo(column),
        quoted(on)
    )]
    Collinear {
        /// The column.
        column: String,
        /// The columns before it that it is a combination of.
        on: Vec<String>,
    },
    /// A direction separates the rewards: along it the likelihood grows without end.
    #[error(
        "the rewards are separated, mostly by column `{}`: along a direction that moves {moved} rows, no row \
         loses, so that there is no finite maximum",
        Echo(column)
    )]
    Separated {
        /// The column with the largest part in the direction.
        column: String,
        /// The number of rows that gain along the direction. The scores of other rows do not change.
        moved: usize,
    },
    /// No maximum was found within the limits of steps and precision.
    #[error("no maximum was found in {steps} steps")]
    NoMaximum {
        /// The number of steps.
        steps: usize,
    },
}

/// The most columns that are named in a message; of more the number is given too.
const MOST_NAMED_COLUMNS: usize = 10;

fn quoted(names: &[String]) -> String {
    let shown: Vec<String> =
        names.iter().take(MOST_NAMED_COLUMNS).map(|name| format!("`{}`", Echo(name))).collect();
    match names.len() {
        0 => "nothing (it is zero)".into(),
        n if n > MOST_NAMED_COLUMNS => format!("{}, … ({n} columns)", shown.join(", ")),
        _ => shown.join(", "),
    }
}

/// The treatment of columns that are combinations of those before them.
///
/// Example: [`fit`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Collinear {
    /// Refuse such columns.
    Refuse,
    /// Leave such columns out: their coefficients are zero.
    Drop,
}

/// Maximum likelihood estimates.
///
/// Example: [`fit`].
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// The estimate of θ.
    pub theta: Vec<f64>,
    /// The standard error of each coefficient, from the Fisher information at θ. With an identity link the
    /// variance of rewards is estimated from the residuals. Infinite if it is unknown: for columns that were
    /// left out, and if an identity link has no more rows than columns.
    pub std_errors: Vec<f64>,
    /// log p of all rewards at θ, up to a part that does not depend on θ. For 0/1 rewards there is no such
    /// part.
    pub log_likelihood: f64,
    /// The columns that were left out.
    pub dropped: Vec<usize>,
    /// The number of steps.
    pub steps: usize,
}

/// The most Newton steps, far more than are needed if there is a maximum.
const MOST_STEPS: usize = 100;

/// The search ends when the Newton decrement before the last step is at most this. The decrement is the
/// squared distance to the maximum in standard errors.
const CONVERGED_DECREMENT: f64 = 1e-18;

/// Below this decrement steps are not halved: their gain is less than the rounding of the sum.
const WHOLE_STEP_DECREMENT: f64 = 1e-6;

/// Fits a generalized linear model to rewards. No intercept is added: include a constant column if the model
/// needs one.
///
/// ```
/// use moglb::{Link, Matrix};
/// use moglb_data::{Collinear, fit};
/// let x = Matrix::from_rows(&[[1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 1.0]])?;
/// let names = ["intercept".to_owned(), "x".to_owned()];
/// let fitted = fit(Link::Logit, &names, &x, &[0.0, 1.0, 0.25, 0.25], Collinear::Refuse).unwrap();
/// assert!(fitted.theta[0].abs() < 1e-12); // log(½ / ½)
/// assert!((fitted.theta[1] + 1.0986122886681098).abs() < 1e-12); // log(¼ / ¾)
/// # Ok::<(), moglb::Error>(())
/// ```
///
/// # Errors
///
/// [`FitError`] for invalid input, or if there is no maximum; it has the reason.
pub fn fit(
    link: Link,
    columns: &[String],
    vectors: &Matrix,
    rewards: &[f64],
    collinear: Collinear,
) -> Result<Fit, FitError> {
    check(link, columns, vectors, rewards)?;
    let basis = Basis::of(vectors);
    if let (Collinear::Refuse, Some((column, on))) = (collinear, basis.dependent.first()) {
        let name = |&k: &usize| columns[k].clone();
        return Err(FitError::Collinear { column: name(column), on: on.iter().map(name).collect() });
    }
    Newton::new(link, &basis, rewards).maximize(columns)
}

fn check(link: Link, columns: &[String], vectors: &Matrix, rewards: &[f64]) -> Result<(), FitError> {
    let (rows, n_columns) = (vectors.n_rows(), vectors.n_cols());
    if rows == 0 || n_columns == 0 {
        return Err(FitError::Empty { rows, columns: n_columns });
    }
    for (what, expected, got) in
        [("rewards", rows, rewards.len()), ("names of columns", n_columns, columns.len())]
    {
        if expected != got {
            return Err(FitError::Length { what, expected, got });
        }
    }
    // The squares of larger numbers overflow.
    let wrong = |value: &f64| !(-1e100..=1e100).contains(value);
    if let Some(k) = vectors.as_slice().iter().position(wrong) {
        let (column, value) = (columns[k % n_columns].clone(), vectors.as_slice()[k]);
        return Err(FitError::NotFinite { row: k / n_columns, column, value });
    }
    let (low, high) = match link {
        Link::Logit | Link::Probit => (0.0, 1.0),
        Link::Log => (0.0, 1e100),
        Link::Identity | Link::Custom(_) => (-1e100, 1e100),
    };
    match rewards.iter().position(|y| !(low..=high).contains(y)) {
        Some(row) => Err(FitError::Reward { row, link: link.name(), low, high, value: rewards[row] }),
        None => Ok(()),
    }
}

/// The state of a fit in the coordinates of the basis.
struct Newton<'a> {
    link: Link,
    basis: &'a Basis,
    rewards: &'a [f64],
    /// The coefficients in the coordinates of the basis.
    phi: Vec<f64>,
    /// The score θᵀx of each row.
    scores: Vec<f64>,
}

impl<'a> Newton<'a> {
    fn new(link: Link, basis: &'a Basis, rewards: &'a [f64]) -> Self {
        Self { link, basis, rewards, phi: vec![0.0; basis.rank()], scores: vec![0.0; rewards.len()] }
    }

    fn maximize(mut self, columns: &[String]) -> Result<Fit, FitError> {
        for steps in 1..=MOST_STEPS {
            let (gradient, information) = self.local();
            let factor = cholesky(information, gradient.len()).ok_or(FitError::NoMaximum { steps })?;
            let mut step = gradient.clone();
            solve_lower(&factor, &mut step);
            solve_lower_transposed(&factor, &mut step);
            let decrement: f64 = gradient.iter().zip(&step).map(|(g, s)| g * s).sum();
            let moves = self.basis.scores(&step);
            if steps > 5
                && decrement > WHOLE_STEP_DECREMENT
                && let Some(moved) = separation::gains(self.link, self.rewards, &moves)
            {
                let column = columns[self.basis.main_column(&step)].clone();
                return Err(FitError::Separated { column, moved });
            }
            let share = self.share(&moves, decrement).ok_or(FitError::NoMaximum { steps })?;
            self.phi.iter_mut().zip(&step).for_each(|(phi, step)| *phi += share * step);
            self.scores = self.basis.scores(&self.phi);
            if decrement <= CONVERGED_DECREMENT {
                return Ok(self.finish(steps));
            }
        }
        Err(FitError::NoMaximum { steps: MOST_STEPS })
    }

    /// The gradient of the log-likelihood and the Fisher information, at the current coefficients.
    fn local(&self) -> (Vec<f64>, Vec<f64>) {
        let rank = self.basis.rank();
        let (mut gradient, mut information) = (vec![0.0; rank], vec![0.0; rank * rank]);
        for ((q, &z), &y) in self.basis.rows().zip(&self.scores).zip(self.rewards) {
            let fisher = self.link.fisher(z, y);
            gradient.iter_mut().zip(q).for_each(|(g, q)| *g -= fisher.score * q);
            for (row, &left) in information.chunks_exact_mut(rank).zip(q) {
                let by = fisher.weight * left;
                // Columns of a block are zero in the rows of other arms.
                if by != 0.0 {
                    row.iter_mut().zip(q).for_each(|(entry, q)| *entry += by * q);
                }
            }
        }
        (gradient, information)
    }

    /// The first of 1, ½, ¼, … by which a step gains at least a fixed part of the gain that the gradient
    /// predicts.
    fn share(&self, moves: &[f64], decrement: f64) -> Option<f64> {
        if decrement.is_nan() {
            return None;
        }
        if decrement < WHOLE_STEP_DECREMENT {
            return Some(1.0);
        }
        let (before, mut share) = (self.loss(moves, 0.0), 1.0);
        for _ in 0..60 {
            if self.loss(moves, share) <= before - 1e-4 * share * decrement {
                return Some(share);
            }
            share /= 2.0;
        }
        None
    }

    /// The negative log-likelihood after the share `share` of a step that moves scores by `moves`.
    fn loss(&self, moves: &[f64], share: f64) -> f64 {
        let rows = self.scores.iter().zip(moves).zip(self.rewards);
        rows.map(|((z, by), &y)| loss(self.link, z + share * by, y)).sum()
    }

    fn finish(self, steps: usize) -> Fit {
        let (_, information) = self.local();
        let errors = cholesky(information, self.phi.len()).map(|factor| self.basis.spreads(&factor));
        let spread = match self.link {
            Link::Identity => self.residual_spread(),
            _ => 1.0,
        };
        let mut fit = Fit {
            theta: vec![0.0; self.basis.n_columns],
            std_errors: vec![f64::INFINITY; self.basis.n_columns],
            log_likelihood: -self.loss(&self.scores, 0.0),
            dropped: self.basis.dependent.iter().map(|(column, _)| *column).collect(),
            steps,
        };
        let theta = self.basis.coefficients(&self.phi);
        let errors = errors.unwrap_or_else(|| vec![f64::INFINITY; theta.len()]);
        for ((&column, theta), error) in self.basis.kept.iter().zip(theta).zip(errors) {
            fit.theta[column] = theta;
            fit.std_errors[column] = error * spread;
        }
        fit
    }

    /// The standard deviation of rewards around their means; infinite if there are no more rows than
    /// coefficients.
    fn residual_spread(&self) -> f64 {
        let squares: f64 = self.scores.iter().zip(self.rewards).map(|(z, y)| (z - y) * (z - y)).sum();
        match self.rewards.len().saturating_sub(self.phi.len()) {
            0 => f64::INFINITY,
            spare => (squares / spare as f64).sqrt(),
        }
    }
}

/// The negative log-likelihood of a reward, up to a part that does not depend on z. [`Link::fisher`] has its
/// derivative.
fn loss(link: Link, z: f64, y: f64) -> f64 {
    // Without this check a reward of 0 or 1 at an extreme score would give zero times infinity.
    let part = |y: f64, z: f64| if y == 0.0 { 0.0 } else { -y * libm::log(link.mean(z)) };
    match link {
        Link::Probit => part(y, z) + part(1.0 - y, -z),
        _ => link.cumulant(z) - y * z,
    }
}
