#!/usr/bin/env bash
# `make demo`: what sstag does, on a generated corpus. Each command is shown before it runs; all files go to build/demo.
set -euo pipefail
cd "$(dirname "$0")"
folder=build/demo
template=configs/templates/ads.yaml
rm -rf "$folder"

say() { if [ -t 1 ]; then printf '\n\033[1m%s\033[0m\n' "$*"; else printf '\n%s\n' "$*"; fi; }
run() { printf '$ %s\n' "$*"; "$@"; }

say "1. A corpus: apartment ads in which every word is labelled with its field, rent or size or contact."
run sstag sample ads "$folder" --train 100 --dev 50 --test 200 --unlabeled 500
run head -n 4 "$folder/train.txt"

say "2. Is it well annotated? Counts, the tag scheme, and words that are labelled differently between the same words."
run sstag check "$folder/train.txt" --most 3

say "3. A template says what a tagger may look at; these are the attributes of one word."
printf '$ sstag features --template %s --sentence 2 %s | head -n 8\n' "$template" "$folder/train.txt"
sstag features --template "$template" --sentence 2 "$folder/train.txt" | sed -n 1,8p

say "4. Training. The development sentences say when to stop."
run sstag train --template "$template" --train "$folder/train.txt" --dev "$folder/dev.txt" --model "$folder/ads.model"

say "5. Tagging: every line of a file comes back with its label; here of ads that nobody has labelled."
run sstag tag --model "$folder/ads.model" --confidence "$folder/unlabeled.txt" --output "$folder/tagged.txt"
run head -n 8 "$folder/tagged.txt"

say "6. How good is it? Scored on ads that it has not seen: with intervals, the most frequent confusions, and one wrong ad."
run sstag eval --model "$folder/ads.model" "$folder/test.txt" --confusions 5 --errors 1

say "7. What has it learned? The attributes that speak most for two of the fields."
run sstag inspect --most 4 --only rent --only contact "$folder/ads.model"

say "Done. The files are in $folder. The command is .venv/bin/sstag here; docs/tutorials goes on with it."
