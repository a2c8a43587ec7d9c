#!/usr/bin/env bash
# `make demo`: what sstag does, on a generated corpus. Each command is shown before it runs; all files go to build/demo.
set -euo pipefail
cd "$(dirname "$0")"
folder=build/demo
templates=configs/templates
rm -rf "$folder"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
run() { printf '$ %s\n' "$*"; "$@"; }

say "1. A corpus: apartment ads, each word labelled with its field. Twenty to train on, and many without labels."
run sstag sample ads "$folder" --train 20 --dev 50 --test 100 --unlabeled 500

say "2. Is it well annotated? Counts, the tag scheme, and places where the same words have different labels."
run sstag check "$folder/train.txt" --most 3

say "3. Chunks instead of plain labels: the same fields in IOB2, and in BIOES."
run sstag convert --to iob2 "$folder/train.txt" -o "$folder/train.iob2.txt"
run sstag convert --to bioes "$folder/train.iob2.txt" -o "$folder/train.bioes.txt"
paste "$folder/train.iob2.txt" "$folder/train.bioes.txt" | head -n 6

say "4. What a template makes of a sentence: the attributes of its first word."
printf '$ sstag features --template %s --sentence 1 %s | head -n 14\n' "$templates/ads.yaml" "$folder/train.txt"
sstag features --template "$templates/ads.yaml" --sentence 1 "$folder/train.txt" | sed -n 1,14p

say "Done. The files are in $folder; README.md goes on from here."
