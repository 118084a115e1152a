"""The errors of moglb. Each kind of error is a class of its own, a subclass of :class:`Error`.

Each class is also a subclass of the built-in exception that fits, such as ``ValueError``. Its ``code`` stays
the same when messages change, for logs and tests.

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
    """The base class of all errors of moglb. A rejected input changes nothing."""

    code: str = "error"


class InputTypeError(Error, TypeError):
    """An input is not a number, an array or a table, or has another wrong type."""

    code = "input-type"


class RowsError(Error, ValueError):
    """Two tables that must have the same number of rows do not."""

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
    """A table is too large to be addressed, or above the memory limit (:func:`moglb.set_memory_limit`)."""

    code = "too-large"


class NotFiniteError(Error, ValueError):
    """A value is NaN or infinite."""

    code = "not-finite"


class NormError(Error, ValueError):
    """A context is longer than one (Assumption 2)."""

    code = "norm"


class ScaleError(Error, ValueError):
    """The scale for contexts is not a positive number."""

    code = "scale"


class NotFrozenError(Error, ValueError):
    """Raw rows cannot be scaled before the scale is frozen."""

    code = "not-frozen"


class RowStartsError(Error, ValueError):
    """The row starts of a sparse table do not rise from 0 to the number of its values."""

    code = "row-starts"


class ColumnError(Error, IndexError):
    """A row of a sparse table has an entry in a column that the table does not have."""

    code = "column"


class NoArmsError(Error, ValueError):
    """An arm set has no arms, or a decision is requested without arms."""

    code = "no-arms"


class NoFeaturesError(Error, ValueError):
    """Contexts have no features, d = 0."""

    code = "no-features"


class NoObjectivesError(Error, ValueError):
    """A problem has no objectives, m = 0."""

    code = "no-objectives"


class ObjectiveNameError(Error, ValueError):
    """The name of an objective is empty, or another objective has it."""

    code = "objective-name"


class RangeError(Error, ValueError):
    """The range of an objective's rewards is empty, not finite, too wide or too short."""

    code = "range"


class ArmCountNeededError(Error, ValueError):
    """The policy keeps statistics per arm, so the problem must state the number of arms."""

    code = "arm-count-needed"


class ArmCountError(Error, ValueError):
    """An arm set does not have the stated number of arms."""

    code = "arm-count"


class UnknownArmError(Error, ValueError, IndexError):
    """The position of an arm is not in the arm set."""

    code = "unknown-arm"


class RewardLengthError(Error, ValueError):
    """A reward vector has the wrong length."""

    code = "reward-length"


class RewardError(Error, ValueError):
    """A reward lies outside of the range of its objective (Assumption 4), or is NaN or infinite."""

    code = "reward"


class WholeRewardsError(Error, ValueError):
    """A reward vector is incomplete, and the policy learns from complete vectors only."""

    code = "whole-rewards"


class ObjectivesFixedError(Error, ValueError):
    """The objectives of the policy cannot change once it is built."""

    code = "objectives-fixed"


class ArmsFixedError(Error, ValueError):
    """The arms of the policy cannot change once it is built."""

    code = "arms-fixed"


class PriorError(Error, ValueError):
    """A prior does not fit its objective."""

    code = "prior"


class UnknownDecisionError(Error, KeyError):
    """A reward belongs to a decision that was never recorded."""

    code = "unknown-decision"


class RewardConflictError(Error, ValueError):
    """A reward was received before, with another value."""

    code = "reward-conflict"


class RadiusError(Error, ValueError):
    """The radius D is not a usable positive number."""

    code = "radius"


class CurvatureError(Error, ValueError):
    """A link's slope vanishes, or its mean overflows, on [-D, D] (Assumption 3)."""

    code = "curvature"


class LambdaError(Error, ValueError):
    """λ is below the bound of the policy (max(1, κ/2) for MOGLB-UCB), above 1e100, or NaN."""

    code = "lambda"


class DeltaError(Error, ValueError):
    """δ lies outside of (0, 1)."""

    code = "delta"


class WidthFactorError(Error, ValueError):
    """The width factor c is negative, above 1e100, or NaN."""

    code = "width-factor"


class ThresholdError(Error, ValueError):
    """A threshold is not a probability."""

    code = "threshold"


class SamplesError(Error, ValueError):
    """The number of samples is too small for an estimate, or too large to store."""

    code = "samples"


