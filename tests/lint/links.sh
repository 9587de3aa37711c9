#!/usr/bin/env bash
# Every link of a Markdown file leads to a file, and to a heading where it names one; docs/README.md lists every page; and every
# path of this tree that a page, a comment or a script names is there. NAME, KIND and * in a path stand for any text.
cd "$(dirname "$0")/../.." || exit 1
status=0
bad() {
	echo "$1" && status=1
}

# anchors FILE: the headings of a page, as links write them.
anchors() {
	sed -nE '/^(```|~~~)/,/^(```|~~~)$/!s/^#+ +//p' "$1" | tr '[:upper:]' '[:lower:]' | sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'
}

declare -A headings # of each page
while IFS=: read -r file line link; do
	link=${link#](} link=${link%)}
	[[ $link =~ ^[a-z]+: ]] && continue
	path=${link%%#*} target=$file
	[ -z "$path" ] || target=./$file target=${target%/*}/$path
	[ -e "$target" ] || { bad "$file:$line: no file $link" && continue; }
	[[ $link == *\#* ]] || continue
	[ -n "${headings[$target]:-}" ] || headings[$target]=$'\n'$(anchors "$target")$'\n'
	[[ ${headings[$target]} == *$'\n'"${link#*#}"$'\n'* ]] || bad "$file:$line: no heading $link"
done < <(git grep --untracked -noE '\]\([^) ]+\)' -- '*.md')

while read -r page; do
	[ "$page" = docs/README.md ] || grep -qF "(${page#docs/})" docs/README.md || bad "docs/README.md does not list $page"
done < <(git ls-files -co --exclude-standard 'docs/*.md' | grep -v '^docs/use/examples/[a-z-]*\.md$')

# Paths that begin with a folder of ours, but not those that begin elsewhere (/sys/fs/bpf/..., tools/testing/selftests/bpf/...)
# and not headers of libbpf.
while IFS= read -r hit; do
	where=${hit%%:*} hit=${hit#*:} line=${hit%%:*} path=${hit#*:}
	path=${path#\$*/} path=${path#[^a-z]} path=${path%[.,:-]}
	[[ $path != *[_/] ]] || path+='*'
	[ ! -e "$path" ] && [ ! -e "${where%/*}/$path" ] || continue
	pattern=$(sed -E 's/NAME(_…)?|KIND|TARGET|FILE|LAYER|VERSION/*/g' <<<"$path")
	git ls-files -co --exclude-standard -- "$pattern" | grep -q . || bad "$where:$line: no file $path"
done < <(git grep --untracked -noE '(^|[^A-Za-z0-9_./}$]|[$]SOURCE"?/|[$]root/)(core|bpf|applets|symbolize|docs|tests/(bench|bpf|clients|e2e|fixtures|fuzz|golden|lint|names|runtimes|unit|vm))/[A-Za-z0-9_.*/-]+' -- . ':!LICENSE' ':!tests/fuzz/corpus' ':!tests/golden/expected' ':!tests/lint/links.sh' ':!tests/lint/includes.sh' ':!tests/lint/bpf-stack.sh' |
	grep -vE ':[^a-z]?bpf/(bpf|bpf_core_read|bpf_helpers|bpf_tracing|btf|libbpf|btf.rst|standardization/.*)(\.h)?$')
exit $status
