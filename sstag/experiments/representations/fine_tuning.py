"""An encoder fine-tuned by torch and transformers, as a program of its own, so that its memory can be measured.

    python -m sstag.experiments.representations.fine_tuning MODEL RATE EPOCHS SEED < texts.json > found.json

A label for the first piece of each word; AdamW, warm-up over a tenth of the steps, then a linear fall, batches of 8,
gradients cut at 1: what Devlin et al. (2019) and the examples of transformers do, with more epochs for few sentences.
"""

import json
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import BatchEncoding

TOGETHER = 8
LONGEST = 256  # pieces
IGNORED = -100  # the label of pieces that are not looked at


def main(model: str, rate: float, epochs: int, seed: int) -> None:
    """Fine-tunes on `train`, labels `test`, and writes labels, seconds and memory."""
    import torch
    from transformers import AutoModelForTokenClassification, AutoTokenizer, get_linear_schedule_with_warmup

    said = json.load(sys.stdin)
    labels, train, gold, test = said["labels"], said["train"], said["gold"], said["test"]
    torch.manual_seed(seed)
    torch.set_num_threads(said["threads"])
    tokenizer = AutoTokenizer.from_pretrained(model, local_files_only=True)
    tagger = AutoModelForTokenClassification.from_pretrained(
        model, num_labels=len(labels), local_files_only=True, use_safetensors=True
    )

    def batches(order: Sequence[int], texts: list[list[str]]) -> "Iterator[tuple[list[int], BatchEncoding]]":
        for begin in range(0, len(order), TOGETHER):
            some = list(order[begin : begin + TOGETHER])
            words = [texts[place] for place in some]
            made = tokenizer(words, is_split_into_words=True, truncation=True, max_length=LONGEST, padding=True,
                             return_tensors="pt")  # fmt: skip
            yield some, made

    def firsts(made: "BatchEncoding", place: int) -> Iterator[tuple[int, int]]:
        """The first piece of each word that was not cut off: its place, and the word's."""
        before = None
        for piece, word in enumerate(made.word_ids(place)):
            if word is not None and word != before:
                yield piece, word
            before = word

    began = time.process_time()
    steps = -(-len(train) // TOGETHER) * epochs
    optimiser = torch.optim.AdamW(tagger.parameters(), lr=rate, weight_decay=0.01)
    falling = get_linear_schedule_with_warmup(optimiser, steps // 10, steps)
    tagger.train()
    for _ in range(epochs):
        for some, made in batches(torch.randperm(len(train)).tolist(), train):
            wanted = torch.full(made["input_ids"].shape, IGNORED)
            for row, sentence in enumerate(some):
                for piece, word in firsts(made, row):
                    wanted[row, piece] = gold[sentence][word]
            loss = tagger(**made, labels=wanted).loss
            loss.backward()
            torch.nn.utils.clip_grad_norm_(tagger.parameters(), 1.0)
            optimiser.step()
            falling.step()
            optimiser.zero_grad()
    seconds = time.process_time() - began
    tagger.eval()
    found = [[0] * len(words) for words in test]
    began = time.process_time()
    with torch.no_grad():
        for some, made in batches(sorted(range(len(test)), key=lambda place: len(test[place])), test):
            best = tagger(**made).logits.argmax(-1)
            for row, sentence in enumerate(some):
                for piece, word in firsts(made, row):
                    found[sentence][word] = int(best[row, piece])
    json.dump(
        {
            "found": found,
            "seconds": seconds,
            "tagging": time.process_time() - began,
            "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