class WeightsError(Error, ValueError):
    """The weights are not one nonnegative number per objective with a positive sum."""

    code = "weights"


class AccuracyError(Error, ValueError):
    """An accuracy is not a distance on the unit scale."""

    code = "accuracy"


class NotPositiveError(Error, ValueError):
    """A parameter is not a usable positive number."""

    code = "not-positive"


class BudgetError(Error, ValueError):
    """The budget of samples is too small for the rounds that it has to cover."""

    code = "budget"


class NotAskedError(Error, ValueError):
    """A reward belongs to another arm than the next one of the identifier, or follows the last one."""

    code = "not-asked"


class FrontSizeError(Error, ValueError):
    """The size of the true front given to P-UCB is zero or above the number of arms."""

    code = "front-size"


class UnknownObjectiveError(Error, ValueError):
    """The problem has no objective with this index."""

    code = "unknown-objective"


class ParameterBoundsError(Error, ValueError):
    """A parameter is outside of its bounds."""

    code = "parameter-bounds"


class ParametersError(Error, ValueError):
    """A parameter is unknown, missing or not finite, contradicts another one, or needs another one."""

    code = "parameters"


class EntriesError(Error, ValueError):
    """A list has the wrong number of entries."""

    code = "entries"


class ObjectiveNotFoundError(Error, ValueError):
    """The problem has no objective with this name."""

    code = "objective-not-found"


class SharesError(Error, ValueError):
    """The shares are not numbers from 0 to 1 that add up to 1."""

    code = "shares"


class NoFrontError(Error, ValueError):
    """A preference over the front is set for a policy that has no front."""

    code = "no-front"


class NothingAllowedError(Error, ValueError):
    """The lists of included and excluded arms leave no arm to play."""

    code = "nothing-allowed"


class BaselineExcludedError(Error, ValueError):
    """A baseline with a guaranteed share is excluded."""

    code = "baseline-excluded"


class NotProbabilitiesError(Error, ValueError):
    """A preference, or a row of a log, has numbers that are not probabilities."""

    code = "not-probabilities"


class ListLengthError(Error, ValueError):
    """The length of a list is zero, or more than the number of arms that may be played."""

    code = "list-length"


class LinkNameError(Error, ValueError):
    """The name of a custom link is empty, or a built-in link has it."""

    code = "link-name"


class TooManyLinksError(Error, ValueError):
    """A process registers more custom links than it may have: a registered link is never freed."""

    code = "too-many-links"


class LinkMeanError(Error, ValueError):
    """A custom link returned no usable mean."""

    code = "link-mean"


class LinkSlopeError(Error, ValueError):
    """A custom link returned no usable slope."""

    code = "link-slope"


class NotAMeanError(Error, ValueError):
    """The inverse of a link is called with a value outside of the range of the link."""

    code = "not-a-mean"


class NotPositiveDefiniteError(Error, ValueError):
    """A matrix is not symmetric positive definite."""

    code = "not-positive-definite"


class NoPointsError(Error, ValueError):
    """A point set is empty, and at least one point is needed."""

    code = "no-points"


class SnapshotFormatError(Error, ValueError):
    """A snapshot has another format, or is of a later version."""

    code = "snapshot-format"


class SnapshotDamagedError(Error, ValueError):
    """A snapshot is truncated or altered, or its state is impossible."""

    code = "snapshot-damaged"


class SnapshotPolicyError(Error, ValueError):
    """A snapshot is of another policy than the caller expects."""

    code = "snapshot-policy"


class ForeignError(Error, RuntimeError):
    """A custom policy failed, or returned an object that is not a decision."""

    code = "foreign"


class EvaluationWarning(UserWarning):
    """A reason not to trust an off-policy estimate.

    Examples are a log of a policy that learned, and too few effective rounds.
    """


class ArrayChangedError(Error, RuntimeError):
    """Another thread changed an array while it was read."""

    code = "array-changed"


class ForkedError(Error, RuntimeError):
    """Another thread was using the object when the process was forked.

    That thread does not exist in the child, so its work on the object is never finished: create the object in
    the child.
    """

    code = "forked"


class PerformanceWarning(UserWarning):
    """A function written in Python is called in every round.

    The results are correct, but the run is much slower than with the functions of the engine.
    """


class ConfigSyntaxError(Error, ValueError):
    """The text of an experiment cannot be read."""

    code = "syntax"


class EntryError(Error, ValueError):
    """An entry of an experiment is wrong."""

    code = "entry"


