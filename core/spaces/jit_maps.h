/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perf maps and jitdumps of processes: files in which a JIT compiler lists the names of its code.
 *
 * A jitdump is a file jit-PID.dump that the process has mapped executable; PID is the pid that the process itself sees.
 * A perf map is /tmp/perf-PID.map with the same PID in the root of the process; or in our root with the pid on the
 * host, for tools that write it from outside. It is opened at the first frame of generated code, because the process
 * and its private /tmp may not exist any more when names are needed. What is written later is read through the same
 * descriptor.
 *
 * Anyone can create such a file. So it must be a regular file with one hard link, not a symbolic link, owned by the
 * user of the process or by root, and not world-writable. (The group may write, because umask 002 makes such files.) If
 * a process has both, its jitdump takes precedence.
 *
 * 4,096 maps are remembered. They may use a quarter of the limit of open files. Beyond that, maps of living processes
 * are closed, the least used first, and opened again when names are needed. The symbolizer has 64 at a time. The maps
 * of a process that has ended are forgotten when frames have been named twice.
 */
#pragma once

#include <stdint.h>

#include "core/base/buf.h"
#include "core/files/proc_maps.h"
#include "core/profile/profile.h"
#include "symbolize/symbolize.h"

struct jit_maps;

/*
 * All are borrowed, and all but `profile` may be NULL. `why` gets the paths that were opened (core/base/why.h). The
 * host's perf maps are below `host_root` (opener.h), or below our root.
 */
struct jit_maps *jit_maps_new(struct profile *profile, struct symbolizer *symbolizer, const char *host_root,
			      struct buf *why);
void jit_maps_free(struct jit_maps *maps);

/*
 * Reports an executable mapping of a process; it is remembered if its file has the name of a jitdump. `mapping` is only
 * read. `process` is that of its life (lives.h): a map names code of this process only, not of another process with the
 * same tgid.
 */
void jit_maps_note_mapping(struct jit_maps *maps, uint32_t tgid, uint32_t process, const struct proc_mapping *mapping);

/* Reports the start of a process: maps of an earlier process with this tgid are not its own. */
void jit_maps_note_fork(struct jit_maps *maps, uint32_t tgid);

/*
 * Reports a frame of generated code of this process, with this root (roots.h): opens its maps, or tries again after
 * some time. Only for the newest process of the tgid, because the files opened are those of that one.
 */
void jit_maps_note(struct jit_maps *maps, uint32_t tgid, uint32_t process, uint32_t root, uint64_t now_ns);

/* Names the frames of generated code that have no name yet, or sets their reason. */
void jit_maps_name_frames(struct jit_maps *maps);

/*
 * Adds a sentence about frames whose name may be wrong, because memory was used again and maps have no times, and one about files that were
 * not trusted, if there were any.
 */
void jit_maps_add_note(const struct jit_maps *maps, struct buf *text);

/*
 * From this number on, the symbolizer's numbers are those of maps. jit_maps_open_again() opens a map again, for a new
 * worker: a descriptor or -ENOENT.
 */
#define JIT_MAP_FIRST 0x40000000u
int jit_maps_open_again(struct jit_maps *maps, uint32_t number);
