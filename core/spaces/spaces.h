/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Address spaces: the file of a user address at the time of a sample.
 *
 * There are two sources. The kernel's side-band (sideband.h) reports every executable mapping from the start on, in time order. Earlier
 * mappings are read from /proc/PID/maps at the first record of a process, while it runs. A forked process has the mappings of its parent,
 * exec begins with none, and exit changes nothing: an ended process keeps its names.
 *
 * An address space is one life of a tgid (lives.h). A record finds its life by tgid and time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buf.h"
#include "core/profile/profile.h"
#include "symbolize/symbolize.h"

struct images;
struct mappings;
struct spaces;

struct spaces_options {
	struct symbolizer *symbolizer; /* gets each file once, at the first frame in it; borrowed; NULL: no names */
	struct profile *profile; /* gets files and frames; borrowed */
	uint32_t only_tgid; /* only this process; 0: all */
	struct buf *why; /* gets the paths that were searched (core/base/why.h); borrowed; may be NULL */
	const char *host_root; /* where the host's file system is mounted (opener.h); borrowed; NULL: our root */
	/* Called when a process has mapped code of a file over other code of a file: the addresses change their meaning. May be NULL. */
	void (*note_remap)(void *context, uint32_t tgid);
	void *remap_context;
	bool no_frames; /* no frames will be added: the side-band, which slows down each fork, exec and rename on the host, is not opened */
	bool follows; /* spaces_next_changed() will be called: new processes are reported at once, not at their first record */
};

/* Opens the side-band, which records every later event. Without the privilege, only /proc/PID/maps is read: spaces_note(). */
struct spaces *spaces_new(const struct spaces_options *options);
void spaces_free(struct spaces *spaces);

/* A descriptor for epoll, readable when the side-band should be read; -1: none. */
int spaces_fd(const struct spaces *spaces);

/* Reads everything in the side-band. Cheap if it is empty. */
void spaces_update(struct spaces *spaces);

/*
 * Call before the first event. If side-band records may have been lost so far, forgets all processes and opens the side-band again: then
 * all mappings of processes that are read from now on are known. Primed processes are read again. spaces_fd() changes.
 */
void spaces_start_over(struct spaces *spaces);

/*
 * spaces_update() for a process that a tracer holds, and that has executed its program after `program_ns`. If side-band records were lost,
 * its maps are read again: a busy host makes more records than fit into the rings.
 */
void spaces_update_held(struct spaces *spaces, uint32_t tgid, uint64_t program_ns);

/*
 * Adds the user frames of one stack, leaf first; ret_frames gets the index of each frame in the profile. Call spaces_update() first, so
 * that mappings made before the event are known. `leaf_exact`: the leaf is not a return address; all others are. At the first frame in a
 * file, opens it and passes it to the symbolizer.
 */
void spaces_add_frames(struct spaces *spaces, const struct profile_record *record, const uint64_t *addresses, size_t nr,
		       bool leaf_exact, uint32_t *ret_frames);

/*
 * The mappings of the process at the time of the record, for mappings_free(); NULL: they are not known. Its process must be in our pid
 * namespace. Call spaces_update() first. From now on, the process is one of spaces_next_changed().
 */
struct mappings *spaces_mappings_of(struct spaces *spaces, const struct profile_record *record);

/* Whether the process of the record was in the middle of execve(): lives_in_exec(). */
bool spaces_in_exec(const struct spaces *spaces, const struct profile_record *record, uint64_t address, bool is_gone);

/* The number of the kernel-generated code at an address at that time, for `generated` of a frame; 0: none. */
uint32_t spaces_generated_code(const struct spaces *spaces, uint64_t address, uint64_t time_ns);

/* Reads the maps of a process now, because it may end before its first record. Does nothing if they cannot be read. */
void spaces_prime(struct spaces *spaces, uint32_t tgid);

/*
 * The process will soon execute a command: its mappings are reported from that exec on, and spaces_fd() becomes readable at once. False
 * without the side-band, which is needed to report an exec.
 */
bool spaces_expect(struct spaces *spaces, uint32_t tgid);

/* A process that was primed or has a record, and whose mappings have changed. */
struct spaces_process {
	uint32_t tgid;
	uint64_t exec_id; /* 0: unknown */
	uint64_t start_time_ns; /* of the leader, the kernel's start time; 0: unknown */
	struct mappings *mappings; /* borrowed until the next call of a function here; NULL: ended, or unknown */
};

/* Takes the next changed process; false: none. Needs `follows`. */
bool spaces_next_changed(struct spaces *spaces, struct spaces_process *ret_process);

/* The files that processes have mapped; borrowed. */
struct images *spaces_images(const struct spaces *spaces);

/* The number of side-band records that were lost so far. */
uint64_t spaces_lost(const struct spaces *spaces);

/* One line about what is missing on this host ("side-band: …"), or NULL. Valid until the next call. */
const char *spaces_note(struct spaces *spaces);

/* Names the frames of generated code (jit_maps.h) that have no name yet. */
void spaces_name_generated(struct spaces *spaces);

/* Adds sentences about perf maps, if needed: jit_maps_add_note(). */
void spaces_add_maps_note(const struct spaces *spaces, struct buf *text);

/* Opens a file of the profile again: images_open_again() of images.h. */
int spaces_open_again(const struct spaces *spaces, uint32_t file);
