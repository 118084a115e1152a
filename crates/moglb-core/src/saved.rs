//! Policies whose learned state is a value: it can be read, serialized, checked and restored.

use crate::Policy;
use crate::describe::PolicyInfo;
use crate::estimate::Estimate;
use crate::{Problem, ProblemConfig};
use moglb_math::Error;
use moglb_math::kernel::norm;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A policy whose learned state can be read as a value and restored, bit for bit.
///
/// The registry implements `Restorable` on top of it: snapshots of any policy, as JSON and as bytes.
///
/// ```
/// use moglb::{Link, MoglbUcb, MoglbUcbConfig, Objective, Problem, Saved};
///
/// let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)])?;
/// let mut policy = MoglbUcb::new(problem, MoglbUcbConfig::default())?;
/// let state = Saved::state(&policy);
/// Saved::resume(&mut policy, state)?;
/// assert_eq!(Saved::t(&policy), 0);
/// # Ok::<(), moglb::Error>(())
/// ```
pub trait Saved: Policy + Sized {
    /// The type of the parameters.
    type Config: Clone;

    /// The type of the learned state.
    type State: Learned;

    /// The description.
    const INFO: &'static PolicyInfo;

    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// The errors of the policy's `new`.
    fn make(problem: Problem, config: Self::Config) -> Result<Self, Error>;

    /// Returns the problem.
    fn problem(&self) -> &Problem;

    /// Returns the parameters, with defaults resolved.
    fn config(&self) -> &Self::Config;

    /// Returns the number of rewards learned.
    fn t(&self) -> u64;

    /// Returns the learned state.
    fn state(&self) -> Self::State;

    /// Replaces the learned state by one of the same problem and parameters.
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotDamaged`] if the state cannot belong to this policy. Then the policy has not changed.
    fn resume(&mut self, state: Self::State) -> Result<(), Error>;
}

/// A part of a policy's learned state, such as a Gram matrix or a counter. It can be serialized and restored.
///
/// The macro `saved!` composes the state of a policy from its parts.
pub trait SavedPart: Sized {
    /// The serialized form.
    type State;

    /// Returns the serialized form.
    fn state(&self) -> Self::State;

    /// Returns a part with this state. Its size and its parameters come from `self`.
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotDamaged`] if the state cannot result from any rounds.
    fn resumed(&self, state: Self::State) -> Result<Self, Error>;
}

/// The number of rounds. It is checked, as the next round must not overflow it.
impl SavedPart for u64 {
    type State = Self;

    fn state(&self) -> Self {
        *self
    }

    fn resumed(&self, state: Self) -> Result<Self, Error> {
        check_rounds(state).map(|()| state)
    }
}

/// A fixed number of equal parts, one for each arm or objective.
impl<P: SavedPart> SavedPart for Vec<P> {
    type State = Vec<P::State>;

    fn state(&self) -> Self::State {
        self.iter().map(P::state).collect()
    }

    fn resumed(&self, state: Self::State) -> Result<Self, Error> {
        if state.len() != self.len() {
            return Err(damaged(&"the state has another number of parts"));
        }
        self.iter().zip(state).map(|(part, state)| part.resumed(state)).collect()
    }
}

/// An estimate θ. The policy checks its length and its norm.
impl SavedPart for Estimate {
    type State = Vec<f64>;

    fn state(&self) -> Vec<f64> {
        self.theta().collect()
    }

    fn resumed(&self, theta: Vec<f64>) -> Result<Self, Error> {
        Ok(Self::from_theta(&theta))
    }
}

/// Implements [`SavedPart`] for types that are their own serialized form. The policy checks them.
#[doc(hidden)]
#[macro_export]
macro_rules! plain {
    ($($part:ty),+) => {
        $( impl $crate::saved::SavedPart for $part {
            type State = Self;

            fn state(&self) -> Self {
                self.clone()
            }

            fn resumed(&self, state: Self) -> Result<Self, moglb_math::Error> {
                Ok(state)
            }
        } )+
    };
}
pub use plain;

plain!(f64);

