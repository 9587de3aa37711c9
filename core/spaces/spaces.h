/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Address spaces: the file of a user address at the time of the sample.
 *
 * There are two sources. From the start, the kernel's side-band (sideband.h) reports every executable mapping, in time
 * order. Earlier mappings are read from /proc/PID/maps when the first record of the process arrives, while it runs. A
 * forked process takes over the mappings of its parent, exec starts with none, and exit changes nothing: a process that
 * has ended keeps its names.
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
	struct profile *profile;       /* files and frames are added to it; borrowed */
	uint32_t only_tgid;            /* only this process; 0: the whole system */
	struct buf *why; /* gets the paths that were searched (core/base/why.h); borrowed; NULL: not wanted */
	const char *host_root; /* where the host's file system is mounted (opener.h); borrowed; NULL: not mounted */
	/*
	 * Is called when a process has mapped code of a file where it had other code of a file: the same address is another place
	 * from now on. NULL: not wanted.
	 */
	void (*note_remap)(void *context, uint32_t tgid);
	void *remap_context;
	bool no_frames; /* no frames are needed: no side-band, which slows down each fork, exec and rename on the host */
	bool follows; /* spaces_next_changed() will be called: a process is known at once, not at its first record */
};

/*
 * Opens the side-band rings; from now on nothing is missed. Without the privilege for that, it uses /proc/PID/maps
 * alone, and spaces_note() reports it.
 */
struct spaces *spaces_new(const struct spaces_options *options);
void spaces_free(struct spaces *spaces);

/* A descriptor for epoll that becomes readable when the side-band should be read; -1: there is none. */
int spaces_fd(const struct spaces *spaces);

/* Reads everything in the side-band. Cheap if it is empty. */
void spaces_update(struct spaces *spaces);

/*
 * Before the first event: if side-band records may have been lost so far, forgets all processes and opens the side-band again, because
 * all mappings of a process that is read from now on are known. Those that were primed are read again. spaces_fd() changes.
 */
void spaces_start_over(struct spaces *spaces);

/*
 * spaces_update() for a process that stands still, held by a tracer, and has executed its program after `program_ns`. If side-band records
 * were lost, its mappings are read again: a busy host makes more records than the rings can take.
 */
void spaces_update_held(struct spaces *spaces, uint32_t tgid, uint64_t program_ns);

/*
 * Adds the user frames of one stack: `addresses` leaf first; ret_frames gets the index of each profile frame. Call
 * spaces_update() first, so that mappings made before the event are known. `leaf_exact`: the leaf is an exact address
 * (all others are return addresses). At the first frame in a file, opens it and passes it to the symbolizer.
 */
void spaces_add_frames(struct spaces *spaces, const struct profile_record *record, const uint64_t *addresses, size_t nr,
		       bool leaf_exact, uint32_t *ret_frames);

/*
 * The code that the kernel had generated at this address then (BPF programs), for `generated` of its frame; 0: none.
 * Addresses are reused, so the same address at another time may be another frame.
 */
uint32_t spaces_generated_code(const struct spaces *spaces, uint64_t address, uint64_t time_ns);

/*
 * Reads the mappings of a process now instead of at its first record, because it may end before that. Does nothing if
 * they cannot be read.
 */
void spaces_prime(struct spaces *spaces, uint32_t tgid);

/*
 * The process will execute a command soon: its mappings are followed from that exec on, and spaces_fd() then becomes
 * readable at once. False without the side-band, which alone reports an exec.
 */
bool spaces_expect(struct spaces *spaces, uint32_t tgid);

/* A process that was primed or has sent a record, and whose mappings have changed since. */
struct spaces_process {
	uint32_t tgid;
	uint64_t exec_id; /* 0: unknown */
	uint64_t start_time_ns; /* of the leader, as the kernel counts; 0: unknown */
	struct mappings
		*mappings; /* borrowed until the next call of any function here; NULL: it ended, or they are unknown */
};

/* Takes the next changed process off the list; false if the list is empty. Needs `follows`. */
bool spaces_next_changed(struct spaces *spaces, struct spaces_process *ret_process);

/* The files that processes have mapped; borrowed. */
struct images *spaces_images(const struct spaces *spaces);

/* The number of side-band records that were lost so far. */
uint64_t spaces_lost(const struct spaces *spaces);

/* One line about what is missing on this host ("side-band: …"), or NULL. Valid until the next call. */
const char *spaces_note(struct spaces *spaces);

/* Names the frames of generated code (jit_maps.h) that have no name yet. */
void spaces_name_generated(struct spaces *spaces);

/* Adds sentences about perf maps that may be wrong, or were not trusted, if there were any: jit_maps_add_note(). */
void spaces_add_maps_note(const struct spaces *spaces, struct buf *text);

/* Opens a file of the profile again, like images_open_again() of images.h. */
int spaces_open_again(const struct spaces *spaces, uint32_t file);
