//! The learned part of a certificate: the confidence sequences in use. All learn the same rewards, and each
//! bounds the differences between pairs of arms.

use crate::certificate::Source;
use crate::certificate::ellipsoids::Shadow;
use crate::certificate::intervals::Intervals;
use crate::certificate::sequence::SequenceState;
use crate::{CertificateConfig, CertificateState};
use moglb_core::arm_stats::ArmStats;
use moglb_core::moglb_ucb::snapshot::LearnerState;
use moglb_core::saved::{Saved, damaged};
use moglb_core::{Arm, ArmSet, Kappa, Link, MoglbUcb, MoglbUcbConfig, Policy, Problem, Width};
use moglb_math::{Error, Matrix};
use moglb_pareto::ArmId;
use moglb_rivals::glm::Record;
use moglb_rivals::glm::ratio_set::RatioSet;
use moglb_rivals::{MoGlbOmd, MoGlbOmdConfig};

/// The confidence sequences of a certificate, with the statistics per arm.
#[derive(Debug, Clone)]
pub(super) struct Evidence {
    problem: Problem,
    config: CertificateConfig,
    /// δ of each source.
    delta: f64,
    pub(super) stats: ArmStats,
    /// The recursion of Eqs. (1) and (2), for Theorem 1 and its tightening.
    newton: Option<MoglbUcb>,
    mirror: Option<MoGlbOmd>,
    ratios: Vec<RatioSet>,
    /// θ̂ of the likelihood ratios at the last check; the next search begins there.
    thetas: Vec<Vec<f64>>,
}

/// The bounds of all sources at one time.
pub(super) struct EvidenceView {
    shadows: Vec<Shadow>,
    intervals: Option<Intervals>,
    /// θ̂ of the likelihood ratios.
    thetas: Vec<Vec<f64>>,
}

impl Evidence {
    /// Evidence without rewards, for a problem with a fixed number of arms.
    pub(super) fn new(problem: Problem, config: CertificateConfig) -> Result<Self, Error> {
        let uses = |source: Source| config.sources.contains(&source);
        let delta = config.delta / config.sources.len() as f64;
        let newton = uses(Source::Theorem1) || uses(Source::Tightened);
        let newton = newton.then(|| {
            let width = Width::Tightened { delta };
            let config = MoglbUcbConfig { width, kappa: Kappa::PerObjective, ..Default::default() };
            MoglbUcb::new(problem.clone(), config)
        });
        let mirror = uses(Source::GlbOmd).then(|| {
            check_canonical(&problem)?;
            MoGlbOmd::new(problem.clone(), MoGlbOmdConfig { delta, ..Default::default() })
        });
        let ratios = if uses(Source::LikelihoodRatio) { RatioSet::all(&problem, delta)? } else { Vec::new() };
        Ok(Self {
            stats: ArmStats::new(&problem, "certificate")?,
            newton: newton.transpose()?,
            mirror: mirror.transpose()?,
            thetas: vec![vec![0.0; problem.dim()]; ratios.len()],
            ratios,
            problem,
            config,
            delta,
        })
    }

