/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>

/*
 * Finds the id of a container in the path of its cgroup: the last part with 64 hexadecimal digits, or with 32, a dash and a number, in the
 * names that Docker, containerd, CRI-O and Podman use ("docker-….scope"). Returns its length and start; 0: none. The rule is that of the
 * OpenTelemetry profiler.
 */
size_t container_id(const char *path, const char **ret_id);
