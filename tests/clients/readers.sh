#!/usr/bin/env bash
# pprof-format decodes our pprof strictly, by the rules that Parca and Pyroscope check on arrival; JSON fits its schema.
# ctest: timeout=300
. "$(dirname "$0")/lib.sh"
need_modules
corpus=$SOURCE/tests/fuzz/corpus/stk
while read -r profile type unit; do
	profile=$corpus/$profile
	for suffix in pb.gz json speedscope.json; do
		"$STACKTOOL" report -o "$T/p.$suffix" "$profile" 2>/dev/null || fail "$profile: no $suffix"
	done
	node "$here/readers.js" "$T/p.pb.gz" "$T/p.json" "$T/p.speedscope.json" "$SOURCE/docs/profile.schema.json" \
		"$modules/node_modules/speedscope/dist/release" "$type" "$unit" || fail "$profile"
done <<'PROFILES'
profile-default samples count
profile-hostile samples count
merge samples count
offcputime-histogram off_cpu nanoseconds
PROFILES
finish
