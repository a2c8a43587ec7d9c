"""Words that say little of what stands in a text: function words of seven languages, and punctuation.

Proposals of words put them last: a label for `the` or a comma tells a model nothing that a few labelled
sentences do not tell it.
"""

import unicodedata
from collections.abc import Collection, Sequence

import numpy as np

from sstag.foundation.arrays import Bools, Longs

FUNCTION_WORDS = {
    "english": """
        a about after again all also although am an and another any are as at be because been before being between
        both but by can could did do does doing down during each either else ever every few for from further had has
        have having he her here hers him his how however i if in into is it its itself just may me might more most
        much must my neither no nor not now of off on once one only or other our out over own per same she should
        since so some such than that the their them then there these they this those though through thus to too
        under until up upon us very was we were what when where whether which while who whom whose why will with
        within without would yet you your
    """,
    "german": """
        aber als am an auch auf aus bei bin bis da damit dann das dass daß dem den denn der des die dies diese
        diesem diesen dieser dieses doch durch ein eine einem einen einer eines er es für gegen hat hatte ich ihm
        ihn ihr ihre im ist ja kann kein keine man mehr mit muss nach nicht noch nun nur ob oder ohne schon sehr
        sein seine sich sie sind so soll sondern über um und uns unter vom von vor war waren was weil wenn werden
        wie wieder will wir wird wo wurde wurden zu zum zur zwischen
    """,
    "french": """
        au aux avec c ce ces cet cette d dans de des donc du elle en est et été être eux il ils j je l la le les
        leur leurs lui m ma mais me même mes mon n ne nos notre nous on ont ou où par pas plus pour qu que qui s sa
        sans se ses si son sont sous sur t ta te tes ton tous tout tu un une vos votre vous y à
    """,
    "spanish": """
        al algo ante antes como con contra cual cuando del desde donde durante el ella ellos entre era es esa ese
        eso esta este esto fue ha han hasta hay la las le les lo los más me mi mientras muy nada ni o os otra otro
        para pero poco por porque pues que quien se según ser si sido sin sobre son su sus también tan tanto te
        tiene todo tras tu un una uno unos y ya yo
    """,
    "italian": """
        agli ai al alla alle allo anche che chi ci coi come con cui da dal dalla dalle dei del della delle dello di
        dove e è ed gli i il in io la le lei lo loro ma ne nei nel nella nelle non o per perché più quale quando
        quella quello questa questo se sei si sia sono su sua sue sui sul sulla suo suoi tra un una uno
    """,
    "dutch": """
        aan al als bij dan dat de deze die dit door dus een en er ge had heb hebben heeft hem het hij hoe hun ik in
        is je kan maar me meer men met mijn naar niet nog nu of om omdat onder ons ook op over te tegen toch toen
        tot uit van veel voor waar want waren was wat we wel werd wie wij wordt zal ze zich zij zijn zo zonder zou
    """,
    "portuguese": """
        ao aos as até com como da das de dela dele depois do dos e é ela ele eles em entre era essa esse esta este
        eu foi há isso isto já lhe mais mas me mesmo meu minha muito na não nas nem no nos o os ou para pela pelas
        pelo pelos por porque qual quando que quem se sem ser seu seus só sua suas também te tem um uma você
    """,
}
ALSO_NAMES = frozenset(("May", "Will"))


def says_little(words: Sequence[str], counts: Longs) -> Bools:
    """Whether each word is punctuation only, or a function word of the language that such words stand most often in.

    `counts` is how often each word occurs. Signs of currency and other symbols are no punctuation.
    """
    every = []
    for text in FUNCTION_WORDS.values():
        own = {*text.split()}
        every.append(np.array([_is_function_word(word, own) for word in words], bool))
    marks = np.array([_is_punctuation(word) for word in words], bool)
    little: Bools = marks | max(every, key=lambda own: int(counts[own].sum()))
    return little


def _is_function_word(word: str, own: Collection[str]) -> bool:
    """`The` is one like `the`; `US` and `IT` are not, nor is `May`."""
    is_plain = word.islower() or (word.istitle() and word not in ALSO_NAMES)
    return is_plain and word.lower() in own


def _is_punctuation(word: str) -> bool:
    return bool(word) and all(unicodedata.category(char).startswith("P") for char in word)
