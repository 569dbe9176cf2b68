"""Counting words: what is left out, what is said, and what new texts are given."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from cocluster.preprocessing import WordCounter
from cocluster.preprocessing.boilerplate import shared_lines, split_mail
from cocluster.preprocessing.languages import STOP_WORDS

# One sentence of each language, written for this test.
SENTENCES = {
    "english": "The dog was sleeping in the garden when she came back from the market with her son",
    "german": "Der Hund schlief im Garten, als sie mit ihrem Sohn von dem Markt nach Hause kam",
    "french": "Le chien dormait dans le jardin quand elle est revenue du marché avec son fils",
    "spanish": "El perro dormía en el jardín cuando ella volvió del mercado con su hijo",
    "italian": "Il cane dormiva nel giardino quando lei è tornata dal mercato con suo figlio",
    "portuguese": "O cão não dormia no jardim quando ela voltou do mercado com o seu filho",
    "dutch": "De hond lag in de tuin te slapen toen zij met haar zoon van de markt naar huis kwam",
    "swedish": "Hunden låg och sov i trädgården när hon kom hem från torget med sin son och jag",
    "danish": "Hunden lå og sov ude i haven, da hun kom hjem fra torvet med sin søn og noget",
    "norwegian": "Hunden lå og sov i hagen da hun kom hjem fra torget med sønnen sin og noe",
    "finnish": "Koira nukkui pihalla kun hän tuli kotiin torilta ja poika oli hänen kanssaan",
    "polish": "Pies nie spał w ogrodzie, gdy ona wróciła z targu, ale jej syn już tam był i czekał",
    "czech": "Pes nespal na zahradě, když se ona vrátila z trhu, ale její syn už tam byl a čekal",
    "hungarian": "A kutya nem aludt a kertben, amikor ő hazajött, de már ott volt az egyik fia is",
    "romanian": "Câinele nu dormea în grădină când ea a venit de la piață, dar era acolo cu el",
    "russian": "Собака не спала в саду, когда она вернулась с рынка, но её сын уже был там и ждал",
    "ukrainian": "Собака не спав у саду, коли вона повернулася з ринку, але її син вже був там",
    "greek": "Ο σκύλος δεν κοιμόταν στον κήπο όταν αυτή γύρισε από την αγορά με τον γιο της",
    "turkish": "Köpek bahçede uyuyordu ama o sonra oğlu ile çarşıdan gelince çok daha iyi oldu",
}
MAIL = "From: ada@example.org\nSubject: engines\n of brass\nLines: 2\n\nDear Charles,\nit works"


def counted(texts: list[str], **options: Any) -> list[str]:
    """Words that are counted."""
    return WordCounter(**options).fit(texts).words_.tolist()


def test_words_are_runs_of_letters_in_lower_case() -> None:
    text = "Straße STRASSE mp3 x_y 3rd a élan e\u0301lan co-operate हिन्दी don't"
    words = counted([text], stop_words=None)
    assert words == ["co", "don", "operate", "strasse", "straße", "élan", "हिन्दी"]


def test_without_any_rule_it_counts_as_scikit_learn_does(rng: np.random.Generator) -> None:
    texts = [" ".join(rng.choice(["aa", "bb", "cc", "dd"], 5)) for _ in range(30)]
    counter = WordCounter(stop_words=None, min_df=1, max_df=1.0, boilerplate=True)
    theirs = CountVectorizer()
    assert np.array_equal(
        counter.fit_transform(texts).toarray(), theirs.fit_transform(texts).toarray()
    )
    assert counter.words_.tolist() == theirs.get_feature_names_out().tolist()


@pytest.mark.parametrize("language", STOP_WORDS)
def test_languages_are_recognised(language: str) -> None:
    counter = WordCounter().fit([SENTENCES[language]])
    assert counter.languages_ == (language,)
    assert not set(counter.words_) & STOP_WORDS[language]


def test_a_collection_may_have_two_languages_and_names_have_none() -> None:
    texts = [SENTENCES["english"], SENTENCES["german"], SENTENCES["english"]]
    counter = WordCounter().fit(texts)
    assert counter.languages_ == ("english", "german")
    assert counter.stop_words_ == STOP_WORDS["english"] | STOP_WORDS["german"]
    # "dog" is a word of Danish, too.
    for texts in (["Quercus robur", "Fagus sylvatica"], ["dog", "dog cat", "cat"]):
        assert WordCounter().fit(texts).languages_ == ()


def test_stop_words_can_be_named_given_or_kept() -> None:
    text = ["the cat und der Hund"]
    assert counted(text, stop_words="German") == ["cat", "hund", "the"]
    assert counted(text, stop_words="german, english") == ["cat", "hund"]
    assert counted(text, stop_words=["Cat"]) == ["der", "hund", "the", "und"]
    assert counted(text, stop_words=None) == ["cat", "der", "hund", "the", "und"]


def test_bounds_of_document_frequencies_follow_the_number_of_texts() -> None:
    for n, least, most in ((1, 1, 1), (19, 1, 19), (100, 2, 50), (1000, 3, 500)):
        texts = [f"everywhere word{'abcdefghij'[i % 10]} twice{i // 2}" for i in range(n)]
        counter = WordCounter().fit(texts)
        assert (counter.min_df_, counter.max_df_) == (least, most)
        assert ("everywhere" in counter.words_) == (n < 20)


def test_shares_and_numbers_of_texts_mean_the_same() -> None:
    texts = ["aa bb cc", "bb cc", "cc", "dd"] * 10
    for share, number in (((0.25, 0.5), (10, 20)), ((0.3, 0.75), (12, 30))):
        by_share = counted(texts, min_df=share[0], max_df=share[1])
        assert by_share == counted(texts, min_df=number[0], max_df=number[1])


def test_pairs_of_words_skip_stop_words() -> None:
    words = counted(["state of the art", "art of the state"], bigrams=True)
    assert words == ["art", "art state", "state", "state art"]


def test_lemmas_come_from_a_function() -> None:
    counter = WordCounter(lemmas=lambda word: word.rstrip("s")).fit(["cats dog", "cat dogs"])
    assert counter.words_.tolist() == ["cat", "dog"]
    assert "as lemmas" in counter.summary()
    saved = counter.to_json()
    with pytest.raises(ValueError, match="same function as lemmas="):
        WordCounter.from_json(saved)
    again = WordCounter.from_json(saved, lemmas=lambda word: word.rstrip("s"))
    assert again.transform(["cats"]).toarray().tolist() == [[1, 0]]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_mail_headers_are_left_out_and_told(end: str) -> None:
    counter = WordCounter().fit([MAIL.replace("\n", end), "engines of steam"])
    assert counter.words_.tolist() == ["charles", "dear", "engines", "steam", "works"]
    assert counter.n_mail_ == 1
    assert "mail headers of 1 texts" in counter.summary()
    assert counter.transform([MAIL]).toarray().tolist() == [[1, 1, 0, 0, 1]]
    assert "brass" in counted([MAIL], headers=True)


def test_headers_of_mail_are_told_from_other_beginnings() -> None:
    fields, body = split_mail(MAIL)
    assert fields == {"from": "ada@example.org", "subject": "engines of brass", "lines": "2"}
    assert body == "Dear Charles,\nit works"
    assert split_mail("From ada Mon Apr 5\n" + MAIL) == (fields, body)
    for text in (
        "Note: this\nWarning: that\n\nbody",
        "To: whom\n\nbody",
        "From: a\nSubject: b\nbody",
        "",
    ):
        assert split_mail(text) == ({}, text)


def test_a_letter_that_is_all_header_is_counted_whole() -> None:
    text = "From: someone\nSubject: brakes drilled\n\n \n"
    assert "brakes" in counted([text])


def pages(n: int) -> list[str]:
    """Different texts of two lines, the second of which they share."""
    topics = ("ships", "trees", "songs")
    return [
        f"a page about {topics[i % 3]} by {name}\nAll rights are reserved."
        for i, name in enumerate(names(n))
    ]


def names(n: int) -> list[str]:
    """Different words of letters."""
    return ["".join("abcdefghij"[int(digit)] for digit in f"{i:04}") for i in range(n)]


@pytest.mark.parametrize("copies", [1, 3])
def test_lines_of_many_texts_are_left_out_and_told(copies: int) -> None:
    texts = pages(8) * copies
    counter = WordCounter(min_df=1).fit(texts)
    assert counter.shared_lines_ == {"All rights are reserved."}
    assert "reserved" not in counter.words_
    assert "1 lines of many texts such as 'All rights are reserved.'" in counter.summary()
    found = counter.transform(["ships\n  All rights are reserved.\n"])
    assert found.sum() == 1
    kept = WordCounter(min_df=1, max_df=1.0, boilerplate=True).fit(texts)
    assert "reserved" in kept.words_


def test_few_texts_single_lines_and_copies_share_nothing() -> None:
    assert shared_lines(pages(4)) == frozenset()
    assert shared_lines(["the very same line"] * 50) == frozenset()
    assert shared_lines(["two lines of words\nand another one here"] * 50) == frozenset()
    assert shared_lines([]) == frozenset()


def test_of_many_texts_the_lines_are_found_exactly() -> None:
    n = 12_000  # more than are looked at closely
    texts = [f"own line of {name}\n" for name in names(n)]
    for i in range(n // 10):
        texts[i] += "in a tenth of all\n"
    for i in range(n // 10 - 1):
        texts[n - 1 - i] += "in fewer by one\n"
    assert shared_lines(texts) == {"in a tenth of all"}


def test_the_order_of_texts_changes_only_the_order_of_rows(rng: np.random.Generator) -> None:
    texts = [*pages(40), MAIL, *SENTENCES.values()]
    order = rng.permutation(len(texts))
    first, second = WordCounter(), WordCounter()
    X = first.fit_transform(texts).toarray()
    assert np.array_equal(X[order], second.fit_transform([texts[i] for i in order]).toarray())
    assert first.to_json() == second.to_json()


@pytest.mark.parametrize("options", [{}, {"bigrams": True}, {"stop_words": ["page"]}])
def test_saved_as_json_it_counts_new_texts_alike(options: dict[str, Any]) -> None:
    texts = [*pages(40), MAIL]
    counter = WordCounter(**options)
    X = counter.fit_transform(texts)
    again = WordCounter.from_json(json.loads(json.dumps(counter.to_json())))
    for one in (counter, again):
        assert np.array_equal(one.transform(texts).toarray(), X.toarray())
    assert again.summary() == counter.summary()
    assert again.to_json() == counter.to_json()
    assert again.transform([]).shape == (0, X.shape[1])


def test_a_newer_format_is_refused() -> None:
    saved = WordCounter().fit(["cat"]).to_json()
    with pytest.raises(ValueError, match="newer version"):
        WordCounter.from_json(saved | {"format": 2})


@pytest.mark.parametrize(
    ("texts", "options", "message"),
    [
        (["the and", "of"], {}, "no words to count: of 3 different ones 3 are stop words"),
        (["123 !"], {}, "there are no words in these texts"),
        (["cat", "dog"], {"min_df": 2}, "2 are in fewer than 2 .* of 2 texts"),
        (["cat"], {"min_df": 0}, "min_df is 0"),
        (["cat"], {"max_df": 1.5}, "max_df is 1.5"),
        (["cat"], {"max_df": "auto"}, "max_df is 'auto'"),
        (["cat"], {"min_letters": 0}, "min_letters is 0"),
        (["cat"], {"stop_words": "klingon"}, "no stop words of 'klingon'; known are english"),
    ],
)
def test_what_cannot_be_counted_is_refused(
    texts: list[str], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        WordCounter(**options).fit(texts)


def test_one_text_is_not_taken_for_its_letters() -> None:
    with pytest.raises(TypeError, match="list of texts"):
        WordCounter().fit("cat")


def test_what_is_no_text_is_named() -> None:
    with pytest.raises(TypeError, match="Text 1 is None"):
        WordCounter().fit(["cat", None])  # type: ignore[list-item]


def test_stop_words_of_all_languages_are_words_that_could_be_counted() -> None:
    for language, words in STOP_WORDS.items():
        text = " ".join(sorted(words))
        assert set(counted([text], stop_words=None)) == words, language
    for one, other in pairwise(STOP_WORDS.values()):
        assert one != other