class BoundsError(Error, ValueError):
    """A number of an experiment is outside of its bounds."""

    code = "bounds"


class FrontTooLargeError(Error, RuntimeError):
    """No arm set with a small enough front was found."""

    code = "front-too-large"


class RunInterruptedError(Error, RuntimeError):
    """The run was interrupted. Its finished cells are kept if they are written to a folder."""

    code = "interrupted"


class ThreadsError(Error, RuntimeError):
    """The threads could not be started."""

    code = "threads"


class FileError(Error, OSError):
    """A file cannot be read or written."""

    code = "file"


class LockedError(Error, BlockingIOError):
    """Another run is writing to the folder."""

    code = "locked"


class FileKindError(Error, OSError):
    """The path has another kind of file than expected: a link, a FIFO or a folder."""

    code = "file-kind"


class FileOwnerError(Error, PermissionError):
    """A link or a FIFO belongs to another user, who could redirect the content to any place."""

    code = "file-owner"


class FileProtectedError(Error, PermissionError):
    """A file that would be replaced is write-protected: its mode allows no user to write."""

    code = "file-protected"


class FileGoneError(Error, OSError):
    """A file or a folder was removed, moved or replaced while it was in use."""

    code = "file-gone"


class FilesMixedError(Error, OSError):
    """Writing failed in its last step: some files of a folder are new, the others are still old."""

    code = "files-mixed"


class DataError(Error, ValueError):
    """Real data cannot be read, or does not match its description."""

    code = "data"


class RoundsUsedUpError(Error, ValueError):
    """A round beyond those of the data is requested; each round of the data is played once."""

    code = "rounds-used-up"


class OtherExperimentError(Error, ValueError):
    """The log of finished cells belongs to another experiment or version, or is not such a log."""

    code = "other-experiment"


class EmptyLogError(Error, ValueError):
    """A log has no rounds, no arms or no objectives."""

    code = "empty-log"


class LogSizeError(Error, ValueError):
    """The sizes of parts of a log, or of a policy and a log, do not match."""

    code = "log-size"


class PropensityError(Error, ValueError):
    """The propensity of a played arm is not between 1e-40 and 1."""

    code = "propensity"


class NoPropensitiesError(Error, ValueError):
    """The log has no propensities: the probabilities with which its arms were played."""

    code = "no-propensities"


class NoProbabilitiesError(Error, ValueError):
    """The probabilities of all arms are needed, but the log has only those of the played arms."""

    code = "no-probabilities"


class NoRangeError(Error, ValueError):
    """A bound needs the range of rewards of an objective, which the log does not have."""

    code = "no-range"


class RatioEstimatorError(Error, ValueError):
    """An empirical Bernstein interval is requested for a ratio; such intervals exist for means only."""

    code = "ratio-estimator"


class UnknownChoiceError(Error, ValueError):
    """There is no estimator, interval, layout or policy of this name."""

    code = "unknown-choice"


class NoOverlapError(Error, ValueError):
    """The policy never plays an arm that was logged."""

    code = "no-overlap"


class NoResampleError(Error, ValueError):
    """Almost no resampled log has a round with positive weight for every policy."""

    code = "no-resample"


class UnseenArmError(Error, ValueError):
    """The direct method has no data on an arm that the policy plays."""

    code = "unseen-arm"


class NoArmFeaturesError(Error, ValueError):
    """A model needs features of arms, and the log has none."""

    code = "no-arm-features"


class FitError(Error, ValueError):
    """A model cannot be fitted: there is no maximum likelihood estimate."""

    code = "no-fit"


class NotLoggedError(Error, ValueError):
    """The problem of a data set is not of the kind `logged`."""

    code = "not-logged"


class LogFileError(Error, ValueError):
    """A file cannot be read as a log."""

    code = "log-file"


class DataFindingsError(Error, ValueError):
    """The files of a data set have faults."""

    code = "data-findings"


class DataUnknownProblemError(Error, ValueError):
    """The data set does not have this problem."""

    code = "data-unknown-problem"


class MissingDependencyError(Error, ImportError):
    """An optional package is needed and is not installed."""

    code = "missing-dependency"


def _by_code() -> Dict[str, Type[Error]]:
    return {kind.code: kind for kind in Error.__subclasses__()}


BY_CODE: Dict[str, Type[Error]] = _by_code()
"""The classes of all errors by their codes."""
