/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>

/*
 * The id of a container in the path of its cgroup: the last part that has 64 hexadecimal digits, or 32 with a dash and
 * a number, between what Docker, containerd, CRI-O and Podman put around it ("docker-….scope"). Returns its length and where
 * it begins; 0 if the path names no container. The rule is that of the OpenTelemetry profiler.
 */
size_t container_id(const char *path, const char **ret_id);
