"""Texts that look like advice and that no case follows: the test that follows each, or why there is nothing to do.

A text is known by its beginning.
"""

LIMITS = "tests/attack/test_limits.py"
ENDINGS = "tests/attack/test_endings.py"
PROJECTS = "tests/test_project_files.py"
ENCODERS = "tests/test_encoders.py"
EXPERIMENTS = "tests/test_experiments.py"
TOOLS = "tests/with_tools"
CLUSTER = "tests/with_cluster/test_advice.py"
ON_A_CLUSTER = f"{CLUSTER}::test_the_advice_of_a_command_on_a_cluster_works"
OTHER_TESTS = {
    "was changed while it was read": "tests/attack/test_readings.py::test_a_command_whose_file_grows_says_so",
    "is another file than it was": "tests/attack/test_readings.py::test_a_command_whose_file_grows_says_so",
    "another sstag is at work on it": f"{ENDINGS}::test_one_at_a_time",
    "Nothing is lost yet": f"{ENDINGS}::test_a_terminal_is_asked_by_a_training_whose_model_has_no_place",
    "{}: kept in {} instead": f"{ENDINGS}::test_what_cannot_be_written_is_kept_elsewhere",
    "{}; --threads 1 needs no more": f"{LIMITS}::test_one_thread_needs_no_more",
    "{}; --processes 1 needs one more": f"{LIMITS}::test_a_crew_without_processes_says_so",
    ". To go on, say the same again": "tests/test_checkpoint.py::test_a_process_that_is_killed_goes_on",
    "belongs to another user": f"{ENCODERS}::test_folders_of_others_are_refused",
    "the back end numpy runs": f"{ENCODERS}::test_what_does_not_fit_is_refused",
    "files that are read together": "tests/test_several_files.py::test_columns_must_agree_and_their_order_need_not",
    "there is no layer '{}'": f"{TOOLS}/test_formats_of_tools.py::test_xmi_is_read_and_its_faults_are_told",
    "{}: if it is what it should be": f"{TOOLS}/test_parquet.py::test_the_advice_of_errors_works",
    "{}: write it in smaller row groups": f"{TOOLS}/test_parquet.py::test_the_advice_of_errors_works",
    "this is Parquet, which is read from its end": f"{TOOLS}/test_parquet.py::test_the_advice_of_errors_works",
    "is there, and of no project": "tests/test_project_trouble.py::test_a_beginning_removes_nothing_of_others",
    "end that one first": "tests/test_project_trouble.py::test_a_second_server_is_told_so",
    "the template '{}' {} (--template)": f"{PROJECTS}::test_a_stored_template_outside_of_the_folder_is_refused",
    "the encoder '{}' {} (--template)": f"{PROJECTS}::test_what_is_too_large_counts_only_while_a_command_names_it",
    "{} counts only while the command": f"{PROJECTS}::test_a_stored_option_that_reaches_out_of_the_folder_is_refused",
    "{}: TLS needs": "tests/with_cluster/test_joining.py::test_tls_is_asked_of_both_sides",
    "with a cluster say": ON_A_CLUSTER,
    "{} for a worker, whose folder": ON_A_CLUSTER,
    "{}: --tls-ca-file": ON_A_CLUSTER,
    "standard input cannot be shared": ON_A_CLUSTER,
    "on a cluster raw text": ON_A_CLUSTER,
    "on_disk is a folder": f"{CLUSTER}::test_a_folder_and_a_cluster_are_not_both_given",
    "pip install {}": "tests/test_advice_works.py::test_what_an_error_installs_is_what_is_missing",
    "{}: install or fetch": f"{EXPERIMENTS}::test_runs_that_cannot_be_made_here_stay_on_the_page_which_says_so",
    "not installed (pip install {})": f"{EXPERIMENTS}::test_what_is_absent_is_said_before_anything_is_run",
}  # fmt: skip
WITH_EXTRAS = (  # followed by tests/with_web/test_advice.py and tests/with_sklearn/test_advice.py
    "the token is missing", "this is not the token", "--overlap with --project alone", "there is no session",
    "sstag annotate --project {} --import FILE", "is damaged ({}): remove it, and search again",
    "there is no model yet", "no browser could be opened", "{} opens in a browser", "--learned is for",
    "--listen {} lets", "--train is for --learned", "name a model: sstag serve", "{} different keys", "a body of type",
    "a model cannot be called", "more than {} tokens in a request", "two models are called", "a <Labels> control",
    "a model of the method", "this server does not learn", ": remove it, and the next",
    "for its owner alone", "chmod 600 {}", "move it away",
)  # fmt: skip
INSTALLED = (  # messages in which `pip install …` stands
    "the back end {} needs", "fine-tuning needs", "a URL needs fsspec", "--plot needs matplotlib",
    "a cluster needs Dask", "this needs Starlette", "sstag.sklearn needs", "pip install '.[{}]' in its sources",
)  # fmt: skip
NO_ADVICE = {
    "says what an option did": (
        "fitted to tokens", "of several pieces", "left out for another one", "left out, without a whole token",
        "--ambiguous {}: learned from",
    ),
    "says what cannot be, not what to do": (
        "a path needs one label", "potentials need unary", "{} is told of the file's own tokens", "--train: {}",
        "{}:{}: {} in the label column tell nothing", "{}: no labelled sentence has the label", "take none",
        "the template names {}, which is", "which template? there is no text",
        "--ask reads answers from standard input, which is closed", "{} tokens with {} labels",
    ),
    "is for two machines, or two versions, that a test has not": ("worker {} has",),
    "names methods and back ends that other cases of trained encoders have": (
        "train: the back end of", "train: {} climbs nothing",
    ),
    "says how to wait": ("too many requests", "reading from the terminal"),
    "is a fault of the program, or of another one": ("a training needs", "{}.'labels': at least"),
    "says how far something is, or where": (
        "{}, pass {} of {}","decomposing: pass", "the encoder {}, read as in training"),
    "a line of help, or of a table": (
        "begin immediate", "read before one is tagged", "begin; {} pragma", "made by `sstag vectors`",
        "{}   ({}…, as in `sstag cache`)", "Labels that may be wrong (--suspect)", "those that a label has most often",
        "those whose label is surest", "the most frequent label, or labels", "shares of ", "what --list says",
        "given (--list, --like)", "\b\nExample:", "Templates (--template NAME)", "{}; with --together {}",
    ),
    "says what is done without anybody": (
        "    {} from before without", "{}: not in {}; what needs it runs", "{}: {}; the runs that need it",
    ),
}  # fmt: skip


def reasons() -> dict[str, str]:
    """The beginning of each text, and why it has no case."""
    none = {begin: why for why, texts in NO_ADVICE.items() for begin in texts}
    none |= dict.fromkeys(WITH_EXTRAS, "with extras")
    return OTHER_TESTS | none | dict.fromkeys(INSTALLED, OTHER_TESTS["pip install {}"])