    /// Learns a reward vector. On an error nothing changes.
    pub(super) fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        // A custom link can fail here. The other sources use no custom links.
        if let Some(newton) = &mut self.newton {
            newton.learn(arm, reward)?;
        }
        if let Some(mirror) = &mut self.mirror {
            mirror.learn(arm, reward)?;
        }
        self.stats.add(arm, reward, self.problem.objectives());
        Ok(())
    }

    /// The bounds of all sources now.
    pub(super) fn view(&self, arms: &ArmSet) -> EvidenceView {
        let mut view = EvidenceView { shadows: Vec::new(), intervals: None, thetas: Vec::new() };
        for source in &self.config.sources {
            match source {
                Source::Theorem1 => {
                    view.shadows.push(self.newton_shadow(arms, Width::Proved { delta: self.delta }))
                }
                Source::Tightened => {
                    view.shadows.push(self.newton_shadow(arms, Width::Tightened { delta: self.delta }));
                }
                Source::GlbOmd => view.shadows.push(self.mirror_shadow(arms)),
                Source::LikelihoodRatio => self.add_ratio_shadow(arms, &mut view),
                Source::Intervals => {
                    let scale = self.config.scale;
                    view.intervals = Some(Intervals::new(&self.problem, &self.stats, self.delta, scale));
                }
            }
        }
        view
    }

    /// Keeps the parts of a view that make the next one cheaper.
    pub(super) fn keep(&mut self, view: EvidenceView) {
        self.thetas = view.thetas;
    }

    fn newton_shadow(&self, arms: &ArmSet, width: Width) -> Shadow {
        let newton = self.newton.as_ref().expect("made for its sources");
        let theta = self.inner(&newton.theta());
        let kappas: Vec<f64> = self.problem.constants().iter().map(|constants| constants.kappa).collect();
        Shadow::new(
            &self.problem,
            arms,
            |i| theta.row(i),
            &numbered(&kappas),
            |i| self.config.scale * newton.gamma_by(width, i).sqrt(),
            |i, x| newton.gram(i).image(x),
        )
    }

    fn mirror_shadow(&self, arms: &ArmSet) -> Shadow {
        let mirror = self.mirror.as_ref().expect("made for its source");
        let theta = self.inner(&mirror.theta());
        let own: Vec<usize> = (0..self.problem.n_objectives()).collect();
        Shadow::new(
            &self.problem,
            arms,
            |i| theta.row(i),
            &own,
            |i| self.config.scale * mirror.radius(i),
            |i, x| mirror.gram(i).image(x),
        )
    }

    fn add_ratio_shadow(&self, arms: &ArmSet, view: &mut EvidenceView) {
        let of =
            |(i, (set, start)): (usize, (&RatioSet, &Vec<f64>))| set.ellipsoid(start, self.played(arms, i));
        let ellipsoids: Vec<_> = self.ratios.iter().zip(&self.thetas).enumerate().map(of).collect();
        let own: Vec<usize> = (0..ellipsoids.len()).collect();
        view.shadows.push(Shadow::new(
            &self.problem,
            arms,
            |i| &ellipsoids[i].theta,
            &own,
            |i| self.config.scale * ellipsoids[i].radius,
            |i, x| ellipsoids[i].image(x),
        ));
        view.thetas = ellipsoids.into_iter().map(|ellipsoid| ellipsoid.theta).collect();
    }

    /// The arms that were played, with the number and the mean of their rewards in an objective.
    fn played<'a>(&'a self, arms: &'a ArmSet, objective: usize) -> impl Iterator<Item = Record<'a>> {
        let played = (0..arms.n_arms()).filter(|&arm| self.stats.count(arm) > 0);
        played.map(move |arm| {
            let count = self.stats.count(arm) as f64;
            let mean =
                self.problem.objectives()[objective].from_unit(self.stats.sums(arm)[objective] / count);
            Record { x: arms.context(arm), count, mean }
        })
    }

    /// Coefficients with signs such that larger is better.
    fn inner(&self, theta: &Matrix) -> Matrix {
        self.problem.outward(|i| theta.row(i).iter().copied())
    }

    pub(super) fn state_into(&self, state: &mut CertificateState) {
        state.stats = self.stats.clone();
        state.thetas = self.thetas.clone();
        let newton = self.newton.iter().map(|newton| SequenceState::MoglbUcb(newton.whole_state()));
        let mirror = self.mirror.iter().map(|mirror| SequenceState::GlbOmd(mirror.state()));
        state.sequences = newton.chain(mirror).collect();
    }

    /// Restores a saved state. On an error nothing changes.
    pub(super) fn resume(&mut self, state: &CertificateState) -> Result<(), Error> {
        let mut next = self.clone();
        state.stats.check_like(&self.stats)?;
        next.stats = state.stats.clone();
        next.resume_sequences(&state.sequences)?;
        let in_ball = |theta: &Vec<f64>| {
            theta.len() == self.problem.dim()
                && moglb_math::kernel::norm(theta) <= self.problem.radius() * (1.0 + 1e-9)
        };
        if state.thetas.len() != self.thetas.len() || !state.thetas.iter().all(in_ball) {
            return Err(damaged(&"the estimates are of another size or out of bounds"));
        }
        next.thetas = state.thetas.clone();
        *self = next;
        Ok(())
    }

    fn resume_sequences(&mut self, states: &[SequenceState]) -> Result<(), Error> {
        let rounds = self.stats.rounds();
        let mut states = states.iter().cloned();
        if let Some(newton) = &mut self.newton {
            match states.next() {
                Some(SequenceState::MoglbUcb(state)) => newton.resume(LearnerState::Whole(state))?,
                _ => return Err(damaged(&"the confidence sequence of Theorem 1 is missing")),
            }
            check_sequence(newton.t(), rounds)?;
        }
        if let Some(mirror) = &mut self.mirror {
            match states.next() {
                Some(SequenceState::GlbOmd(state)) => mirror.resume(state)?,
                _ => return Err(damaged(&"the confidence sequence of GLB-OMD is missing")),
            }
            check_sequence(mirror.t(), rounds)?;
        }
        if states.next().is_some() {
            return Err(damaged(&"a confidence sequence too many"));
        }
        Ok(())
    }
}

impl EvidenceView {
    /// Bounds on μᵢ(x′) − μᵢ(x), larger is better: the tightest bounds of all sources.
    pub(super) fn difference(&self, objective: usize, better: ArmId, worse: ArmId) -> (f64, f64) {
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        let shadows = self.shadows.iter().map(|shadow| shadow.difference(objective, better.0, worse.0));
        let intervals =
            self.intervals.iter().map(|intervals| intervals.difference(objective, better.0, worse.0));
        for (source_low, source_high) in shadows.chain(intervals) {
            low = low.max(source_low);
            high = high.min(source_high);
        }
        (low, high)
    }
}

/// Refuses a confidence sequence that has not learned every reward.
fn check_sequence(learned: u64, rounds: u64) -> Result<(), Error> {
    if learned == rounds { Ok(()) } else { Err(damaged(&"a confidence sequence of other rounds")) }
}

/// Refuses links and rewards for which the set of GLB-OMD is not proved.
fn check_canonical(problem: &Problem) -> Result<(), Error> {
    let proved = problem.objectives().iter().all(|objective| {
        let (low, high) = objective.rewards();
        match objective.link {
            Link::Logit => low >= 0.0 && high <= 1.0,
            Link::Identity => high - low <= 2.0,
            _ => false,
        }
    });
    if proved {
        return Ok(());
    }
    Err(Error::Parameters {
        what: "the set of GLB-OMD is proved for logit with rewards in [0, 1] and for identity with rewards \
               in an interval of length 2",
    })
}

/// For each value the index of its first equal among the distinct values, in order of appearance.
fn numbered(values: &[f64]) -> Vec<usize> {
    let mut distinct: Vec<f64> = Vec::new();
    let number = |value: &f64| {
        distinct.iter().position(|known| known == value).unwrap_or_else(|| {
            distinct.push(*value);
            distinct.len() - 1
        })
    };
    values.iter().map(number).collect()
}
