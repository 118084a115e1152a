//! Descriptions of policies and their parameters, for `moglb policies`, the reports and Python.

use crate::Scalarization;
use crate::Target;
use moglb_math::Error;
use serde::Serialize;
use std::ops::RangeInclusive;

/// The description of a policy, for `moglb policies`, the reports and Python.
///
/// ```
/// let info = moglb::POLICIES.iter().find(|info| info.id == "moglb-ucb").unwrap();
/// assert!(info.has_front);
/// assert_eq!(info.parameters[0].name, "width");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PolicyInfo {
    /// The id, as in configurations.
    pub id: &'static str,
    /// The name, as in papers.
    pub name: &'static str,
    /// The source of the policy, usually a paper.
    pub source: &'static str,
    /// The kind of problem that the policy is made for.
    pub setting: &'static str,
    /// The proved guarantee.
    pub guarantee: &'static str,
    /// The cost of a round.
    pub cost: &'static str,
    /// True if the policy has a front, so that a Jaccard index is defined.
    pub has_front: bool,
    /// The parameters.
    pub parameters: &'static [Parameter],
    /// The departures from the source; empty if there are none.
    pub departures: &'static str,
}

/// The kind of values of a parameter.
///
/// Example: [`PolicyInfo`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A real number.
    Number,
    /// A whole number, not negative.
    Count,
    /// Yes or no.
    Flag,
    /// One of a few words.
    Word,
    /// A list of real numbers.
    Numbers,
    /// A list of lists of real numbers.
    Table,
    /// A list of lists of whole numbers.
    Groups,
    /// The goal of a single-objective policy: see [`Target`](crate::Target).
    Target,
    /// The beliefs about each objective: see [`Prior`](crate::Prior).
    Priors,
    /// Another policy, by its id and with its parameters: see `PolicyConfig`.
    Policy,
}

/// A parameter of a policy.
///
/// Example: [`PolicyInfo`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Parameter {
    /// The name, as in configurations.
    pub name: &'static str,
    /// The kind of its values.
    pub kind: Kind,
    /// The default, as users would write it.
    pub default: &'static str,
    /// The meaning, as a phrase.
    pub meaning: &'static str,
}

impl Parameter {
    /// Refuses a horizon of no rounds, or one that f64 cannot count.
    #[doc(hidden)]
    pub fn check_horizon(horizon: u64) -> Result<(), Error> {
        Self::check("horizon", horizon as f64, 1.0..=(1u64 << 53) as f64)
    }

    /// Refuses a value out of its bounds, and NaN.
    #[doc(hidden)]
    pub fn check(name: &'static str, got: f64, bounds: RangeInclusive<f64>) -> Result<(), Error> {
        if bounds.contains(&got) {
            return Ok(());
        }
        Err(Error::ParameterBounds { name, least: *bounds.start(), most: *bounds.end(), got })
    }
}

/// A type that a parameter can have.
pub trait ParameterType {
    /// The kind of its values.
    const KIND: Kind;

    /// Returns true for a value that is not serialized, because it sets nothing.
    fn is_left_out(&self) -> bool {
        false
    }
}

/// Declares the kinds of types.
macro_rules! kinds {
    ($($kind:ident: $($type:ty),+;)*) => {
        $($( impl ParameterType for $type {
            const KIND: Kind = Kind::$kind;
        } )+)*
    };
}

kinds! {
    Number: f64;
    Count: u64, usize;
    Flag: bool;
    Numbers: Vec<f64>;
    Table: Vec<Vec<f64>>;
    Groups: Vec<Vec<usize>>;
    Target: Target;
    Word: Scalarization;
}

impl<T: ParameterType> ParameterType for Option<T> {
    const KIND: Kind = T::KIND;

    fn is_left_out(&self) -> bool {
        self.is_none()
    }
}

/// Returns the text of a default as users write it: `1.0` in code is 1.
#[doc(hidden)]
pub const fn written(code: &'static str) -> &'static str {
    let bytes = code.as_bytes();
    if let [.., b'.', b'0'] = bytes { code.split_at(bytes.len() - 2).0 } else { code }
}

/// Declares a policy: its description, and the type of its parameters with their defaults.
///
/// A parameter is `name: type = default, meaning;`. If the default has to be given in words, it is
/// `name: type = default => "words", meaning;`. The meaning is also the documentation of the field. A policy
/// without `has_front: true` has no front.
#[doc(hidden)]
#[macro_export]
macro_rules! policy {
    (
        id: $id:literal,
        name: $name:literal,
        source: $source:expr,
        setting: $setting:expr,
        guarantee: $guarantee:expr,
        cost: $cost:expr,
        $( has_front: $has_front:literal, )?
        departures: $departures:expr,
        parameters: struct $config:ident of $policy:ident {
            $( $field:ident: $type:ty = $default:expr $(=> $words:literal)?, $meaning:expr; )*
        }
    ) => {
        const INFO: $crate::PolicyInfo = $crate::PolicyInfo {
            id: $id,
            name: $name,
            source: $source,
            setting: $setting,
            guarantee: $guarantee,
            cost: $cost,
            // False unless it says otherwise.
            has_front: [$($has_front,)? false][0],
            parameters: &[$(
                $crate::Parameter {
                    name: stringify!($field),
                    kind: <$type as $crate::describe::ParameterType>::KIND,
                    // Its words where there are some, otherwise its code.
                    default: [$($words,)? $crate::describe::written(stringify!($default))][0],
                    meaning: $meaning,
                },
            )*],
            departures: $departures,
        };

        #[doc = concat!("The parameters of [`", stringify!($policy), "`].")]
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct $config {
            $(
                #[doc = $meaning]
                #[serde(skip_serializing_if = "moglb_core::describe::ParameterType::is_left_out")]
                pub $field: $type,
            )*
        }

        impl Default for $config {
            fn default() -> Self {
                Self { $( $field: $default, )* }
            }
        }
    };
}

/// The meaning of parameters that many policies share.
#[doc(hidden)]
#[macro_export]
macro_rules! meaning {
    (target) => {
        "the goal: the number of an objective (from 0), or one weight per objective for a weighted sum of \
         the rewards mapped to [0, 1]"
    };
    (glm_target) => {
        "the goal: the number of an objective (from 0), or one weight per objective for a weighted sum of \
         the rewards mapped to [0, 1]; the sum is treated as generalized linear, with the link that all its \
         objectives share if that is logit or probit, and with logit otherwise"
    };
    (horizon) => {
        "T, the number of rounds that the policy is tuned for; it continues with the same tuning after T \
         rounds"
    };
    (zooming_horizon) => {
        "T in the width; after T rounds the policy continues in the same way, without the guarantee"
    };
    (lipschitz) => {
        "L of the metric min(1, L·‖x − x'‖) for rewards mapped to [0, 1]; by default the largest slope of a \
         link times D"
    };
    (experts) => {
        "the number of weight vectors in the class: one per objective, equal weights, and a spread of others"
    };
}

pub use {meaning, policy};
