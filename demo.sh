#!/usr/bin/env bash
# `make demo`: what sstag does, on a generated corpus. Each command is shown before it runs; all files go to build/demo.
set -euo pipefail
cd "$(dirname "$0")"
folder=build/demo
templates=configs/templates
rm -rf "$folder"

say() { if [ -t 1 ]; then printf '\n\033[1m%s\033[0m\n' "$*"; else printf '\n%s\n' "$*"; fi; }
run() { printf '$ %s\n' "$*"; "$@"; }

say "1. A corpus: apartment ads, each word labelled with its field. Twenty to train on, and many without labels."
run sstag sample ads "$folder" --train 20 --dev 50 --test 100 --unlabeled 500

say "2. Is it well annotated? Counts, the tag scheme, and words that are labelled differently in the same context."
run sstag check "$folder/test.txt" --most 3

say "3. Chunks instead of plain labels: the same fields in IOB2, and in BIOES."
run sstag convert --from plain --to iob2 "$folder/train.txt" -o "$folder/train.iob2.txt"
run sstag convert --from iob2 --to bioes "$folder/train.iob2.txt" -o "$folder/train.bioes.txt"
paste "$folder/train.iob2.txt" "$folder/train.bioes.txt" | sed -n 1,6p

say "4. What a template makes of a sentence: the attributes of its first word."
printf '$ sstag features --template %s --sentence 1 %s | head -n 14\n' "$templates/ads.yaml" "$folder/train.txt"
sstag features --template "$templates/ads.yaml" --sentence 1 "$folder/train.txt" | sed -n 1,14p

say "Done. The files are in $folder. The command is .venv/bin/sstag here; README.md goes on with it."
