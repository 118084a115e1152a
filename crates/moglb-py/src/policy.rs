//! Policies: one class for all of them; the names that people use are its subclasses in Python.

use crate::arms::PyArmSet;
use crate::arrays::{Held, cube, to_array, vector};
use crate::change::Change;
use crate::decision::{PyDecision, PyDecisionBatch};
use crate::engine::{Engine, Kind, SharedEngine};
use crate::errors::{raised, refused};
use crate::generator::{self, LockedGenerator};
use crate::inputs::{InputArms, PlayedArm, engine, play, snapshot_of, sparse_sets};
use crate::items::Items;
use crate::json::value;
use crate::lent::{Offered, is_finite, unchanged};
use crate::pool::Pool;
use moglb::{Arm, ArmId, Error, Norms, Play, PlayConfig, PolicySnapshot, Target};
use numpy::ndarray::{Dimension, Ix2};
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use std::sync::Arc;

/// The engine behind every policy of the package.
#[pyclass(frozen, subclass, name = "Policy", module = "moglb._moglb")]
pub(crate) struct PyPolicy {
    pub(crate) engine: SharedEngine,
    rng: generator::SharedGenerator,
    pub(crate) pool: Arc<Pool>,
}

impl PyPolicy {
    /// A number or text of the engine, read without holding up others.
    fn ask<R: Send>(&self, py: Python<'_>, question: impl FnOnce(&Engine) -> R + Send) -> PyResult<R> {
        py.detach(|| Ok(question(&*self.engine.read()?))).map_err(|error: Error| refused(py, &error))
    }

    pub(crate) fn problem(&self, py: Python<'_>) -> PyResult<moglb::Problem> {
        self.ask(py, |engine| engine.policy().problem().clone())
    }

