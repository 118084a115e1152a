//! Batch maximum likelihood for generalized linear models: the θ that maximizes Σ log p(yᵢ | θᵀxᵢ).
//!
//! Newton's method with the Fisher information, in the coordinates of an orthonormal basis of the columns, with steps that are
//! halved until they gain. Where there is no maximum it says why: columns that are combinations of others (found by the basis),
//! or a direction that separates the rewards (found among the steps, and held against every row).

mod basis;
mod separation;
mod triangle;

use basis::Basis;
use moglb::{Echo, EchoNumber, Link, Matrix};
use triangle::{cholesky, solve_lower, solve_lower_transposed};

/// Why there is no estimate.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// There is nothing to learn from.
    #[error("expected at least one row and one column, got {rows} rows of {columns} columns")]
    Empty {
        /// The number of rows.
        rows: usize,
        /// The number of columns.
        columns: usize,
    },
    /// Rows, rewards and names do not belong together.
    #[error("expected {expected} {what}, got {got}")]
    Length {
        /// What was counted.
        what: &'static str,
        /// As many as are needed.
        expected: usize,
        /// As many as came.
        got: usize,
    },
    /// A feature that is no number.
    #[error("row {row}, column `{}`: expected a finite number, got {value}", Echo(column))]
    NotFinite {
        /// The row, from 0.
        row: usize,
        /// The column.
        column: String,
        /// What came.
        value: f64,
    },
    /// A reward that the law of the link does not give.
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
        /// The least.
        low: f64,
        /// The largest.
        high: f64,
        /// What came.
        value: f64,
    },
    /// A column is a combination of others: the maximum is not at one point.
    #[error(
        "column `{}` is a combination of {}: leave it out, or allow columns to be dropped",
        Echo(column),
        quoted(on)
    )]
    Collinear {
        /// The column.
        column: String,
        /// The columns before it that it is made of.
        on: Vec<String>,
    },
    /// A direction separates the rewards: the likelihood grows along it forever.
    #[error(
        "the rewards are separated, mostly by column `{}`: along a direction that moves {moved} rows, no row \
         loses, so that there is no finite maximum",
        Echo(column)
    )]
    Separated {
        /// The column that the direction is mostly along.
        column: String,
        /// The rows that gain along it; the others stay where they are.
        moved: usize,
    },
    /// Numbers gave out before a maximum was found.
    #[error("no maximum was found in {steps} steps")]
    NoMaximum {
        /// How many steps were made.
        steps: usize,
    },
}

/// More columns than this are counted, not named.
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

/// What to do about columns that are combinations of those before them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Collinear {
    /// Refuse them.
    Refuse,
    /// Leave them out: their coefficients are zero.
    Drop,
}

/// Maximum likelihood estimates.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// θ.
    pub theta: Vec<f64>,
    /// The standard error of each coefficient, from the Fisher information at θ; with an identity link the variance of rewards is
    /// estimated from what is left. Infinite where nothing is known: for columns left out, and without rows to spare.
    pub std_errors: Vec<f64>,
    /// log p of all rewards at θ, up to what does not depend on θ. For 0/1 rewards there is no such part.
    pub log_likelihood: f64,
    /// The columns that were left out.
    pub dropped: Vec<usize>,
    /// How many steps were made.
    pub steps: usize,
}

/// Far more than Newton's method takes where there is a maximum.
const MOST_STEPS: usize = 100;

/// Newton's decrement, the squared distance to the maximum in standard errors, before the last step.
const CONVERGED_DECREMENT: f64 = 1e-18;

/// Below this decrement whole steps are made: what they gain is less than the rounding of the sum.
const WHOLE_STEP_DECREMENT: f64 = 1e-6;

/// Fits a model with an intercept wherever a column has it; nothing is added.
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
/// [`FitError`]: input that makes no sense, or no maximum, with the reason.
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
    // Squares of anything larger are no numbers.
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

/// A fit on its way, in the coordinates of the basis.
struct Newton<'a> {
    link: Link,
    basis: &'a Basis,
    rewards: &'a [f64],
    phi: Vec<f64>,
    /// θᵀx of each row.
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

    /// The slope of the log-likelihood, and the Fisher information.
    fn local(&self) -> (Vec<f64>, Vec<f64>) {
        let rank = self.basis.rank();
        let (mut gradient, mut information) = (vec![0.0; rank], vec![0.0; rank * rank]);
        for ((q, &z), &y) in self.basis.rows().zip(&self.scores).zip(self.rewards) {
            let fisher = self.link.fisher(z, y);
            gradient.iter_mut().zip(q).for_each(|(g, q)| *g -= fisher.score * q);
            for (row, &left) in information.chunks_exact_mut(rank).zip(q) {
                let by = fisher.weight * left;
                // Columns of a block are zero for the rows of other arms.
                if by != 0.0 {
                    row.iter_mut().zip(q).for_each(|(entry, q)| *entry += by * q);
                }
            }
        }
        (gradient, information)
    }

    /// The first of 1, ½, ¼, … of a step that gains a part of what the slope promises.
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

    /// The negative log-likelihood after a part of a move.
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

    /// The standard deviation of rewards around their means; infinite without rows to spare.
    fn residual_spread(&self) -> f64 {
        let squares: f64 = self.scores.iter().zip(self.rewards).map(|(z, y)| (z - y) * (z - y)).sum();
        match self.rewards.len().saturating_sub(self.phi.len()) {
            0 => f64::INFINITY,
            spare => (squares / spare as f64).sqrt(),
        }
    }
}

/// The negative log-likelihood of a reward, of which [`Link::fisher`] has the slope.
fn loss(link: Link, z: f64, y: f64) -> f64 {
    // Without this a reward of 0 or 1 far out would be zero times infinity.
    let part = |y: f64, z: f64| if y == 0.0 { 0.0 } else { -y * libm::log(link.mean(z)) };
    match link {
        Link::Probit => part(y, z) + part(1.0 - y, -z),
        _ => link.cumulant(z) - y * z,
    }
}
