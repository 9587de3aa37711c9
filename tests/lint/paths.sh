#!/usr/bin/env bash
# Nothing of the machine that the code was written on, in binary files either.
cd "$(dirname "$0")/../.." || exit 1
git grep -nE --untracked '/wor[k]/|\.librar[y]/|\.\./share[d]|/root/\.' -- . ':!:LICENSE' && exit 1
exit 0