    /// The arms that are fixed.
    pub(crate) fn fixed(&self, py: Python<'_>) -> PyResult<Option<Arc<moglb::ArmSet<'static>>>> {
        self.ask(py, |engine| engine.fixed.clone())
    }

    /// Does a piece of work on arms as they were given, or on the fixed ones.
    fn on_arms<R: Send>(
        &self,
        py: Python<'_>,
        arms: Option<&Bound<'_, PyAny>>,
        work: impl FnOnce(&Engine, Offered<'_>) -> Result<R, Error> + Send,
    ) -> PyResult<R> {
        self.try_on_arms(py, arms, work)?.map_err(|error| refused(py, &error))
    }

    /// The same, with what the engine refuses as it is.
    pub(crate) fn try_on_arms<R: Send>(
        &self,
        py: Python<'_>,
        arms: Option<&Bound<'_, PyAny>>,
        work: impl FnOnce(&Engine, Offered<'_>) -> Result<R, Error> + Send,
    ) -> PyResult<Result<R, Error>> {
        let given = arms.map(|arms| InputArms::read(arms, "arms")).transpose()?;
        let slice = match &given {
            Some(InputArms::Rows(numbers, _, dim)) => Some((*dim, numbers.as_slice()?)),
            _ => None,
        };
        let checked = match &given {
            Some(InputArms::Checked(set)) => Some(set),
            _ => None,
        };
        let is_lent = matches!(&given, Some(InputArms::Rows(numbers, ..)) if numbers.is_lent());
        let work = || {
            let engine = self.engine.read()?;
            let done = match (slice, checked) {
                (Some((dim, contexts)), _) => {
                    let set = moglb::ArmSet::borrowed(dim, contexts)?;
                    work(&engine, Offered { set: &set, is_lent })
                }
                (_, Some(set)) => work(&engine, Offered { set, is_lent }),
                _ => match &engine.fixed {
                    Some(set) => work(&engine, Offered { set, is_lent }),
                    None => return Err(None),
                },
            };
            Ok(done?)
        };
        match py.detach(|| unchanged(is_lent, work)) {
            Ok(done) => Ok(Ok(done)),
            Err(Some(error)) => Ok(Err(error)),
            Err(None) => {
                let message = "no arms were given and none are fixed: pass them, or call fix_arms first";
                Err(raised(py, "no-arms", message))
            }
        }
    }

    /// The generator that arms are drawn with.
    pub(crate) fn generator(&self) -> Result<LockedGenerator<'_>, Error> {
        LockedGenerator::new(&self.rng)
    }

    /// Decides on arms as they were given, or on the fixed ones.
    fn decide_on<R>(
        &self,
        py: Python<'_>,
        arms: Option<&Bound<'_, PyAny>>,
        tables: bool,
        rng: Option<&generator::SharedGenerator>,
        take: impl FnOnce(&mut moglb::Decision) -> R,
    ) -> PyResult<R> {
        let mut decision = self.pool.take();
        decision.tables = tables;
        let decided = self.on_arms(py, arms, |engine, offered| {
            // Where nothing is to be drawn, no number of the policy's own generator is used up.
            let (mut idle, mut locked);
            let rng: &mut dyn moglb::Rng = match rng {
                Some(shared) => {
                    locked = LockedGenerator::new(shared)?;
                    &mut locked
                }
                None => {
                    idle = generator::seeded(0);
                    &mut idle
                }
            };
            engine.policy().decide_into(offered.set, rng, &mut decision)?;
            offered.check(engine, &decision)
        });
        let taken = decided.map(|()| take(&mut decision));
        self.pool.give_back(decision);
        taken
    }

    /// Does a piece of work with a way to play this policy, on arms as they were given, or on the fixed ones. Nothing is drawn
    /// unless the way to play fits the problem.
    fn play_on<R: Send>(
        &self,
        py: Python<'_>,
        arms: Option<&Bound<'_, PyAny>>,
        config: &PlayConfig,
        work: impl FnOnce(&Play, &Engine, Offered<'_>, &mut dyn moglb::Rng) -> Result<R, Error> + Send,
    ) -> PyResult<R> {
        self.on_arms(py, arms, |engine, offered| {
            let play = config.build(engine.policy().problem())?;
            work(&play, engine, offered, &mut self.generator()?)
        })
    }

    /// One decision for each of some sets of one size.
    fn decide_on_each(
        &self,
        py: Python<'_>,
        sets: &[Arc<moglb::ArmSet<'static>>],
        tables: bool,
    ) -> PyResult<PyDecisionBatch> {
        let mut decision = self.pool.take();
        decision.tables = tables;
        let batch = py.detach(|| {
            let engine = self.engine.read()?;
            // All sets are checked before the first number is drawn.
            sets.iter().try_for_each(|set| engine.policy().problem().check_arms(set))?;
            let mut rng = self.generator()?;
            let mut batch = PyDecisionBatch::new(sets[0].n_arms());
            for set in sets {
                engine.policy().decide_into(set, &mut rng, &mut decision)?;
                batch.push(&decision);
            }
            Ok(batch)
        });
        self.pool.give_back(decision);
        batch.map_err(|error: Error| refused(py, &error))
    }

    fn learn_one(&self, py: Python<'_>, played: &PlayedArm<'_>, reward: &[f64]) -> PyResult<()> {
        self.on_played(py, played, |engine, arm| engine.policy_mut().learn(arm, reward))
    }

    /// Does a piece of work with a played arm as it was given.
    pub(crate) fn on_played<R: Send>(
        &self,
        py: Python<'_>,
        played: &PlayedArm<'_>,
        work: impl FnOnce(&mut Engine, Arm<'_>) -> Result<R, Error> + Send,
    ) -> PyResult<R> {
        let (mut context, mut sparse) = (None, None);
        let position = match played {
            PlayedArm::Context(numbers, arm) => {
                context = Some(numbers.as_slice()?);
                *arm
            }
            PlayedArm::Sparse(set, arm) => {
                sparse = Some(set.arm(ArmId(0)));
                *arm
            }
            PlayedArm::Position(position) => Some(*position),
        };
        let has_context = context.is_some() || sparse.is_some();
        let done = py.detach(|| {
            let mut engine = self.engine.write()?;
            let id = match position {
                Some(position) => ArmId(position),
                None if engine.wants_position() => return Ok(None),
                None => ArmId(0),
            };
            if let Some(arm) = sparse {
                return work(&mut engine, arm.renamed(id)).map(Some);
            }
            let Some(context) = context else {
                let Some(fixed) = engine.fixed.clone() else {
                    if engine.wants_context() {
                        return Ok(None);
                    }
                    let nothing = vec![0.0; engine.policy().problem().dim()];
                    return work(&mut engine, Arm::new(id, &nothing)?).map(Some);
                };
                return work(&mut engine, fixed.get(id)?).map(Some);
            };
            work(&mut engine, Arm::new(id, context)?).map(Some)
        });
        match done.map_err(|error| refused(py, &error))? {
            Some(done) => Ok(done),
            None if !has_context => {
                let message = "the position of an arm says nothing until fix_arms: pass its context";
                Err(raised(py, "input-type", message))
            }
            None => {
                let message = "this policy learns by arm: pass arm=, or the position in place of the context";
                Err(raised(py, "input-type", message))
            }
        }
    }
}

/// What is known of a reward: numbers, but for NaN.
pub(crate) fn known(reward: &[f64]) -> Vec<Option<f64>> {
    reward.iter().map(|&y| (!y.is_nan()).then_some(y)).collect()
}

/// The arms of a list, and the inclusion probability of every arm.
type List<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);

#[pymethods]
impl PyPolicy {
    /// An object with nothing in it: `_rebuild` or `_resume` make the policy.
    #[new]
    fn new() -> Self {
        let rng = generator::SharedGenerator::new(generator::seeded(0));
        Self { engine: SharedEngine::default(), rng, pool: Arc::default() }
    }

    /// Draws an arm. `arms` holds a context in each row, or is an `ArmSet`; without it the fixed arms are meant. Without
    /// `tables` estimates and widths stay empty, which is faster; arm, front and probabilities are the same.
    ///
    /// >>> import moglb
    /// >>> policy = moglb.MoglbUcb(2, ["click", "view"], seed=7)
    /// >>> d = policy.decide([[0.6, 0.1], [0.2, 0.7]])
    /// >>> d.front.tolist(), d.estimates.shape
    /// ([0, 1], (2, 2))
    ///
    /// The other arguments say how to play, as `play` does in an experiment: a preference over the front, which values it
    /// compares (`"mean"`, `"optimistic"`, `"pessimistic"`), the objectives that count (the others are in shadow), a floor, lists of arms, a baseline, and how often each arm was
    /// played. They change what is drawn and nothing that is learned.
    ///
    /// >>> d = policy.decide([[0.6, 0.1], [0.2, 0.7]], prefer={"kind": "weights", "weights": [0.7, 0.3]}, floor={"share": 0.1})
    /// >>> d.probabilities.sum().item(), d.shortfall
    /// (1.0, 0.0)
    #[pyo3(signature = (arms = None, *, tables = true, prefer = None, belief = None, objectives = None, floor = None,
                        include = None, exclude = None, baseline = None, exposures = None))]
    #[expect(clippy::too_many_arguments, reason = "they are given by name")]
    fn decide(
        &self,
        py: Python<'_>,
        arms: Option<&Bound<'_, PyAny>>,
        tables: bool,
        prefer: Option<&Bound<'_, PyAny>>,
        belief: Option<&Bound<'_, PyAny>>,
        objectives: Option<&Bound<'_, PyAny>>,
        floor: Option<&Bound<'_, PyAny>>,
        include: Option<&Bound<'_, PyAny>>,
        exclude: Option<&Bound<'_, PyAny>>,
        baseline: Option<&Bound<'_, PyAny>>,
        exposures: Option<Items<u64>>,
    ) -> PyResult<PyDecision> {
        let parts = [prefer, belief, objectives, floor, include, exclude, baseline];
        let Some(config) = play(py, parts)? else {
            let take = |decision: &mut _| PyDecision::of(py, decision, 0.0, &self.pool);
            return self.decide_on(py, arms, tables, Some(&self.rng), take);
        };
        let mut decision = self.pool.take();
        decision.tables = tables;
        let counts = exposures.map(|Items(counts)| counts).unwrap_or_default();
        let decided = self.play_on(py, arms, &config, |play, engine, offered, rng| {
            let played = play.decide(engine.policy(), offered.set, &counts, rng, &mut decision)?;
            offered.check(engine, &decision)?;
            Ok(played.shortfall)
        });
        let decided = decided.map(|shortfall| PyDecision::of(py, &mut decision, shortfall, &self.pool));
        self.pool.give_back(decision);
        decided
    }

    /// Draws k distinct arms. Returns their positions, the most wanted first, and the probability of every arm to be among
    /// them, which add up to k. The other arguments are those of `decide`.
    ///
    /// >>> import moglb
    /// >>> policy = moglb.MoglbUcb(2, ["click", "view"], seed=7)
    /// >>> arms, inclusion = policy.decide_list([[0.6, 0.1], [0.2, 0.7], [0.1, 0.1]], 2, prefer={"kind": "uniform"})
    /// >>> len(set(arms.tolist())), round(inclusion.sum().item(), 9)
    /// (2, 2.0)
    #[pyo3(signature = (arms, k, *, prefer = None, belief = None, objectives = None, floor = None, include = None,
                        exclude = None, baseline = None, exposures = None))]
    #[expect(clippy::too_many_arguments, reason = "they are given by name")]
    fn decide_list<'py>(
        &self,
        py: Python<'py>,
        arms: Option<&Bound<'py, PyAny>>,
        k: usize,
        prefer: Option<&Bound<'py, PyAny>>,
        belief: Option<&Bound<'py, PyAny>>,
        objectives: Option<&Bound<'py, PyAny>>,
        floor: Option<&Bound<'py, PyAny>>,
        include: Option<&Bound<'py, PyAny>>,
        exclude: Option<&Bound<'py, PyAny>>,
        baseline: Option<&Bound<'py, PyAny>>,
        exposures: Option<Items<u64>>,
    ) -> PyResult<List<'py>> {
        let parts = [prefer, belief, objectives, floor, include, exclude, baseline];
        let config = play(py, parts)?.unwrap_or_default();
        let counts = exposures.map(|Items(counts)| counts).unwrap_or_default();
        let list = self.play_on(py, arms, &config, |play, engine, offered, rng| {
            let list = play.decide_list(engine.policy(), offered.set, &counts, k, rng)?;
            if offered.is_lent && !is_finite(&list.inclusion) {
                let reason = "the inclusion probabilities are not finite".into();
                return Err(Error::ArrayChanged { reason });
            }
            Ok(list)
        })?;
        let arms = list.arms.iter().map(|ArmId(index)| *index as i64).collect();
        Ok((PyArray1::from_vec(py, arms), PyArray1::from_vec(py, list.inclusion)))
    }

    /// One decision for each of many arm sets of one size (sets, arms, features), as if they were made one by one. A list of
    /// sparse matrices, one per set, is read without its zeros.
    ///
    /// >>> import moglb, numpy as np
    /// >>> policy = moglb.MoglbUcb(2, ["click"], seed=7)
    /// >>> policy.decide_many(np.full((3, 4, 2), 0.1)).probabilities.shape
    /// (3, 4)
    #[pyo3(signature = (arms, *, tables = true))]
    fn decide_many(&self, arms: &Bound<'_, PyAny>, tables: bool) -> PyResult<PyDecisionBatch> {
        let py = arms.py();
        if let Some(sets) = sparse_sets(arms)? {
            return self.decide_on_each(py, &sets, tables);
        }
        let sets = cube(arms, "arms")?;
        let (n_arms, dim) = (sets.as_array().shape()[1], sets.as_array().shape()[2]);
        let (n_sets, data) = (sets.as_array().shape()[0], sets.as_slice()?);
        let mut decision = self.pool.take();
        decision.tables = tables;
        let work = || {
            let engine = self.engine.read()?;
            let problem = engine.policy().problem();
            if dim != problem.dim() {
                return Err(Some(Error::Dimension { expected: problem.dim(), got: dim }));
            }
            let size = n_arms * dim;
            // All sets are checked before the first number is drawn.
            let set = |k: usize| moglb::ArmSet::borrowed(dim, &data[k * size..][..size]);
            let sets = (0..n_sets).map(set).collect::<Result<Vec<_>, _>>()?;
            sets.iter().try_for_each(|set| engine.policy().problem().check_arms(set))?;
            let mut rng = self.generator()?;
            let mut batch = PyDecisionBatch::new(n_arms);
            for set in &sets {
                engine.policy().decide_into(set, &mut rng, &mut decision)?;
                Offered { set, is_lent: true }.check(&engine, &decision)?;
                batch.push(&decision);
            }
            Ok(batch)
        };
        let batch = py.detach(|| unchanged(true, work));
        self.pool.give_back(decision);
        batch.map_err(|error| refused(py, &error.unwrap_or(Error::NoArms)))
    }

    /// Learns the reward vector of a played arm: its context, or its position where arms are fixed or learned one by one.
    ///
    /// >>> import moglb
    /// >>> policy = moglb.MoglbUcb(2, ["click", "view"])
    /// >>> policy.learn([0.6, 0.1], [1.0, 0.0])
    /// >>> policy.t
    /// 1
    #[pyo3(signature = (x, reward, arm = None))]
    fn learn(
        &self,
        x: &Bound<'_, PyAny>,
        reward: &Bound<'_, PyAny>,
        arm: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let played = PlayedArm::read(x, arm.map(crate::arrays::position).transpose()?)?;
        let plain = reward.is_exact_instance_of::<PyList>() || reward.is_exact_instance_of::<PyTuple>();
        if plain && let Ok(numbers) = reward.extract::<Vec<f64>>() {
            return self.learn_one(x.py(), &played, &numbers);
        }
        let reward = vector(reward, "reward")?;
        self.learn_one(x.py(), &played, reward.as_slice()?)
    }

    /// Learns the parts of a reward vector that are known by now; NaN is what is not. The rest may come in later calls, or
    /// never: a missing part weighs nothing. Only policies that `learns_parts`.
    ///
    /// >>> import moglb
    /// >>> policy = moglb.MoglbUcb(2, ["click", "sale"])
    /// >>> policy.learn_part([0.6, 0.1], [1.0, float("nan")])
    /// >>> policy.learn_part([0.6, 0.1], [float("nan"), 0.0])
    #[pyo3(signature = (x, reward, arm = None))]
    fn learn_part(
        &self,
        x: &Bound<'_, PyAny>,
        reward: &Bound<'_, PyAny>,
        arm: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let played = PlayedArm::read(x, arm.map(crate::arrays::position).transpose()?)?;
        let reward = known(vector(reward, "reward")?.as_slice()?);
        self.on_played(x.py(), &played, |engine, arm| engine.policy_mut().learn_part(arm, &reward))
    }

    /// Whether a part of a reward vector can be learned before, or without, the rest.
    ///
    /// >>> import moglb
    /// >>> moglb.MoglbUcb(2, ["click"]).learns_parts, moglb.PUcb(2, ["click"], n_arms=3).learns_parts
    /// (True, False)
    #[getter]
    fn learns_parts(&self, py: Python<'_>) -> PyResult<bool> {
        self.ask(py, |engine| engine.policy().facts().learns_parts)
    }

    /// Learns many reward vectors, all or none, in their order. NaN in Y is not yet known: a policy that `learns_parts` learns
    /// the rest of the row, others leave it out. Returns which rows anything was learned of.
    ///
    /// >>> import moglb
    /// >>> policy = moglb.MoglbUcb(2, ["click", "sale"])
    /// >>> nan = float("nan")
    /// >>> policy.learn_many([[0.6, 0.1], [0.2, 0.7], [0.1, 0.1]], [[1, 0], [0, nan], [nan, nan]]).tolist()
    /// [True, True, False]
    #[pyo3(signature = (x, y, arms = None))]
    fn learn_many<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        arms: Option<Items<usize>>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let (py, arms) = (x.py(), arms.map(|Items(arms)| arms));
        // What is learned is copied first: an array that changed between its check and its use would spoil the policy.
        let (n_rows, dim, checked, contexts) = match InputArms::read(x, "X")? {
            InputArms::Checked(set) => (set.n_arms(), set.dim(), Some(set), Vec::new()),
            InputArms::Rows(x, n_rows, dim) => (n_rows, dim, None, x.owned()?),
        };
        let (y, shape) = Held::<'_, Ix2>::read(y, "Y", 2)?;
        let ((n_rewards, m), rewards) = (shape.into_pattern(), y.owned()?);
        let lengths = [n_rewards, arms.as_ref().map_or(n_rows, Vec::len)];
        if let Some(other) = lengths.into_iter().find(|&length| length != n_rows) {
            let message = format!("{n_rows} contexts and {other} rewards or arms do not go together");
            return Err(raised(py, "rows", &message));
        }
        let learned = py.detach(|| {
            let mut engine = self.engine.write()?;
            if arms.is_none() && engine.wants_position() {
                return Ok(None);
            }
            let problem = engine.policy().problem();
            if dim != problem.dim() {
                return Err(Error::Dimension { expected: problem.dim(), got: dim });
            }
            if m != problem.n_objectives() {
                return Err(Error::RewardLength { expected: problem.n_objectives(), got: m });
            }
            let row = |k: usize| -> Result<(Arm<'_>, &[f64]), Error> {
                let id = ArmId(arms.as_ref().map_or(0, |arms| arms[k]));
                let arm = match &checked {
                    Some(set) => set.arm(ArmId(k)).renamed(id),
                    None => Arm::new(id, &contexts[k * dim..][..dim])?,
                };
                Ok((arm, &rewards[k * m..][..m]))
            };
            let parts = engine.policy().facts().learns_parts;
            let is_known = |k: usize| {
                let unknown = rewards[k * m..][..m].iter().filter(|y| y.is_nan()).count();
                unknown == 0 || parts && unknown < m
            };
            let learned: Vec<bool> = (0..n_rows).map(is_known).collect();
            for k in 0..n_rows {
                let (arm, reward) = row(k)?;
                if learned[k] {
                    engine.policy().problem().check_part(arm, &known(reward))?;
                }
            }
            let before = if engine.has_foreign_links() { Some(engine.twin()?) } else { None };
            for k in (0..n_rows).filter(|&k| learned[k]) {
                let (arm, reward) = row(k)?;
                let is_whole = reward.iter().all(|y| !y.is_nan());
                let policy = engine.policy_mut();
                let done =
                    if is_whole { policy.learn(arm, reward) } else { policy.learn_part(arm, &known(reward)) };
                if let Err(error) = done {
                    engine.take_over(before.expect("only links from outside fail after the check"));
                    return Err(error);
                }
            }
            Ok(Some(learned))
        });
        let learned = learned.map_err(|error: Error| refused(py, &error))?;
        let message = "this policy learns by arm: pass arms=";
        Ok(PyArray1::from_vec(py, learned.ok_or_else(|| raised(py, "input-type", message))?))
    }

    /// The arms of the last `fix_arms`.
    #[getter]
    fn fixed_arms(&self, py: Python<'_>) -> PyResult<Option<PyArmSet>> {
        Ok(self.fixed(py)?.map(|set| PyArmSet { set }))
    }

    /// Says that these arms, and no others, will be on offer from now on: deciding is then much faster, and decides the
    /// same.
    ///
    /// >>> import moglb
    /// >>> policy = moglb.MoglbUcb(2, ["click"], seed=7)
    /// >>> policy.fix_arms([[0.6, 0.1], [0.2, 0.7]])
    /// >>> d = policy.decide(tables=False)
    /// >>> policy.learn(d.arm, [1.0])
    fn fix_arms(&self, arms: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = arms.py();
        let given = InputArms::read(arms, "arms")?;
        let set = match given {
            InputArms::Checked(set) => set,
            InputArms::Rows(numbers, _, dim) => {
                let set = moglb::ArmSet::new(dim, numbers.owned()?, Norms::Strict);
                Arc::new(set.map_err(|error| refused(py, &error))?)
            }
        };
        let fixed = py.detach(|| {
            let mut engine = self.engine.write()?;
            engine.policy_mut().fix_arms(&set)?;
            engine.fixed = Some(set);
            Ok(())
        });
        fixed.map_err(|error: Error| refused(py, &error))
    }

    /// The approximate front of some arms, as positions, without drawing. Of a policy that samples (Thompson sampling) it is
    /// that of one fixed sample.
    ///
    /// >>> import moglb
    /// >>> moglb.MoglbUcb(2, ["click"]).front([[0.6, 0.1], [0.2, 0.7]]).tolist()
    /// [0, 1]
    #[pyo3(signature = (arms = None))]
    fn front<'py>(
        &self,
        py: Python<'py>,
        arms: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let take = |decision: &mut moglb::Decision| decision.front.iter().map(|arm| arm.0 as i64).collect();
        let front: Vec<i64> = self.decide_on(py, arms, false, None, take)?;
        Ok(PyArray1::from_vec(py, front))
    }

    /// The expected reward of each arm (rows) in each objective (columns), as the policy sees it now. NaN in objectives that it
    /// has no estimate of: all of them for `Random`, all but its target for a policy made for a single objective.
    ///
    /// >>> import moglb
    /// >>> moglb.MoglbUcb(2, ["click"]).predict([[0.6, 0.1]]).tolist()
    /// [[0.5]]
    #[pyo3(signature = (arms = None))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        arms: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let [means] = self.means(py, arms, [0.0])?;
        Ok(means)
    }

    /// Lower and upper confidence bounds of the expected rewards; NaN where `predict` is.
    ///
    /// >>> import moglb
    /// >>> policy = moglb.MoglbUcb(2, ["click"], width=moglb.Tightened(0.05))
    /// >>> policy.learn([0.6, 0.1], [1.0])
    /// >>> lower, upper = policy.predict_bounds([[0.6, 0.1]])
    /// >>> bool(lower < policy.predict([[0.6, 0.1]]) < upper)
    /// True
    #[pyo3(signature = (arms = None))]
    fn predict_bounds<'py>(
        &self,
        py: Python<'py>,
        arms: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bounds<'py>> {
        let [lower, upper] = self.means(py, arms, [-1.0, 1.0])?;
        Ok((lower, upper))
    }

    /// The number of rewards learned.
    #[getter]
    fn t(&self, py: Python<'_>) -> PyResult<u64> {
        self.ask(py, |engine| engine.policy().t())
    }

    /// How often an estimate had to be projected back onto the ball.
    #[getter]
    fn projection_hits(&self, py: Python<'_>) -> PyResult<u64> {
        self.ask(py, |engine| engine.policy().model().map_or(0, |model| model.projection_hits()))
    }

    /// The learned policy as JSON, with the version of its format; bits are kept.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, |engine| engine.policy().to_json())
    }

    /// The learned policy as bytes, with a checksum.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.ask(py, |engine| engine.policy().to_bytes())?))
    }

    /// Where the generator is, as text: with it and a snapshot a policy goes on as if it had never been away.
    #[getter]
    fn rng_state(&self, py: Python<'_>) -> PyResult<String> {
        self.rng.ask(py, |rng| generator::to_text(rng))
    }

    /// Takes the place of the learned state, from JSON or bytes.
    fn _resume(&self, snapshot: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = snapshot.py();
        let restored =
            snapshot_of(snapshot)?.and_then(Engine::restore).map_err(|error| refused(py, &error))?;
        py.detach(|| self.engine.replace(restored)).map_err(|error| refused(py, &error))
    }

    /// Starts, or starts anew, with these parameters.
    fn _rebuild(&self, problem: &Bound<'_, PyDict>, policy: &Bound<'_, PyDict>, seed: u64) -> PyResult<()> {
        let built = engine(problem, policy)?;
        let rebuilt = problem.py().detach(|| {
            self.engine.replace(built)?;
            *self.rng.lock()? = generator::seeded(seed);
            Ok(())
        });
        rebuilt.map_err(|error: Error| refused(problem.py(), &error))
    }

    /// What is believed about each objective by now, as JSON.
    fn _beliefs(&self, py: Python<'_>) -> PyResult<String> {
        let beliefs =
            self.ask(py, |engine| engine.policy().model().map_or_else(Vec::new, |model| model.beliefs()))?;
        Ok(serde_json::to_string(&beliefs).expect("numbers can be written"))
    }

    /// Changes objectives or arms, as a dictionary says or, where it holds `None`, JSON; what is known of those that stay is kept.
    fn _change(&self, change: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = change.py();
        let wrong = |error: serde_json::Error| raised(py, "parameters", &error.to_string());
        let change: Change = match change.extract::<String>() {
            Ok(text) => serde_json::from_str(&text).map_err(wrong)?,
            Err(_) => serde_json::from_value(value("the change", change)?).map_err(wrong)?,
        };
        let changed = py.detach(|| {
            let mut engine = self.engine.write()?;
            let keeps_arms = change.keeps_arms();
            let changed = Engine::restore(change.apply(engine.policy().snapshot())?)?;
            if !keeps_arms {
                engine.fixed = None;
            }
            engine.take_over(changed);
            Ok(())
        });
        changed.map_err(|error: Error| refused(py, &error))
    }

    /// Decides on the fixed arms; the decision and the context of its arm.
    fn _decide_fixed<'py>(&self, py: Python<'py>) -> PyResult<(PyDecision, Bound<'py, PyArray1<f64>>)> {
        let mut decision = self.pool.take();
        decision.tables = true;
        let context = self.on_arms(py, None, |engine, fixed| {
            engine.policy().decide_into(fixed.set, &mut self.generator()?, &mut decision)?;
            Ok(fixed.set.context(decision.arm.0).to_vec())
        });
        let decided = context.map(|context| {
            (PyDecision::of(py, &mut decision, 0.0, &self.pool), PyArray1::from_vec(py, context))
        });
        self.pool.give_back(decision);
        decided
    }

    /// What was learned, where the generator is, and the fixed arms, all at one moment.
    fn _whole<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyBytes>, String, Option<PyArmSet>)> {
        let whole = py.detach(|| {
            let engine = self.engine.write()?;
            let rng = generator::to_text(&*self.rng.lock()?);
            Ok((engine.policy().to_bytes(), rng, engine.fixed.clone()))
        });
        let (bytes, rng, fixed) = whole.map_err(|error: Error| refused(py, &error))?;
        Ok((PyBytes::new(py, &bytes), rng, fixed.map(|set| PyArmSet { set })))
    }

    fn _set_rng_state(&self, py: Python<'_>, state: &str) -> PyResult<()> {
        let message = "the state of a generator is written by rng_state";
        let rng = generator::from_text(state).ok_or_else(|| raised(py, "parameters", message))?;
        self.rng.ask(py, |mine| *mine = rng)
    }

    /// Problem and policy of a snapshot, as JSON.
    #[staticmethod]
    fn _parts(snapshot: &Bound<'_, PyAny>) -> PyResult<(String, String)> {
        let py = snapshot.py();
        let snapshot = snapshot_of(snapshot)?.map_err(|error| refused(py, &error))?;
        let text = |value: serde_json::Result<String>| value.expect("a configuration can be written");
        Ok((text(serde_json::to_string(&snapshot.problem)), text(serde_json::to_string(&snapshot.policy))))
    }

    /// Refuses a problem and a policy that are not those of a snapshot.
    #[staticmethod]
    fn _check_made_with(
        snapshot: &Bound<'_, PyAny>,
        problem: &Bound<'_, PyDict>,
        policy: &Bound<'_, PyDict>,
    ) -> PyResult<()> {
        let py = snapshot.py();
        let learned = snapshot_of(snapshot)?.map_err(|error| refused(py, &error))?;
        let made = engine(problem, policy)?;
        let parts = |snapshot: &PolicySnapshot| {
            let text = serde_json::to_value((&snapshot.problem, &snapshot.policy));
            text.expect("a configuration can be written")
        };
        if py.detach(|| parts(&made.policy().snapshot()) == parts(&learned)) {
            return Ok(());
        }
        Err(raised(py, "snapshot-policy", "the policy was not made with the parameters that came with it"))
    }

    /// θ̂, one row per objective.
    fn _theta<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let theta = self.of_kind(py, Kind::theta)?;
        to_array(py, &theta)
    }

    /// Z, one for all objectives or one for each.
    fn _z<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let grams = self.of_kind(py, |kind| {
            Some(kind.confidence_sets()?.grams().iter().map(|z| z.to_dense()).collect::<Vec<_>>())
        })?;
        if let [z] = &grams[..] {
            return Ok(to_array(py, z)?.into_any());
        }
        let data: Vec<f64> = grams.iter().flat_map(|z| z.as_slice().iter().copied()).collect();
        let (m, d) = (grams.len(), grams[0].n_rows());
        let cube: Bound<'py, PyArray3<f64>> = PyArray1::from_vec(py, data).reshape([m, d, d])?;
        Ok(cube.into_any())
    }

    /// log det(Z_t)/det(Z_1), one for all objectives or one for each.
    fn _log_det<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let log_dets =
            |kind: &Kind| Some(kind.confidence_sets()?.grams().iter().map(|z| z.log_det_ratio()).collect());
        one_or_many(py, self.of_kind(py, log_dets)?)
    }

    /// γ, one for all objectives or one for each.
    fn _gamma<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        one_or_many(py, self.of_kind(py, |kind| Some(kind.confidence_sets()?.gammas()))?)
    }

    /// What the objectives of MOGLB-EB share, larger is better.
    fn _shared_mean<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mean = self.of_kind(py, |kind| Some(kind.moglb_eb()?.shared_mean().to_vec()))?;
        Ok(PyArray1::from_vec(py, mean))
    }

    /// τ² and ρ² of MOGLB-EB.
    fn _scales(&self, py: Python<'_>) -> PyResult<(f64, f64)> {
        self.of_kind(py, |kind| Some(kind.moglb_eb()?.scales()))
    }

    /// The chance of each arm to be on the front, as MOGLB-EB sees it.
    fn _chances<'py>(
        &self,
        py: Python<'py>,
        arms: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let chances = self.on_arms(py, arms, |engine, offered| {
            let chances = engine.kind.moglb_eb().map(|policy| policy.chances(offered.set)).transpose()?;
            if chances.as_ref().is_some_and(|chances| !is_finite(chances)) {
                return Err(Error::ArrayChanged { reason: "the chances are not finite".into() });
            }
            Ok(chances)
        })?;
        Ok(PyArray1::from_vec(py, had(py, chances)?))
    }
}

