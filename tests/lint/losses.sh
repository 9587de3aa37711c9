#!/usr/bin/env bash
# Every loss of bpf/losses.h is counted somewhere, every loss that is counted is in the list, docs/reference/losses.md explains
# each, and the end-to-end tests, which look for the plural, find each sentence about one too, and look for no other.
cd "$(dirname "$0")/../.." || exit 1
listed=$(sed -nE 's/^[[:space:]]*X\(([A-Z_]+), [A-Z]+,.*/\1/p' bpf/losses.h | sort -u)
used=$(grep -rhoE '\bST_LOSS_[A-Z_]+' --include='*.[ch]' bpf core applets | sed 's/^ST_LOSS_//' | sort -u)
used+=$'\n'$(grep -rhoE '\bST_COUNT_LOSS\([a-z_>-]+, [A-Z_]+' --include='*.[ch]' bpf | sed 's/.*, //' | sort -u)
status=0
for loss in $listed; do
	grep -qx "$loss" <<<"$used" || { echo "$loss is listed but never counted" && status=1; }
done
lib=$(mktemp) && trap 'rm -f "$lib"' EXIT
sed -n '/^said_/,/^}/p' tests/e2e/lib.sh >"$lib" && . "$lib"
sentences=$(tr -d '\n\\' <bpf/losses.h | grep -oE 'X\([A-Z_]+, [A-Z]+,[[:space:]]*"[^"]*"' | sed -E 's/^[^"]*"([^"]*)"/\1/')
[ "$(wc -l <<<"$sentences")" = "$(wc -l <<<"$listed")" ] || { echo "not every sentence of bpf/losses.h was read" && status=1; }
while read -r sentence; do
	one=$(sed -E 's/\{([^|}]*)\|[^}]*\}/\1/g' <<<"$sentence")
	many=$(sed -E 's/\{[^|}]*\|([^}]*)\}/\1/g; s/[()]/./g; s/,//g' <<<"$sentence")
	[ "$(said_of "$many" <(echo "NOTE: 1 $one"))" = 1 ] || { echo "said_of does not know: 1 $one" && status=1; }
	plural=$(sed -E 's/\{[^|}]*\|([^}]*)\}/\1/g' <<<"$sentence")
	grep -qF "| $plural |" docs/reference/losses.md || { echo "docs/reference/losses.md lacks: $plural" && status=1; }
done <<<"$sentences"
plurals=$(sed -E 's/\{[^|}]*\|([^}]*)\}/\1/g; s/,//g; s/^/1 /' <<<"$sentences")
while read -r wanted; do
	# An alternative of a list, or a list within a sentence
	[[ $wanted == *"("* ]] && set -- "$wanted" || IFS='|' read -ra parts <<<"$wanted" && set -- "${parts[@]}"
	for phrase; do
		grep -qE "^1 ($phrase)" <<<"$plurals" || { echo "a test looks for '$phrase', which no loss says" && status=1; }
	done
done < <(grep -rhoE "said_of '[^']*'" tests/e2e | sed "s/^said_of '//; s/'$//" | sort -u)
exit $status
