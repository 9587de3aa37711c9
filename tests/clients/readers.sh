#!/usr/bin/env bash
# pprof-format decodes our pprof strictly, by the rules that Parca and Pyroscope check on arrival; JSON fits its schema.
# ctest: timeout=300
. "$(dirname "$0")/lib.sh"
need_modules
corpus=$SOURCE/tests/golden/saved
while read -r profile types period; do
	profile=$corpus/$profile
	for suffix in pb.gz json speedscope.json; do
		"$STACKTOOL" report -o "$T/p.$suffix" "$profile" 2>/dev/null || fail "$profile: no $suffix"
	done
	node "$here/readers.js" "$T/p.pb.gz" "$T/p.json" "$T/p.speedscope.json" "$SOURCE/docs/reference/profile.schema.json" \
		"$modules/node_modules/speedscope/dist/release" "$types" "$period" || fail "$profile"
done <<'PROFILES'
profile-default samples:count 0
profile-hostile samples:count 0
merge samples:count 0
processes samples:count,cpu:nanoseconds 10000000
offcputime-histogram off_cpu_events:count,off_cpu:nanoseconds 0
PROFILES
finish
