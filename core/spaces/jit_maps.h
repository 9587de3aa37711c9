/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perf maps and jitdumps: files in which a JIT compiler lists the names of its code.
 *
 * A jitdump is a file jit-PID.dump that the process has mapped executable; PID is the process's pid in its own namespace. A perf map is
 * /tmp/perf-PID.map with the same PID in the root of the process; or in the host's root with the pid on the host, for tools that write it
 * from outside. It is opened at the first frame of generated code, because the process and its private /tmp may be gone when names are
 * needed. Later additions are read through the same descriptor.
 *
 * Anyone can create such a file. So it must be a regular file with one hard link, not a symbolic link, owned by the user of the process or
 * by root, and not world-writable. (It may be group-writable, because umask 002 makes such files.) If a process has both, its jitdump takes
 * precedence.
 *
 * At most 4,096 maps are remembered, and they use at most a quarter of the limit of open files. Beyond that, maps of living processes are
 * closed, the least used first, and opened again when names are needed. The symbolizer has at most 64 at a time. The maps of an ended
 * process are forgotten when frames have been named twice since its end.
 */
#pragma once

#include <stdint.h>

#include "core/base/buf.h"
#include "core/files/proc_maps.h"
#include "core/profile/profile.h"
#include "symbolize/symbolize.h"

struct jit_maps;

/*
 * All arguments are borrowed; all but `profile` may be NULL. `why` gets the paths that were opened (core/base/why.h). Without `host_root`
 * (opener.h), our root is the host's.
 */
struct jit_maps *jit_maps_new(struct profile *profile, struct symbolizer *symbolizer, const char *host_root,
			      struct buf *why);
void jit_maps_free(struct jit_maps *maps);

/*
 * Call for each executable mapping; it is remembered if its file has the name of a jitdump. `process` is the number of the process
 * (lives.h): a map does not name code of another process with the same tgid.
 */
void jit_maps_note_mapping(struct jit_maps *maps, uint32_t tgid, uint32_t process, const struct proc_mapping *mapping);

/* Call at the start of a process: maps of an earlier process with this tgid are not its own. */
void jit_maps_note_fork(struct jit_maps *maps, uint32_t tgid);

/*
 * Call for each frame of generated code: opens the maps of its process, which has this root (roots.h), or tries again after some time. Only
 * for the newest process of the tgid, because its files are the ones that are opened.
 */
void jit_maps_note(struct jit_maps *maps, uint32_t tgid, uint32_t process, uint32_t root, uint64_t now_ns);

/* Sets the names of frames of generated code that have none, or their reason. */
void jit_maps_name_frames(struct jit_maps *maps);

/* Adds sentences about names that may be wrong (reused memory, maps without times) and about files that were not trusted. */
void jit_maps_add_note(const struct jit_maps *maps, struct buf *text);

/* The symbolizer's numbers from here on are maps. jit_maps_open_again() opens one again for a new worker: a descriptor or -ENOENT. */
#define JIT_MAP_FIRST 0x40000000u
int jit_maps_open_again(struct jit_maps *maps, uint32_t number);
