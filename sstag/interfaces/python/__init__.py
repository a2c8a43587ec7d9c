"""sstag from Python: templates, corpora, models, tags and scores, in a few functions.

A path may stand wherever a template, a corpus or a model is asked for; lists of tokens for a corpus; and in `train`
several paths, of files that are read as one. Mistakes are `SstagError`.
"""

from sstag.corpus.corpus import Corpus as Corpus
from sstag.evaluation.scoring import Evaluation as Evaluation
from sstag.features.template import Template as Template
from sstag.foundation.errors import SstagError as SstagError
from sstag.interfaces.python.models import evaluate as evaluate
from sstag.interfaces.python.models import load as load
from sstag.interfaces.python.models import save as save
from sstag.interfaces.python.tagging import Tagged as Tagged
from sstag.interfaces.python.tagging import tag as tag
from sstag.interfaces.python.templates import load_template as load_template
from sstag.interfaces.python.texts import read as read
from sstag.interfaces.python.training import train as train
from sstag.interfaces.python.training import tune as tune
from sstag.labels.marks import Marks as Marks
from sstag.model.in_words import FoundChunk as FoundChunk
from sstag.model.in_words import FoundSpan as FoundSpan
from sstag.model.model import Model as Model
from sstag.training.inputs import Progress as Progress
from sstag.training.tuning.runs import Tried as Tried
from sstag.training.tuning.runs import Tuned as Tuned
