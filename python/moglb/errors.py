"""What can be wrong: every kind of error of the engine is a class of its own, under :class:`Error`.

Each also is the built-in exception that people would expect, and has a ``code`` that stays when messages change.

>>> import moglb
>>> try:
...     moglb.front([[float("nan")]])
... except ValueError as error:
...     print(type(error).__name__, error.code)
NotFiniteError not-finite
"""

from __future__ import annotations

from typing import Dict, Type


class Error(Exception):
    """Anything that moglb refuses. A refused input changes nothing."""

    code: str = "error"


class InputTypeError(Error, TypeError):
    """Something that is no number, array or table."""

    code = "input-type"


class RowsError(Error, ValueError):
    """Two tables that should have the same number of rows do not."""

    code = "rows"


class DimensionError(Error, ValueError):
    """A context does not have the problem's number of features."""

    code = "dimension"


class ShapeError(Error, ValueError):
    """An array has the wrong shape."""

    code = "shape"


class RaggedError(Error, ValueError):
    """Rows of a table differ in length."""

    code = "ragged"


class TooLargeError(Error, ValueError, MemoryError):
    """A table is too large for this machine or the memory limit (:func:`moglb.set_memory_limit`)."""

    code = "too-large"


class NotFiniteError(Error, ValueError):
    """A NaN or an infinity."""

    code = "not-finite"


class NormError(Error, ValueError):
    """A context is longer than one (Assumption 2)."""

    code = "norm"


class ScaleError(Error, ValueError):
    """A scale for contexts that is not a positive number."""

    code = "scale"


class NotFrozenError(Error, ValueError):
    """The scale of the features is neither given nor frozen from a sample."""

    code = "not-frozen"


class RowStartsError(Error, ValueError):
    """The rows of a sparse table do not begin and end where its values do."""

    code = "row-starts"


class ColumnError(Error, IndexError):
    """A column that a table does not have."""

    code = "column"


class NoArmsError(Error, ValueError):
    """An arm set without arms, or a decision without any."""

    code = "no-arms"


class NoFeaturesError(Error, ValueError):
    """Contexts without features."""

    code = "no-features"


class NoObjectivesError(Error, ValueError):
    """A problem without objectives."""

    code = "no-objectives"


class ObjectiveNameError(Error, ValueError):
    """An objective's name is empty or taken."""

    code = "objective-name"


class RangeError(Error, ValueError):
    """The range of an objective's rewards is empty, not finite, too wide or too short."""

    code = "range"


class ArmCountNeededError(Error, ValueError):
    """The policy keeps statistics per arm and needs to know how many there are."""

    code = "arm-count-needed"


class ArmCountError(Error, ValueError):
    """An arm set does not have the stated number of arms."""

    code = "arm-count"


class UnknownArmError(Error, ValueError, IndexError):
    """There is no such arm."""

    code = "unknown-arm"


class RewardLengthError(Error, ValueError):
    """A reward vector of the wrong length."""

    code = "reward-length"


class RewardError(Error, ValueError):
    """A reward outside of its objective's range (Assumption 4)."""

    code = "reward"


class WholeRewardsError(Error, ValueError):
    """A part of a reward vector for a policy that learns from whole ones only."""

    code = "whole-rewards"


class ObjectivesFixedError(Error, ValueError):
    """A policy whose objectives cannot change while it is at work."""

    code = "objectives-fixed"


class ArmsFixedError(Error, ValueError):
    """A policy whose arms cannot change while it is at work."""

    code = "arms-fixed"


class PriorError(Error, ValueError):
    """A prior that does not fit its objective."""

    code = "prior"


class UnknownDecisionError(Error, KeyError):
    """A reward for a decision that was never written down."""

    code = "unknown-decision"


class RewardConflictError(Error, ValueError):
    """Another value for a reward that has already come."""

    code = "reward-conflict"


class RadiusError(Error, ValueError):
    """The radius D is not a usable positive number."""

    code = "radius"


class CurvatureError(Error, ValueError):
    """A link's slope vanishes, or its mean overflows, on [-D, D] (Assumption 3)."""

    code = "curvature"


class LambdaError(Error, ValueError):
    """λ below max(1, κ/2), or not finite."""

    code = "lambda"


class DeltaError(Error, ValueError):
    """δ outside of (0, 1)."""

    code = "delta"