/// Implements [`Saved`], or the methods of it that policies share. It uses the `INFO` and `new` of the
/// file, and the fields `problem` and `config` of the policy. Each form reads the state from fields of
/// the policy that implement [`SavedPart`]:
///
/// ```text
/// saved!(Policy: Config => State { rounds, weights });    a counter of rounds, and a part for each entry
/// saved!(Policy: Config => State { ridge, moments });     the first part has a method `rounds`
/// saved!(Policy: Config => State { balls: zoom });        one part: the field `zoom`, `balls` in the state
/// saved!(Policy: Config => State, learner);               one part, whose state is the whole state
/// saved!(Policy: Config => State, learner with problem);  the part also has the problem
/// saved!(Config => State);                                in an `impl Saved` that writes t, state and resume
/// ```
///
/// After the entries, `, check` names a method that refuses bad states before anything is changed, and
/// `then solve` names a method that computes the other fields from the state.
#[doc(hidden)]
#[macro_export]
macro_rules! saved {
    ($config:ty => $state:ty) => {
        $crate::saved!(@common $config => $state);

        fn problem(&self) -> &Problem {
            &self.problem
        }
    };
    (@common $config:ty => $state:ty) => {
        type Config = $config;
        type State = $state;
        const INFO: &'static $crate::PolicyInfo = &INFO;

        fn make(problem: Problem, config: $config) -> Result<Self, Error> {
            Self::new(problem, config)
        }

        fn config(&self) -> &$config {
            &self.config
        }
    };
    ($policy:ty: $config:ty => $state:ty, rounds) => {
        impl $crate::saved::Saved for $policy {
            $crate::saved!($config => $state);
            $crate::saved!(@whole $state, rounds, rounds);
        }
    };
    ($policy:ty: $config:ty => $state:ty, $learner:ident) => {
        impl $crate::saved::Saved for $policy {
            $crate::saved!($config => $state);
            $crate::saved!(@whole $state, $learner, $learner.rounds());
        }
    };
    ($policy:ty: $config:ty => $state:ty, $learner:ident with problem) => {
        impl $crate::saved::Saved for $policy {
            $crate::saved!(@common $config => $state);
            $crate::saved!(@whole $state, $learner, $learner.rounds());

            fn problem(&self) -> &Problem {
                self.$learner.problem()
            }
        }
    };
    (@whole $state:ty, $learner:ident, $($rounds:tt)+) => {
        fn t(&self) -> u64 {
            self.$($rounds)+
        }

        fn state(&self) -> $state {
            $crate::saved::SavedPart::state(&self.$learner)
        }

        fn resume(&mut self, state: $state) -> Result<(), Error> {
            self.$learner = $crate::saved::SavedPart::resumed(&self.$learner, state)?;
            Ok(())
        }
    };
    ($policy:ty: $config:ty => $state:ident { rounds $(, $part:ident)* } $($hooks:tt)*) => {
        impl $crate::saved::Saved for $policy {
            $crate::saved!($config => $state);
            $crate::saved!(@parts $state { rounds rounds $(, $part $part)* } (rounds) $($hooks)*);
        }
    };
    ($policy:ty: $config:ty => $state:ident { $first:ident $(, $part:ident)* } $($hooks:tt)*) => {
        impl $crate::saved::Saved for $policy {
            $crate::saved!($config => $state);
            $crate::saved!(@parts $state { $first $first $(, $part $part)* } ($first.rounds()) $($hooks)*);
        }
    };
    ($policy:ty: $config:ty => $state:ident { $part:ident: $field:ident } $($hooks:tt)*) => {
        impl $crate::saved::Saved for $policy {
            $crate::saved!($config => $state);
            $crate::saved!(@parts $state { $part $field } ($field.rounds()) $($hooks)*);
        }
    };
    (
        @parts $state:ident { $($part:ident $field:ident),+ } ($($rounds:tt)+)
        $(, $check:ident)? $(then $then:ident)?
    ) => {
        fn t(&self) -> u64 {
            self.$($rounds)+
        }

        fn state(&self) -> $state {
            $state { $( $part: $crate::saved::SavedPart::state(&self.$field), )+ }
        }

        fn resume(&mut self, state: $state) -> Result<(), Error> {
            $( self.$check(&state)?; )?
            $( let $part = $crate::saved::SavedPart::resumed(&self.$field, state.$part)?; )+
            // Nothing below can fail.
            $( self.$field = $part; )+
            $( self.$then(); )?
            Ok(())
        }
    };
}
pub use saved;

/// A learned state that can be serialized.
///
/// Example: [`Saved`].
pub trait Learned {
    /// Returns true if the state has the size of the problem. This is checked before memory is allocated: a
    /// damaged d or K could request more memory than there is.
    fn fits(&self, problem: &ProblemConfig) -> bool;
}

