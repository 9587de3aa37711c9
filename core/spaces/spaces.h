/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Address spaces: which file a user address belonged to when it was sampled.
 *
 * There are two sources. From attaching on, the kernel's side-band (sideband.h) reports every executable mapping, in
 * time order. What was mapped before is read from /proc/PID/maps when the first record of the process arrives, while it
 * lives. A forked process takes over the mappings of its parent, exec starts with none, and exit changes nothing: a
 * process that has gone keeps its names.
 *
 * An address space is one life of a tgid (lives.h); a record finds its life by tgid and time.
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
	struct profile *profile;       /* files and frames are added here; borrowed */
	uint32_t only_tgid;            /* remember one process only, 0 = the whole system */
	struct buf *why; /* is told which files were looked for (core/base/why.h); borrowed; NULL */
	const char *host_root; /* where the host's file system is mounted (opener.h); borrowed; NULL */
	bool no_frames; /* no frames will be asked for: no side-band, which would slow down every fork, exec and rename on the host */
	bool follows; /* spaces_next_changed() will be called: processes are known at once, not at their first record */
};

/*
 * Opens the side-band rings; from now on nothing is missed. Without the privilege to do so it works from
 * /proc/PID/maps alone and spaces_note() says so.
 */
struct spaces *spaces_new(const struct spaces_options *options);
void spaces_free(struct spaces *spaces);

/* A descriptor for epoll that becomes readable when the side-band should be read; -1 when there is none. */
int spaces_fd(const struct spaces *spaces);

/* Reads everything that the side-band holds. Cheap when empty. */
void spaces_update(struct spaces *spaces);

/*
 * Adds the user frames of one stack: `addresses` leaf first; ret_frames gets an index into profile frames for each.
 * Call spaces_update() first, so that mappings made before the event are known. `leaf_exact`: the leaf is an exact
 * address (all others are return addresses). Opens each file at its first frame and gives it to the symbolizer.
 */
void spaces_add_frames(struct spaces *spaces, const struct profile_record *record, const uint64_t *addresses, size_t nr,
		       bool leaf_exact, uint32_t *ret_frames);

/*
 * The code that the kernel had generated at this address then (BPF programs), as `generated` of its frame; 0 for none.
 * Places are used again, so the same address at another time may be another frame.
 */
uint32_t spaces_generated_code(const struct spaces *spaces, uint64_t address, uint64_t time_ns);

/*
 * Reads the mappings of a process now instead of at its first record, because it may end before that. Does nothing
 * where they cannot be read.
 */
void spaces_prime(struct spaces *spaces, uint32_t tgid);

/*
 * The process will execute a command soon: its mappings are followed from that exec on, and spaces_fd() becomes readable
 * at once when it happens. False without the side-band, which alone reports an exec.
 */
bool spaces_expect(struct spaces *spaces, uint32_t tgid);

/* A process that was primed or has sent a record, and whose mappings changed since. */
struct spaces_process {
	uint32_t tgid;
	uint64_t exec_id; /* 0: unknown */
	uint64_t start_time_ns; /* of the leader, as the kernel counts; 0: unknown */
	struct mappings
		*mappings; /* borrowed until the next call of any function here; NULL: it ended, or they are unknown */
};

/* Takes the next changed process off the list; false when the list is empty. Needs `follows`. */
bool spaces_next_changed(struct spaces *spaces, struct spaces_process *ret_process);

/* The files that processes map; borrowed. */
struct images *spaces_images(const struct spaces *spaces);

/* Side-band records that were lost so far. */
uint64_t spaces_lost(const struct spaces *spaces);

/* One line on what is missing on this host ("side-band: …"), or NULL. Valid until the next call. */
const char *spaces_note(struct spaces *spaces);

/* Names the frames of generated code (jit_maps.h) that have no name yet. */
void spaces_name_generated(struct spaces *spaces);

/* Adds a sentence about perf maps that were not trusted, if there were any. */
void spaces_add_maps_note(const struct spaces *spaces, struct buf *text);

/* A file of the profile once more, as images_open_again() of images.h does it. */
int spaces_open_again(const struct spaces *spaces, uint32_t file);
