//! The direct method's model of rewards: generalized linear, by maximum likelihood, fitted across folds.
//!
//! The rewards of a round are predicted by a model of the other folds only. So a prediction and the residual it is held against
//! are independent, which is what makes doubly robust estimates honest.

use crate::{EvaluateConfig, EvaluateError, Log};
use moglb::{Link, Matrix, draw};
use moglb_data::{Collinear, Layout, Sizes, fit};
use rayon::prelude::*;

/// A model for each fold and objective, and where the layout has a block for each arm, for each arm.
#[derive(Debug)]
pub(crate) struct Model {
    layout: Layout,
    links: Vec<Link>,
    /// The fold of each round.
    folds: Vec<usize>,
    /// Coefficients by fold, then objective, then block; none of an arm that was never played in the other folds.
    thetas: Vec<Vec<Option<Vec<f64>>>>,
}

impl Model {
    pub(crate) fn fit(log: &Log, config: &EvaluateConfig) -> Result<Self, EvaluateError> {
        let layout = config.layout.unwrap_or(match log.n_arm_features() {
            0 => Layout::Block,
            _ => Layout::Additive,
        });
        if layout.needs_arm_features() && log.n_arm_features() == 0 && log.n_arms() > 1 {
            return Err(EvaluateError::NoArmFeatures { layout: format!("{layout:?}").to_lowercase() });
        }
        let links = log.objectives().iter().map(|objective| config.link.unwrap_or(objective.link)).collect();
        let folds = folds(log.n_rounds(), config.folds, config.seed);
        let mut model = Self { layout, links, folds, thetas: Vec::new() };
        let m = log.n_objectives();
        let blocks = model.blocks(log);
        // A layout can have as many entries as there are arms, and a few rows can name a million of them.
        let n_entries = dim(layout, log) / blocks;
        EvaluateError::check_memory("the vectors of the direct method", log.n_rounds(), n_entries)?;
        let keys: Vec<(usize, usize, usize)> = (0..config.folds)
            .flat_map(|fold| (0..m).flat_map(move |i| (0..blocks).map(move |block| (fold, i, block))))
            .collect();
        let thetas: Result<Vec<_>, _> = keys.into_par_iter().map(|key| model.fit_one(log, key)).collect();
        model.thetas = thetas?.chunks(m * blocks).map(<[_]>::to_vec).collect();
        Ok(model)
    }

    /// The fold of a round.
    pub(crate) fn fold(&self, round: usize) -> usize {
        self.folds[round]
    }

    /// A likelihood with a block for each arm falls into one for each arm, which are fitted one by one.
    fn blocks(&self, log: &Log) -> usize {
        if self.layout == Layout::Block { log.n_arms() } else { 1 }
    }

    fn fit_one(
        &self,
        log: &Log,
        (fold, i, block): (usize, usize, usize),
    ) -> Result<Option<Vec<f64>>, EvaluateError> {
        let (mut vectors, mut rewards) = (Vec::new(), Vec::new());
        for (t, &arm) in log.played().iter().enumerate() {
            let is_in = self.layout != Layout::Block || arm == block;
            if is_in && self.folds[t] != fold {
                self.push(log, t, arm, &mut vectors);
                rewards.push(log.rewards().row(t)[i]);
            }
        }
        if rewards.is_empty() {
            return Ok(None);
        }
        let dim = vectors.len() / rewards.len();
        let columns: Vec<String> = (0..dim).map(|k| format!("φ{k}")).collect();
        let vectors = Matrix::new(dim, vectors).expect("whole rows");
        let fitted = fit(self.links[i], &columns, &vectors, &rewards, Collinear::Drop);
        let name = &log.objectives()[i].name;
        let of = if self.layout == Layout::Block { format!(", arm {block}") } else { String::new() };
        let what = || format!("the direct method for `{name}`{of}, fold {fold}");
        Ok(Some(fitted.map_err(|error| EvaluateError::Fit { what: what(), error })?.theta))
    }

    /// Appends the vector that the model sees of an arm in a round.
    fn push(&self, log: &Log, round: usize, arm: usize, out: &mut Vec<f64>) {
        let (x, a) = (log.contexts().row(round), log.arm_features(round, arm));
        match self.layout {
            // A block of one: the coefficients are those of the arm.
            Layout::Block => self.layout.push(x, a, 0, 1, out),
            layout => layout.push(x, a, arm, log.n_arms(), out),
        }
    }

    /// The predicted rewards of every arm in a round, arm by arm; NaN for an arm of which nothing is known. Within the range of
    /// the objective, where it has one.
    pub(crate) fn predict(&self, log: &Log, round: usize, vector: &mut Vec<f64>, out: &mut Vec<f64>) {
        let (blocks, thetas) = (self.blocks(log), &self.thetas[self.folds[round]]);
        out.clear();
        for arm in 0..log.n_arms() {
            vector.clear();
            self.push(log, round, arm, vector);
            let block = if blocks == 1 { 0 } else { arm };
            for (i, objective) in log.objectives().iter().enumerate() {
                let score = |theta: &Vec<f64>| theta.iter().zip(&*vector).map(|(t, x)| t * x).sum();
                let mean =
                    thetas[i * blocks + block].as_ref().map_or(f64::NAN, |t| self.links[i].mean(score(t)));
                let (low, high) = objective.range.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
                out.push(mean.clamp(low, high));
            }
        }
    }
}

/// The fold of each round: as even as can be, shuffled, because what comes by in turn could be in step with a count.
fn folds(n_rounds: usize, n_folds: usize, seed: u64) -> Vec<usize> {
    let mut folds: Vec<usize> = (0..n_rounds).map(|t| t % n_folds).collect();
    let mut rng = draw::seeded(seed);
    rng.set_stream(FOLDS);
    for t in (1..n_rounds).rev() {
        folds.swap(t, draw::below(t + 1, &mut rng));
    }
    folds
}

/// The stream of the folds; those of the resampling count from 0.
const FOLDS: u64 = u64::MAX;

/// The length of the vectors that a layout makes of a round.
pub(crate) fn dim(layout: Layout, log: &Log) -> usize {
    layout.dim(Sizes { context: log.contexts().n_cols(), arm: log.n_arm_features(), arms: log.n_arms() })
}