class WidthFactorError(Error, ValueError):
    """A width factor c that is negative or not finite."""

    code = "width-factor"


class ThresholdError(Error, ValueError):
    """A threshold that is no chance."""

    code = "threshold"


class SamplesError(Error, ValueError):
    """A number of samples that is too small to count, or too large to hold."""

    code = "samples"


class WeightsError(Error, ValueError):
    """Weights that are not one nonnegative number per objective with a positive sum."""

    code = "weights"


class AccuracyError(Error, ValueError):
    """An accuracy that is no distance on the unit scale."""

    code = "accuracy"


class NotPositiveError(Error, ValueError):
    """A parameter that is not a usable positive number."""

    code = "not-positive"


class BudgetError(Error, ValueError):
    """A budget of samples that is too small for the rounds it has to pay."""

    code = "budget"


class NotAskedError(Error, ValueError):
    """A reward of another arm than the one that was asked for, or after the last one."""

    code = "not-asked"


class FrontSizeError(Error, ValueError):
    """The size of the true front given to P-UCB is zero or above the number of arms."""

    code = "front-size"


class UnknownObjectiveError(Error, ValueError):
    """An objective that the problem does not have."""

    code = "unknown-objective"


class ParameterBoundsError(Error, ValueError):
    """A parameter out of its bounds."""

    code = "parameter-bounds"


class ParametersError(Error, ValueError):
    """A parameter that is unknown, missing, not finite, or contradicts another."""

    code = "parameters"


class EntriesError(Error, ValueError):
    """A list that needs an entry for each of something."""

    code = "entries"


class ObjectiveNotFoundError(Error, ValueError):
    """An objective by a name that the problem does not have."""

    code = "objective-not-found"


class SharesError(Error, ValueError):
    """Shares that are not numbers from 0 to 1 that add up to 1."""

    code = "shares"


class NoFrontError(Error, ValueError):
    """A preference over the front for a policy that has none."""

    code = "no-front"


class NothingAllowedError(Error, ValueError):
    """Lists of arms that leave none to play."""

    code = "nothing-allowed"


class BaselineExcludedError(Error, ValueError):
    """A baseline with a guaranteed share that must not be played."""

    code = "baseline-excluded"


class NotProbabilitiesError(Error, ValueError):
    """A preference that did not give probabilities."""

    code = "not-probabilities"


class ListLengthError(Error, ValueError):
    """A list of no arms, or of more than may be played."""

    code = "list-length"


class LinkNameError(Error, ValueError):
    """A name that a link of one's own cannot have."""

    code = "link-name"


class TooManyLinksError(Error, ValueError):
    """More links of one's own than a process may register."""

    code = "too-many-links"


class LinkMeanError(Error, ValueError):
    """A link of one's own gave no usable mean."""

    code = "link-mean"


class LinkSlopeError(Error, ValueError):
    """A link of one's own gave no usable slope."""

    code = "link-slope"


class NotAMeanError(Error, ValueError):
    """A mean outside of the range of a link."""

    code = "not-a-mean"


class NotPositiveDefiniteError(Error, ValueError):
    """A matrix that is not symmetric positive definite."""

    code = "not-positive-definite"


class NoPointsError(Error, ValueError):
    """At least one point is needed."""

    code = "no-points"


class SnapshotFormatError(Error, ValueError):
    """A snapshot of another format or a later version."""

    code = "snapshot-format"


class SnapshotDamagedError(Error, ValueError):
    """A snapshot that is truncated, altered or holds an impossible state."""

    code = "snapshot-damaged"


class SnapshotPolicyError(Error, ValueError):
    """A snapshot of another policy."""

    code = "snapshot-policy"


class ForeignError(Error, RuntimeError):
    """A policy that is not one of the library's failed, or returned something that is no decision."""

    code = "foreign"


class EvaluationWarning(UserWarning):
    """A reason not to believe an off-policy estimate, such as a log of a policy that learned, or too few effective rounds."""


class ArrayChangedError(Error, RuntimeError):
    """An array was changed by another thread while it was read."""

    code = "array-changed"


class ForkedError(Error, RuntimeError):
    """Another thread was using the object when the process was forked, so the child cannot use it."""

    code = "forked"


class PerformanceWarning(UserWarning):
    """Something written in Python is called in every round: correct, and much slower than what the engine has."""


