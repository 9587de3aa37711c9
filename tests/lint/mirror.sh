#!/usr/bin/env bash
# The tree names no server that packages are fetched from: that is for apt's configuration of the host to say, and
# tests/vm/mirror reads it there.
cd "$(dirname "$0")/../.." || exit 1
status=0

# Names of documents, of this machine and of nobody may be written down.
allowed='^(www\.w3\.org|www\.speedscope\.app|json-schema\.org|no-color\.org|127\.0\.0\.1|localhost|x|\.|.*\.invalid)$'
while IFS=: read -r file line url; do
	host=${url#*://}
	[[ $host =~ $allowed ]] || { echo "$file:$line: $url" && status=1; }
done < <(git grep -nIoE --untracked '(https?|ftp)://[a-zA-Z0-9.-]+' -- . ':!:LICENSE')
if git grep -nIE --untracked '\b(deb|ftp|snapshot|security|archive)\.(debia[n]|ubunt[u]|kerne[l])\.' -- .; then
	status=1
fi

[ "$status" = 0 ] || exit 1
command -v apt-get >/dev/null || exit 0

# ---- tests/vm/mirror ----

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/parts" "$dir/lists/partial"
cat >"$dir/apt.conf" <<END
Dir::Etc::SourceList "$dir/sources.list";
Dir::Etc::SourceParts "$dir/parts";
Dir::State::Lists "$dir/lists";
END
suite=$(. /etc/os-release && [ "$ID" = debian ] && echo "${VERSION_CODENAME:-}")
suite=${suite:-stable}

# expect WHAT MAIN SECURITY: what is found in the sources
expect() {
	local archive found should=("$2" "$3") i=0
	for archive in main security; do
		found=$(env -u STACKTOOL_DEBIAN_MIRROR APT_CONFIG="$dir/apt.conf" tests/vm/mirror $archive 2>/dev/null)
		[ "$found" = "${should[i]}" ] || { echo "$1: $archive: '$found', not '${should[i]}'" && status=1; }
		i=$((i + 1))
	done
	rm -f "$dir"/parts/* "$dir/sources.list"
}

cat >"$dir/sources.list" <<END
deb [arch=amd64] http://others.invalid/linux/debian $suite stable
deb http://vendor.invalid/apt $suite main
deb [arch=amd64 check-valid-until=no] http://mirror.invalid/debian/ $suite main contrib
deb http://mirror.invalid/debian $suite-backports main
deb http://mirror.invalid/debian-security $suite-security main
END
expect "one line for each" http://mirror.invalid/debian http://mirror.invalid/debian-security

cat >"$dir/parts/debian.sources" <<END
Types: deb deb-src
URIs: https://mirror.invalid:8080/pub/debian
Suites: $suite $suite-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Enabled: no
Types: deb
URIs: http://mirror.invalid/debian-security
Suites: $suite-security
Components: main
END
expect "deb822" https://mirror.invalid:8080/pub/debian ''

echo "deb http://snapshot.invalid/archive/debian/20260101T000000Z $suite main" >"$dir/parts/debian.list"
expect "a snapshot" http://snapshot.invalid/archive/debian/20260101T000000Z ''

printf '# ours\nhttp://first.invalid/debian\tpriority:1\nhttp://second.invalid/debian\n' >"$dir/mirrors"
echo "deb mirror+file:$dir/mirrors $suite main" >"$dir/parts/debian.list"
expect "a list of mirrors" http://first.invalid/debian ''

echo "deb http://vendor.invalid/apt $suite main" >"$dir/parts/vendor.list"
expect "no Debian" '' ''
exit $status