/// Lower and upper.
type Bounds<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>);

fn had<T>(py: Python<'_>, answer: Option<T>) -> PyResult<T> {
    answer.ok_or_else(|| raised(py, "input-type", "policies of this kind do not have that"))
}

fn one_or_many(py: Python<'_>, values: Vec<f64>) -> PyResult<Bound<'_, PyAny>> {
    match values[..] {
        [value] => Ok(value.into_pyobject(py)?.into_any()),
        _ => Ok(PyArray1::from_vec(py, values).into_any()),
    }
}

impl PyPolicy {
    /// What policies of some kinds have.
    fn of_kind<R: Send>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&Kind) -> Option<R> + Send,
    ) -> PyResult<R> {
        had(py, self.ask(py, |engine| question(&engine.kind))?)
    }

    /// The means at estimates plus some multiples of the widths, for each arm in each objective; NaN where the policy has no
    /// estimate.
    fn means<'py, const N: usize>(
        &self,
        py: Python<'py>,
        arms: Option<&Bound<'py, PyAny>>,
        shifts: [f64; N],
    ) -> PyResult<[Bound<'py, PyArray2<f64>>; N]> {
        let (problem, scale, target) = self.ask(py, |engine| {
            (engine.policy().problem().clone(), engine.policy().facts().scale, engine.target.clone())
        })?;
        let take = |decision: &mut moglb::Decision| {
            (std::mem::take(&mut decision.estimates), std::mem::take(&mut decision.widths))
        };
        let (estimates, widths) = self.decide_on(py, arms, true, None, take)?;
        let objectives = problem.objectives();
        let columns: Vec<Option<usize>> = (0..objectives.len())
            .map(|i| column(i, objectives.len(), estimates.n_cols(), target.as_ref()))
            .collect();
        let mut means = Vec::new();
        for shift in shifts {
            let mean = |arm: usize, i: usize| {
                let Some(column) = columns[i] else { return f64::NAN };
                let (estimate, width) = (estimates.row(arm)[column], widths.row(arm)[column]);
                let score = if shift == 0.0 { estimate } else { estimate + shift * width };
                scale.mean(&objectives[i], score)
            };
            let rows = (0..estimates.n_rows()).flat_map(|arm| (0..columns.len()).map(move |i| (arm, i)));
            let values: Vec<f64> = rows.map(|(arm, i)| mean(arm, i)).collect();
            means.push(PyArray1::from_vec(py, values).reshape([estimates.n_rows(), columns.len()])?);
        }
        if let Some(failure) = crate::link::take_failure() {
            return Err(failure);
        }
        Ok(means.try_into().expect("one for each shift"))
    }
}

/// The column of an objective in a table of estimates: its own where there is one for each, the only one where nothing else is
/// pursued. What a policy knows about a weighted sum says nothing about the parts.
fn column(i: usize, n_objectives: usize, n_columns: usize, target: Option<&Target>) -> Option<usize> {
    match target {
        None => Some(i).filter(|_| n_columns == n_objectives),
        Some(Target::Objective(pursued)) => Some(0).filter(|_| *pursued == i && n_columns == 1),
        Some(Target::Weights(_)) => None,
    }
}

/// What is known about every policy, as JSON.
#[pyfunction]
pub(crate) fn policies() -> String {
    serde_json::to_string(&moglb::POLICIES).expect("text and numbers")
}

/// The id of the policy to begin with.
#[pyfunction]
pub(crate) fn recommended() -> &'static str {
    moglb::PolicyConfig::recommended().id()
}
