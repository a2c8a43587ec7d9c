"""The arguments of the estimator, made from the parameter classes of the methods.

Every parameter of a method is an argument by its name; None leaves it to the method. scikit-learn asks for arguments
that are written out, so the signature of `__init__` is made here and not written a second time.
"""

from inspect import Parameter, Signature

from sstag.features.reading import CHOICES
from sstag.training.methods import METHODS
from sstag.training.methods.completion import LISTS
from sstag.training.parameter_specs import specs

OWN: dict[str, object] = {  # the arguments that are no parameters of a method, and their defaults
    "template": None,
    "method": "partial",
    "ambiguous": None,
    "labeled_features": None,
    "marks": None,
    "legal": False,
    "context": None,
    "random_state": 1,
    "n_jobs": 1,
}


def parameter_names() -> list[str]:
    """The names of all parameters of all methods, in the order of the methods, and of a template's choices."""
    of_methods = (name for entry in METHODS.values() for name in specs(entry.parameters))
    return list(dict.fromkeys([*of_methods, *LISTS, *CHOICES]))


def signature() -> Signature:
    """The signature of the estimator: the template and the method, and then arguments by name only."""
    first = [Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)]
    for name, default in OWN.items():
        kind = Parameter.POSITIONAL_OR_KEYWORD if name in ("template", "method") else Parameter.KEYWORD_ONLY
        first.append(Parameter(name, kind, default=default))
    return Signature([*first, *(Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in parameter_names())])
