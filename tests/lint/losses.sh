#!/usr/bin/env bash
# Every loss of bpf/losses.h is counted somewhere, and every loss that is counted is in the list.
cd "$(dirname "$0")/../.." || exit 1
listed=$(sed -nE 's/^[[:space:]]*X\(([A-Z_]+), [A-Z]+,.*/\1/p' bpf/losses.h | sort -u)
used=$(grep -rhoE '\bST_LOSS_[A-Z_]+' --include='*.[ch]' bpf core applets | sed 's/^ST_LOSS_//' | sort -u)
used+=$'\n'$(grep -rhoE '\bST_COUNT_LOSS\([a-z_>-]+, [A-Z_]+' --include='*.[ch]' bpf | sed 's/.*, //' | sort -u)
status=0
for loss in $listed; do
	grep -qx "$loss" <<<"$used" || { echo "$loss is listed but never counted" && status=1; }
done
exit $status
