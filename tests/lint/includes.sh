#!/usr/bin/env bash
# Arrows point one way (docs/design.md): what each folder may include from the project, as extended regular expressions.
cd "$(dirname "$0")/../.." || exit 1
shopt -s nullglob
failures=0
own_first='stk\.pb-c\.h|stacktool\.skel\.h|build_info\.h'

allow() { # FOLDER-GLOB ALLOWED
	local file header
	for file in $1; do
		while read -r header; do
			[[ $header =~ ^($2)$ ]] && continue
			echo "$file includes \"$header\""
			failures=$((failures + 1))
		done < <(sed -n 's/^#[ \t]*include "\(.*\)"/\1/p' "$file")
	done
}

base='core/base/.*'
allow 'core/base/*.[ch]' "$base"
allow 'symbolize/*.[ch]' "$base|symbolize/.*|bpf/unwind_abi\.h"
allow 'bpf/*.[ch]' 'bpf/.*'
allow 'core/cli/*.[ch]' "$base|core/cli/.*|core/applet\.h|build_info\.h"
allow 'core/render/*.[ch]' "$base|core/render/.*|core/engine/(profile|output)\.h|bpf/losses\.h|(render_scripts|profile\.pb-c)\.h"
allow 'core/engine/*.[ch]' "$base|core/engine/.*|symbolize/symbolize\.h|symbolize/unwind\.h|bpf/(abi|losses|unwind_abi|unwind_space)\.h|$own_first"
allow 'core/*.[ch]' "$base|core/.*|symbolize/symbolize\.h|bpf/losses\.h|build_info\.h"
for file in applets/*.[ch]; do
	case $file in
	applets/main.c) allow "$file" '(core|applets|symbolize)/.*|build_info\.h' ;;
	*) allow "$file" "$base|core/applet\.h|core/run\.h|core/cli/.*|core/engine/(plan|profile|saved|output)\.h|applets/.*" ;;
	esac
done

# The kernel side is known to few files of the engine.
border=$(grep -lE '^#[ \t]*include "(bpf/abi\.h|stacktool\.skel\.h)"' core/engine/*.c)
nr=$(grep -c . <<<"$border")
if [ "$nr" -gt 4 ]; then
	echo "more than 4 files of core/engine include bpf/abi.h or the skeleton:" $border
	failures=$((failures + 1))
fi
echo "$failures forbidden includes; the border to the kernel side:" $border
[ $failures -eq 0 ]
