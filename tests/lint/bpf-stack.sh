#!/usr/bin/env bash
# A structure on the BPF stack is a map key or value sooner or later: uninitialised padding is refused by old kernels
# and splits counts on new ones. So each declaration has an initialiser.
cd "$(dirname "$0")/../.." || exit 1
grep -nE '^[[:space:]]+struct st_[a-z_]+ [a-z_]+(\[[^]]*\])?;' bpf/*.bpf.[ch] /dev/null | while IFS= read -r line; do
	# Members of a structure are declarations too: inside a function only.
	file=${line%%:*} number=${line#*:}
	number=${number%%:*}
	head -n "$number" "$file" | tac | grep -m1 -E '^[^[:space:]#*/]' | grep -qE '^\{' && echo "$line"
done | tee /dev/stderr | grep -q . && exit 1
exit 0
