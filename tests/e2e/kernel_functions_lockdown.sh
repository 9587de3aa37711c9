#!/bin/sh
# ctest: guest timeout=120 boots=lockdown
# Under lockdown=confidentiality kernel functions are counted by a way that it leaves open; one that is closed is refused, and
# lockdown is named, not a privilege that root has.
. "${0%/*}/lib.sh"
needs btf

fixture calls -n 1000 -k getppid
tool_start funccount -p "$fixture_pid" -r '__(x64|do|se)_sys_getppid'
go
fixture_done
tool_end
expect_status 0
expect_out '_sys_getppid +1000$'
fixture_end

tool funccount -d 0.1 --attach=kprobe vfs_read
expect_status 3
expect_err '--attach: kprobe is closed by lockdown=confidentiality'
expect_one_line_error

tool count -D 0.1 --attach=fentry vfs_read
expect_status 0
