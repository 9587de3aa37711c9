// SPDX-License-Identifier: GPL-2.0-or-later
#define ST_DEFINE_MAPS
#include "bpf/maps.bpf.h"

const volatile struct st_config st_config = {};
const volatile __u64 st_cpus[ST_CPU_WORDS] = {};
const volatile struct st_offcpu_config st_offcpu = {};
const volatile struct st_calls_config st_calls_config = {};

char LICENSE[] SEC("license") = "GPL";