class ConfigSyntaxError(Error, ValueError):
    """The text of an experiment cannot be read."""

    code = "syntax"


class EntryError(Error, ValueError):
    """An entry of an experiment is wrong."""

    code = "entry"


class BoundsError(Error, ValueError):
    """A number of an experiment is out of its bounds."""

    code = "bounds"


class FrontTooLargeError(Error, RuntimeError):
    """No arm set with a small enough front was found."""

    code = "front-too-large"


class RunInterruptedError(Error, RuntimeError):
    """The run was interrupted; what is finished is kept."""

    code = "interrupted"


class ThreadsError(Error, RuntimeError):
    """The threads could not be started."""

    code = "threads"


class FileError(Error, OSError):
    """A file cannot be read or written."""

    code = "file"


class LockedError(Error, BlockingIOError):
    """Another run is writing into the folder."""

    code = "locked"


class FileKindError(Error, OSError):
    """Another kind of file than expected has the name: a link, a FIFO, a folder."""

    code = "file-kind"


class FileOwnerError(Error, PermissionError):
    """A link or a FIFO of another user has the name of a file that would be written."""

    code = "file-owner"


class FileProtectedError(Error, PermissionError):
    """A file that would be replaced is write-protected."""

    code = "file-protected"


class FileGoneError(Error, OSError):
    """A file or a folder was removed, moved or replaced while a run was using it."""

    code = "file-gone"


class FilesMixedError(Error, OSError):
    """Writing failed in its last step, so that a folder has new and old files side by side."""

    code = "files-mixed"


class DataError(Error, ValueError):
    """Real data that cannot be read, or that is not as its description says."""

    code = "data"


class RoundsUsedUpError(Error, ValueError):
    """A round beyond those of the data, each of which is played once."""

    code = "rounds-used-up"


class OtherExperimentError(Error, ValueError):
    """The log of finished cells belongs to another experiment or version."""

    code = "other-experiment"


class EmptyLogError(Error, ValueError):
    """A log without rounds, arms or objectives."""

    code = "empty-log"


class LogSizeError(Error, ValueError):
    """Parts of a log, or a policy and a log, that do not belong together."""

    code = "log-size"


class PropensityError(Error, ValueError):
    """A propensity of a played arm that is not between 1e-40 and 1."""

    code = "propensity"


class NoPropensitiesError(Error, ValueError):
    """A log that does not say how likely its arms were."""

    code = "no-propensities"


class NoProbabilitiesError(Error, ValueError):
    """The log's probability of every arm is needed."""

    code = "no-probabilities"


class NoRangeError(Error, ValueError):
    """The range of the rewards is needed."""

    code = "no-range"


class RatioEstimatorError(Error, ValueError):
    """Empirical Bernstein intervals are for means, not for ratios."""

    code = "ratio-estimator"


class UnknownChoiceError(Error, ValueError):
    """There is no estimator, interval or policy of that name."""

    code = "unknown-choice"


class NoOverlapError(Error, ValueError):
    """The policy never plays what was logged."""

    code = "no-overlap"


class NoResampleError(Error, ValueError):
    """Hardly any resampled log has a weighted round of every policy."""

    code = "no-resample"


class UnseenArmError(Error, ValueError):
    """The direct method has never seen an arm that the policy plays."""

    code = "unseen-arm"


class NoArmFeaturesError(Error, ValueError):
    """The model needs features of arms."""

    code = "no-arm-features"


class FitError(Error, ValueError):
    """There is no maximum likelihood estimate."""

    code = "no-fit"


class NotLoggedError(Error, ValueError):
    """A problem that is not of the kind `logged`."""

    code = "not-logged"


class LogFileError(Error, ValueError):
    """A file that cannot be read as a log."""

    code = "log-file"


class DataFindingsError(Error, ValueError):
    """Something in a folder of data is wrong."""

    code = "data-findings"


class DataUnknownProblemError(Error, ValueError):
    """The data set does not have such a problem."""

    code = "data-unknown-problem"


class MissingDependencyError(Error, ImportError):
    """An optional package is needed for this."""

    code = "missing-dependency"


def _by_code() -> Dict[str, Type[Error]]:
    return {kind.code: kind for kind in Error.__subclasses__()}


BY_CODE: Dict[str, Type[Error]] = _by_code()
"""The class of each code."""
