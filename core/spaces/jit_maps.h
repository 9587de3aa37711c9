/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perf maps and jitdumps of processes: where their JIT compilers say what the code is called.
 *
 * A jitdump is the file jit-PID.dump, wherever it is, that the process has mapped as if it were code; PID is the one
 * that the process knows. A perf map is /tmp/perf-PID.map with the process id that the process knows, in its own root;
 * or that of the host, for makers that run outside. It is opened when the first frame of generated code is seen,
 * because both the process and its private /tmp may be gone when names are wanted; what is written later is read
 * through the same descriptor.
 *
 * Anyone can put a file there: it must be a regular file of one name, no symbolic link, owned by the user of the
 * process or by root, and not writable for everyone (a group may write: that is how umask 002 makes files). Of a process
 * that has both, the jitdump is asked first.
 *
 * 4,096 processes are remembered, and as many maps are open as a quarter of the limit of open files; then those of living
 * processes are closed, the least used first, and opened again when their names are wanted. The symbolizer has 64 at a time.
 * When names are given twice after a process has ended, its maps are forgotten.
 */
#pragma once

#include <stdint.h>

#include "core/base/buf.h"
#include "core/files/proc_maps.h"
#include "core/profile/profile.h"
#include "symbolize/symbolize.h"

struct jit_maps;

/*
 * All are borrowed, and all but `profile` may be NULL. `why` is told what is opened (core/base/why.h); the host's perf maps are
 * below `host_root` (opener.h), or below ours.
 */
struct jit_maps *jit_maps_new(struct profile *profile, struct symbolizer *symbolizer, const char *host_root,
			      struct buf *why);
void jit_maps_free(struct jit_maps *maps);

/* A process maps this file as code: remembered if its name is that of a jitdump. What `mapping` points to is only read. */
void jit_maps_note_mapping(struct jit_maps *maps, uint32_t tgid, const struct proc_mapping *mapping);

/* A process begins: what is known of an earlier one of the same tgid is not its own. */
void jit_maps_note_fork(struct jit_maps *maps, uint32_t tgid);

/* A frame of generated code of this process was seen: opens its maps, or tries again after some time. */
void jit_maps_note(struct jit_maps *maps, uint32_t tgid, uint64_t now_ns);

/* Names the frames of generated code that have no name yet, or gives them the reason. */
void jit_maps_name_frames(struct jit_maps *maps);

/* Adds a sentence about maps that were there and are not believed; nothing when there were none. */
void jit_maps_add_note(const struct jit_maps *maps, struct buf *text);

/* Numbers that the maps have in the symbolizer, and a map's descriptor once more, for another worker. */
#define JIT_MAP_FIRST 0x40000000u
int jit_maps_open_again(struct jit_maps *maps, uint32_t number);
