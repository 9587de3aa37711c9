/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perf maps and jitdumps of processes: files in which a JIT compiler lists the names of its code.
 *
 * A jitdump is a file jit-PID.dump that the process has mapped as if it were code; PID is the one that the process
 * itself sees. A perf map is /tmp/perf-PID.map in the root of the process with the same PID, or in ours with that of
 * the host, for tools that write it from outside. It is opened at the first frame of generated code, because the
 * process and its private /tmp may be gone when names are wanted; what is written later is read through the same
 * descriptor.
 *
 * Anyone can put a file there. It must be a regular file with one name, no symbolic link, owned by the user of the
 * process or by root, and not world-writable (a group may write: that is how umask 002 makes files). Of a process that
 * has both, the jitdump is asked first.
 *
 * 4,096 maps are remembered. A quarter of the limit of open files may be open; beyond that, maps of living processes
 * are closed, the least used first, and opened again when their names are wanted. The symbolizer has 64 at a time. The
 * maps of a process that has ended are forgotten after frames were named twice.
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

/* A frame of generated code of this process, with this root (roots.h), was seen: opens its maps, or tries again after some time. */
void jit_maps_note(struct jit_maps *maps, uint32_t tgid, uint32_t root, uint64_t now_ns);

/* Names the frames of generated code that have no name yet, or gives them the reason. */
void jit_maps_name_frames(struct jit_maps *maps);

/* Adds a sentence about files that were not trusted; nothing when there were none. */
void jit_maps_add_note(const struct jit_maps *maps, struct buf *text);

/*
 * The maps have the numbers from here on in the symbolizer. Opens a map once more, for another worker: a descriptor or
 * -ENOENT.
 */
#define JIT_MAP_FIRST 0x40000000u
int jit_maps_open_again(struct jit_maps *maps, uint32_t number);
