#!/usr/bin/env bash
# Kernels are asked what they can do, not how old they are: distributions backport.
cd "$(dirname "$0")/../.." || exit 1
grep -rnE 'LINUX_VERSION_CODE|LINUX_KERNEL_VERSION|KERNEL_VERSION\(|libbpf_kernel_version' --include='*.[ch]' \
	applets bpf core symbolize tests && exit 1
exit 0
