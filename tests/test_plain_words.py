"""Features in plain words, and the words that say little of a text."""

import numpy as np
import pytest

from sstag.features.grammar import features
from sstag.features.plain_words import attribute_in_words, feature_in_words
from sstag.features.reading import load_template
from sstag.features.template import Edge, Text
from sstag.knowledge.function_words import says_little

COLUMNS = ("word", "pos")


@pytest.mark.parametrize(
    ("attribute", "says"),
    [
        ("word[0]=Rome", "“Rome”"),
        ("word[0]=a|b", "“a|b”"),
        ("word[0]=__proto__", "“__proto__”"),
        ("lower(word[0])=rent", "“rent” in any case"),
        ("suffix(word[0], 3)=ing", "ends in -ing"),
        ("prefix(word[-1], 3)=Mon", "the word before begins with Mon-"),
        ("short_shape(word[0])=Xx", "looks like Xx"),
        ("word[1]=Inc.", "the next word is “Inc.”"),
        ("word[2]=Inc.", "the word 2 places behind is “Inc.”"),
        ("word[end]=?", "the last word of the sentence is “?”"),
        ("lower(word[-1])=the", "the word before is “the” in any case"),
        ("kind(word[0])=year", "is of the kind year"),
        ("pos[0]=NN", "has pos NN"),
        ("matches(word[0], '^[A-Z][.]$')", "matches [A-Z][.]"),
        ("matches(word[0], '[0-9]')", "contains [0-9]"),
        ("matches(word[0], '^[A-Z]')", "begins with [A-Z]"),
        ("matches(word[0], '^a|b$')", "matches ^a|b$"),
        ("word[-1] | word[0]=Financial|Times", "“Financial Times”, at “Times”"),
        ("word[0] | word[1]=Financial|Times", "“Financial Times”, at “Financial”"),
        ("word[-1] | pos[0]=New|NNP", "the word before is “New”, has pos NNP"),
        ("first()", "the first word of the sentence"),
        ("suffix(lower(word[0]), 2)=ed", "suffix(lower(word[0]), 2)=ed"),
        ("word[0] | word[1]=a|b|c", "word[0] | word[1]=a|b|c"),
    ],
)
def test_an_attribute_is_said_in_words_or_stays_as_it_is(attribute, says):
    name = attribute.partition("')")[0] + "')" if attribute.startswith("matches") else attribute.partition("=")[0]
    (feature,) = features(name, COLUMNS, "label")
    assert attribute_in_words(feature, attribute, COLUMNS, "word") == says


def test_every_kind_of_the_shipped_templates_has_a_name_in_words():
    for name in ("ner", "ads", "pos", "chunking"):
        template = load_template(name)
        own = [one for one in template.features if all(isinstance(term, Text | Edge) for term in one.terms)]
        of_token = [one for one in own if [getattr(term, "offset", 1) for term in one.terms] == [0]]
        says = [feature_in_words(one, template.columns, template.columns[0]) for one in of_token]
        assert len({*says}) == len(says) > 1
        assert not any("word[0]" in one for one in says)


def little(text):
    words = sorted({*text.split()})
    return {*np.array(words)[says_little(words, np.array([text.split().count(word) for word in words]))]}


def test_function_words_are_those_of_the_language_of_the_text():
    assert little("The man met the US president in May , and it was his $ 5 million .") == {
        *("The", "the", "in", "and", "it", "was", "his", ",", ".")
    }
    assert little("De man met de hond was in Rome") == {"De", "de", "met", "was", "in"}
    assert little("x z") == set()
