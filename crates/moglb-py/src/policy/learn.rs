//! Learning: one reward vector, parts of one, or many.

use crate::arrays::{Held, vector};
use crate::call::SharedPolicy;
use crate::engine::Engine;
use crate::errors::{Refusal, raised};
use crate::inputs::{InputArms, PlayedArm, known};
use crate::items::Items;
use moglb::{Arm, ArmId, ArmSet, Error};
use numpy::PyArray1;
use numpy::ndarray::{Dimension, Ix2};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use std::sync::Arc;

/// Learns one reward vector. A list or a tuple of numbers is read without a detour by NumPy.
pub(crate) fn learn(
    policy: &SharedPolicy,
    x: &Bound<'_, PyAny>,
    reward: &Bound<'_, PyAny>,
    arm: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let played = PlayedArm::read(x, arm)?;
    let learned = |reward: &[f64]| {
        policy.on_played(x.py(), &played, |engine, arm| engine.policy_mut().learn(arm, reward))
    };
    let plain = reward.is_exact_instance_of::<PyList>() || reward.is_exact_instance_of::<PyTuple>();
    if plain && let Ok(numbers) = reward.extract::<Vec<f64>>() {
        return learned(&numbers);
    }
    learned(vector(reward, "reward")?.as_slice()?)
}

/// Learns the parts of a reward vector that are not NaN.
pub(crate) fn learn_part(
    policy: &SharedPolicy,
    x: &Bound<'_, PyAny>,
    reward: &Bound<'_, PyAny>,
    arm: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let played = PlayedArm::read(x, arm)?;
    let reward = known(vector(reward, "reward")?.as_slice()?);
    policy.on_played(x.py(), &played, |engine, arm| engine.policy_mut().learn_part(arm, &reward))
}

/// Learns many reward vectors, and returns the mask of the learned rows.
pub(crate) fn learn_many<'py>(
    policy: &SharedPolicy,
    x: &Bound<'py, PyAny>,
    y: &Bound<'py, PyAny>,
    arms: Option<Items<usize>>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let batch = Batch::read(x, y, arms)?;
    let learned = policy.write(x.py(), |engine| {
        if batch.ids.is_none() && engine.wants_position() {
            let message = "this policy learns by arm: pass arms=";
            return Err(Refusal::Call { code: "input-type", message });
        }
        Ok(batch.learn(engine)?)
    })?;
    Ok(PyArray1::from_vec(x.py(), learned))
}

/// Many played arms with their rewards. All numbers are copied before they are checked: an array that changed
/// between the check and the use would spoil the policy.
struct Batch {
    n_rows: usize,
    dim: usize,
    contexts: Contexts,
    /// The position of each arm, if the caller passed them.
    ids: Option<Vec<usize>>,
    n_objectives: usize,
    /// The rewards, row by row; NaN where a reward is not known yet.
    rewards: Vec<f64>,
}

/// The contexts of a batch.
enum Contexts {
    /// An arm set, which is checked.
    Checked(Arc<ArmSet<'static>>),
    /// The numbers of all contexts, row by row, not checked yet.
    Numbers(Vec<f64>),
}

impl Batch {
    /// Reads a batch, and checks that contexts, rewards and positions have the same number of rows.
    fn read(x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>, arms: Option<Items<usize>>) -> PyResult<Self> {
        let (n_rows, dim, contexts) = match InputArms::read(x, "X")? {
            InputArms::Checked(set) => (set.n_arms(), set.dim(), Contexts::Checked(set)),
            InputArms::Rows(x, n_rows, dim) => (n_rows, dim, Contexts::Numbers(x.owned()?)),
        };
        let (y, shape) = Held::<'_, Ix2>::read(y, "Y", 2)?;
        let ((n_rewards, n_objectives), rewards) = (shape.into_pattern(), y.owned()?);
        let ids = arms.map(|Items(arms)| arms);
        let lengths = [n_rewards, ids.as_ref().map_or(n_rows, Vec::len)];
        if let Some(other) = lengths.into_iter().find(|&length| length != n_rows) {
            let message = format!("{n_rows} contexts and {other} rewards or arms do not go together");
            return Err(raised(x.py(), "rows", &message));
        }
        Ok(Self { n_rows, dim, contexts, ids, n_objectives, rewards })
    }

    /// Learns all rows or none, in their order, and returns the mask of the learned rows. All rows are
    /// checked before the first is learned. After the check only custom links can fail; then a copy from
    /// before the batch is restored.
    ///
    /// # Errors
    ///
    /// [`Error::Dimension`], [`Error::RewardLength`], an error about an arm or a reward, or the failure of a
    /// custom link. The policy is then unchanged.
    fn learn(&self, engine: &mut Engine) -> Result<Vec<bool>, Error> {
        let problem = engine.policy().problem();
        if self.dim != problem.dim() {
            return Err(Error::Dimension { expected: problem.dim(), got: self.dim });
        }
        if self.n_objectives != problem.n_objectives() {
            return Err(Error::RewardLength { expected: problem.n_objectives(), got: self.n_objectives });
        }
        let learns_parts = engine.policy().facts().learns_parts;
        let learned: Vec<bool> = (0..self.n_rows).map(|k| self.is_learned(k, learns_parts)).collect();
        for (k, &is_learned) in learned.iter().enumerate() {
            let arm = self.arm(k)?;
            if is_learned {
                problem.check_part(arm, &known(self.reward(k)))?;
            }
        }
        let before = if engine.has_foreign_links() { Some(engine.twin()?) } else { None };
        for k in (0..self.n_rows).filter(|&k| learned[k]) {
            if let Err(error) = self.learn_row(k, engine) {
                engine.take_over(before.expect("only links from outside fail after the check"));
                return Err(error);
            }
        }
        Ok(learned)
    }

    /// Learns the rewards of one row that are not NaN.
    fn learn_row(&self, k: usize, engine: &mut Engine) -> Result<(), Error> {
        let (arm, reward) = (self.arm(k)?, self.reward(k));
        match reward.iter().any(|y| y.is_nan()) {
            true => engine.policy_mut().learn_part(arm, &known(reward)),
            false => engine.policy_mut().learn(arm, reward),
        }
    }

    /// True if the policy learns from a row: it is complete, or has a known reward and the policy learns
    /// parts.
    fn is_learned(&self, k: usize, learns_parts: bool) -> bool {
        let n_unknown = self.reward(k).iter().filter(|y| y.is_nan()).count();
        n_unknown == 0 || learns_parts && n_unknown < self.n_objectives
    }

    /// The played arm of row k.
    fn arm(&self, k: usize) -> Result<Arm<'_>, Error> {
        let id = ArmId(self.ids.as_ref().map_or(0, |ids| ids[k]));
        match &self.contexts {
            Contexts::Checked(set) => Ok(set.arm(ArmId(k)).renamed(id)),
            Contexts::Numbers(numbers) => Arm::new(id, &numbers[k * self.dim..][..self.dim]),
        }
    }

    /// The reward vector of row k.
    fn reward(&self, k: usize) -> &[f64] {
        &self.rewards[k * self.n_objectives..][..self.n_objectives]
    }
}

/// Fixes the arms of a policy, and keeps them for calls without arms.
pub(crate) fn fix_arms(policy: &SharedPolicy, arms: &Bound<'_, PyAny>) -> PyResult<()> {
    let set = InputArms::read(arms, "arms")?.kept(arms.py())?;
    policy.write(arms.py(), |engine| {
        engine.policy_mut().fix_arms(&set)?;
        engine.fixed = Some(set);
        Ok(())
    })
}
