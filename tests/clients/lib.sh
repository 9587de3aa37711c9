# What the client tests share. T: a folder of their own; modules: where npm's packages are; screenshots: what was seen.
: "${STACKTOOL:?}" "${SOURCE:?}" "${BUILD:?}"
export LC_ALL=C.UTF-8
here=$SOURCE/tests/clients
modules=$BUILD/clients
screenshots=$modules/screenshots
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
failures=0

fail() {
	echo "FAIL: $*"
	failures=$((failures + 1))
}

skip() {
	echo "SKIP: $*"
	exit 77
}

need() { # COMMAND PACKAGE
	command -v "$1" >/dev/null || [ -x "$1" ] || skip "$1 is missing: ./dev install client installs $2"
}

# npm's packages, once per build tree; tests run at the same time.
need_modules() {
	need node nodejs
	need npm npm
	mkdir -p "$modules"
	(
		flock 9
		cmp -s "$here/package.json" "$modules/package.json" && [ -d "$modules/node_modules" ] && exit
		cp "$here/package.json" "$modules/package.json.new" &&
			cd "$modules" && cp package.json.new package.json &&
			npm install --no-audit --no-fund --silent || { rm -f package.json && exit 1; }
	) 9>"$modules/lock" || skip "npm cannot fetch its packages here"
	export NODE_PATH=$modules/node_modules
}

expect() { # WHAT REGEX FILE
	grep -qE -- "$2" "$3" || fail "$1: no line matches $2 in $(head -c 400 "$3")"
}

finish() {
	[ "$failures" = 0 ]
	exit
}

# Saved profiles of the golden tests: one as it should be, one by an enemy.
ordinary=$SOURCE/tests/golden/saved/profile-default
hostile=$SOURCE/tests/golden/saved/profile-hostile
