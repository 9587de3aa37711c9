#!/usr/bin/env bash
# pprof-format decodes our pprof strictly, by the rules that Parca and Pyroscope check on arrival; JSON fits its schema.
# ctest: timeout=300
. "$(dirname "$0")/lib.sh"
need_modules
for profile in "$ordinary" "$hostile" "$SOURCE/tests/fuzz/corpus/stk/merge"; do
	for suffix in pb.gz json speedscope.json; do
		"$STACKTOOL" report -o "$T/p.$suffix" "$profile" 2>/dev/null || fail "$profile: no $suffix"
	done
	node "$here/readers.js" "$T/p.pb.gz" "$T/p.json" "$T/p.speedscope.json" "$SOURCE/docs/profile.schema.json" \
		"$modules/node_modules/speedscope/dist/release" || fail "$profile"
done
finish