/// Implements [`Learned`]: `fits!(State, |state, problem| ..)`.
#[doc(hidden)]
#[macro_export]
macro_rules! fits {
    ($learned:ty, |$state:ident, $problem:ident| $fits:expr) => {
        impl $crate::saved::Learned for $learned {
            fn fits(&self, $problem: &$crate::ProblemConfig) -> bool {
                let $state = self;
                $fits
            }
        }
    };
}
pub use fits;

fits!(u64, |_rounds, _problem| true);

/// Returns true if there is a row of d for each objective.
pub(crate) fn rows_fit(rows: &[Vec<f64>], problem: &ProblemConfig) -> bool {
    rows.len() == problem.objectives.len() && rows.iter().all(|row| row.len() == problem.dim)
}

/// Reads the JSON of a format. The format is read first, because the fields of other versions are not known.
///
/// # Errors
///
/// [`Error::SnapshotFormat`] or [`Error::SnapshotDamaged`].
pub fn from_json<T: DeserializeOwned>(text: &str, expected: &str) -> Result<T, Error> {
    #[derive(Deserialize)]
    struct Format {
        format: String,
    }
    let Format { format } = serde_json::from_str(text).map_err(|error| damaged(&error))?;
    if format != expected {
        return Err(Error::SnapshotFormat { expected: expected.into(), got: format });
    }
    serde_json::from_str(text).map_err(|error| damaged(&error))
}

/// Returns the error of a damaged snapshot.
pub fn damaged(reason: &dyn std::fmt::Display) -> Error {
    Error::SnapshotDamaged { reason: reason.to_string() }
}

/// Refuses a number of rounds that f64 cannot count, or that the next round would overflow.
pub fn check_rounds(rounds: u64) -> Result<(), Error> {
    if rounds <= 1 << 53 { Ok(()) } else { Err(damaged(&format!("{rounds} rounds"))) }
}

/// The reason of a damaged snapshot with a wrong number of objectives.
pub(crate) const OTHER_OBJECTIVES: &str = "the state has another number of objectives";
/// The reason of a damaged snapshot with learned values but no rounds.
pub(crate) const FROM_NOTHING: &str = "something was learned in no round";

/// Refuses estimates of another length or outside of the ball, and estimates other than the first before
/// any round.
pub(crate) fn check_estimates(
    thetas: &[Vec<f64>],
    first: &[Vec<f64>],
    rounds: u64,
    radius: f64,
) -> Result<(), Error> {
    if thetas.iter().zip(first).any(|(theta, first)| theta.len() != first.len()) {
        return Err(damaged(&"an estimate has another number of features"));
    }
    if rounds == 0 && thetas != first {
        return Err(damaged(&FROM_NOTHING));
    }
    if !thetas.iter().all(|theta| norm(theta) <= radius * (1.0 + 1e-9)) {
        return Err(damaged(&"an estimate lies outside of the ball of radius D"));
    }
    Ok(())
}

/// Refuses rounds that cannot be counted, nonzero sums before any round, and sums of squares that are
/// negative or not finite.
pub(crate) fn check_sums(rounds: u64, sums: &[f64]) -> Result<(), Error> {
    check_rounds(rounds)?;
    if rounds == 0 && sums.iter().any(|&x| x != 0.0) {
        return Err(damaged(&FROM_NOTHING));
    }
    if !sums.iter().all(|&x| x.is_finite() && x >= 0.0) {
        return Err(damaged(&"a sum of squares is negative or not finite"));
    }
    Ok(())
}

/// Refuses more projections than estimates: each round projects each estimate at most once.
pub(crate) fn check_hits(hits: u64, rounds: u64, m: usize) -> Result<(), Error> {
    if hits <= rounds * m as u64 { Ok(()) } else { Err(damaged(&"more projections than estimates")) }
}

/// Refuses squared norms that exceed the number of rounds, since every ‖x‖ is at most one.
pub(crate) fn check_squared_norms(rounds: u64, squared_norms: f64) -> Result<(), Error> {
    if squared_norms > rounds as f64 * (1.0 + 1e-8) {
        return Err(damaged(&"the squared norms add up to more than the rounds"));
    }
    check_sums(rounds, &[squared_norms])
}
