//! Steps 8 and 10 to 13 of Algorithm 1 for arms that are not fixed, and the inputs of their scores.

use super::Learner;
use crate::scoring::path::{FrontPath, Shape};
use crate::scoring::{Optimism, Scorer, Shared};
use crate::{ArmSet, Decision, Width};
use moglb_pareto::ArmId;

impl Learner {
    /// Finds the front of all arms by their scores, Eq. (6). Fills the tables if `Decision::tables` is set.
    pub fn find_front(&self, arms: &ArmSet, decision: &mut Decision) {
        let path = FrontPath::choose(&self.shape(arms, decision.tables));
        decision.work.path = Some(path);
        if path == FrontPath::EveryArm {
            self.keep_every_arm(arms, decision);
        } else {
            self.score_by(path, arms, decision);
            decision.find_scored_front(path, arms.n_arms());
        }
    }

    /// O_1 = X (step 1). Before the first round all estimates are zero: with γ of Eq. (8), the scores would
    /// keep only the longest contexts.
    fn keep_every_arm(&self, arms: &ArmSet, decision: &mut Decision) {
        decision.front.refill((0..arms.n_arms()).map(ArmId));
        decision.forget_tables();
        if decision.tables {
            self.fill(arms, decision.scorer());
            decision.score(arms, &self.grams);
        }
    }

    /// Computes the scores of Eq. (6) on the given path (steps 10 and 11).
    #[inline]
    pub(in crate::moglb_ucb) fn score_by(&self, path: FrontPath, arms: &ArmSet, decision: &mut Decision) {
        if path == FrontPath::FreshUnrolled {
            let shared = Shared { gram: &self.grams[0], root: self.root(0), n_objectives: self.models.len() };
            decision.score_unrolled(arms, shared, |i| self.models[i].estimate.blocks());
        } else {
            decision.scorer().take(|i| &self.models[i].estimate, self.optimism());
            decision.score_by(path, arms, &self.grams);
        }
    }

    /// The inputs of the choice of a path, for arms that are not fixed. Fixed arms change three fields.
    #[inline(always)]
    pub fn shape(&self, arms: &ArmSet, wants_tables: bool) -> Shape {
        Shape {
            n_arms: arms.n_arms(),
            dim: arms.dim(),
            n_objectives: self.models.len(),
            n_grams: self.grams.len(),
            knows_nothing: self.knows_nothing(),
            has_one_width: self.has_one_width(),
            wants_tables,
            is_sparse: arms.table().is_some(),
            is_fixed: false,
            is_narrow: false,
            n_projected: 0,
        }
    }

    /// √γᵢ of each objective, computed once if all are equal.
    fn roots(&self) -> impl Iterator<Item = f64> + '_ {
        let shared = self.has_one_width().then(|| self.root(0));
        (0..self.models.len()).map(move |i| shared.unwrap_or_else(|| self.root(i)))
    }

    /// Writes √γᵢ of each objective into a buffer.
    pub(in crate::moglb_ucb) fn roots_into(&self, roots: &mut Vec<f64>) {
        roots.clear();
        roots.extend(self.roots());
    }

    /// True if √γᵢ is certainly equal for all objectives: a tuned width depends only on Z.
    #[inline]
    fn has_one_width(&self) -> bool {
        matches!(self.config.width, Width::Tuned { .. }) && self.grams.len() == 1
    }

    /// Returns √γᵢ of an objective (step 8), the factor of the width in Eq. (6).
    #[inline]
    pub fn root(&self, objective: usize) -> f64 {
        if let Width::Tuned { c } = self.config.width {
            // As `Width::gamma`, but without building its inputs: the tuned width, that of all experiments,
            // needs only the determinant.
            return (c * self.gram(objective).log_det_ratio().max(0.0)).sqrt();
        }
        self.gamma_by(self.config.width, objective).sqrt()
    }

    /// The inputs of the scores of Eq. (6), except the estimates and Z.
    pub fn optimism(&self) -> impl Iterator<Item = Optimism> + '_ {
        let models = self.models.iter().zip(self.problem.objectives()).zip(self.roots());
        models.map(|((model, objective), root)| Optimism { gram: model.gram, root, sign: objective.sign() })
    }

    /// Fills a scorer with the present state, laid out for these arms.
    pub fn fill(&self, arms: &ArmSet, scorer: &mut Scorer) {
        scorer.refill(arms, &self.grams, |i| &self.models[i].estimate, self.optimism());
    }
}
