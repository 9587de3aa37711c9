/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lives of processes. A life of a tgid begins with fork or exec, and ends with the next exec or exit. One pid has many lives in a run,
 * so look-ups need a time. spaces.c fills this table from the side-band and /proc.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/spaces/mappings.h"

#define LIFE_RUNS UINT64_MAX

enum life_state {
	LIFE_UNREAD, /* mappings made before the side-band are not known yet */
	LIFE_COMPLETE, /* all mappings are known */
	LIFE_GONE, /* the process ended before its maps could be read */
	LIFE_DENIED, /* no permission to read its maps */
	LIFE_UNREADABLE, /* another error, such as too many open files */
};

struct life {
	struct life *next; /* in its bucket; the newest life of a tgid comes first */
	uint32_t tgid;
	uint32_t process; /* number of the process: differs for processes with one tgid, unchanged by exec */
	uint32_t parent_tgid; /* the process that forked it; 0: it began with exec, or before the side-band */
	uint64_t start_ns, end_ns; /* start 0: before the side-band; end LIFE_RUNS: not ended */
	enum life_state state;
	struct mappings *mappings;
	uint64_t start_time_ns; /* from its first record; 0: unknown */
	uint64_t exec_id;       /* 0: unknown. A fork copies it and exec increments it, or the first record has it */
	uint64_t nr_lost; /* number of lost side-band records when its mappings were last complete */
	uint64_t looked_ns; /* when maps were last read; 0: never */
	bool is_cut; /* not all mappings are kept */
	bool by_exec;   /* the process ran another program before */
	bool has_root; /* `root` is set, or cannot be determined */
	uint32_t root;  /* roots.h */
	bool unwound;   /* changes of its mappings are reported (spaces_next_changed()) */
	bool changed; /* in the list of changes */
	uint64_t reread_ns, reread_pause_ns; /* when to read maps again at the earliest, and the pause after that */
};

struct images;
struct lives;
struct profile;

/* The state of a life whose maps were read with this result. */
enum life_state life_state_after(int err);

/* The enum frame_reason for an address without a mapping in `life`, which may be NULL: unknown. */
int life_reason_unmapped(const struct life *life);

struct lives *lives_new(void);
void lives_free(struct lives *lives);

/* The newest life of `tgid` that had begun at `time_ns`, or NULL. Valid until lives_sweep(). */
struct life *lives_find(const struct lives *lives, uint32_t tgid, uint64_t time_ns);

/* Whether it is the newest life of its tgid: if the process runs, /proc shows this life. */
bool lives_is_newest(const struct lives *lives, const struct life *life);

/*
 * During execve() the new program is already mapped while the user registers are still those of the old one. Finds the mapping of such an
 * address in the old program, and sets *life to its life; NULL with *life unchanged if there is none. Use it only for addresses from
 * registers that are in no mapping of *life: a running program is always in a mapping that the side-band has reported, unless records were
 * lost or code was moved (mremap()). `time_ns` must be within a second after the exec, so that later addresses are not taken for those of
 * the old program.
 */
const struct mapping *lives_mapping_before_exec(struct life **life, uint64_t address, uint64_t time_ns);

/*
 * Whether the process of a record with this time was replacing its program: its registers, with `address`, are in none of the new one; or
 * its memory was gone (`is_gone`), and the new one began soon after.
 */
bool lives_in_exec(const struct lives *lives, uint32_t tgid, uint64_t address, uint64_t time_ns, bool is_gone);

/* The life before this one: of the previous program of the process, or of the process that forked it; NULL: unknown. */
struct life *lives_origin(const struct lives *lives, const struct life *life);

/* Adds a life without mappings, and ends the one before it. */
struct life *lives_begin(struct lives *lives, uint32_t tgid, uint64_t start_ns);

/* Forgets all lives. Before that, calls `forgotten` for the newest life of each tgid. */
void lives_forget(struct lives *lives, void (*forgotten)(void *context, const struct life *life), void *context);

/* Whether to read maps again at `now_ns`: 100 ms after lost side-band records, else after a pause that doubles up to a minute. */
bool life_may_reread(struct life *life, uint64_t now_ns, bool has_lost);

/*
 * Adds a mapping from maps (`is_read`) or from the side-band. If a reported mapping does not fit, all are forgotten and read again, because
 * many may no longer exist. If one from maps does not fit, the life is marked as cut.
 */
void life_add_mapping(struct life *life, const struct mapping *mapping, bool is_read);

/* Adds a mapping of `life` to the profile, because it has frames. `file`: its file of the profile, or PROFILE_NONE. */
void life_tell_mapping(struct profile *profile, const struct life *life, const struct mapping *mapping, uint32_t file);

/* Sets the end of `life` in the profile, if it has ended and the profile has it. */
void life_tell_end(struct profile *profile, const struct life *life);

/*
 * Frees the lives that ended before `time_ns` and whose process no longer exists. Checks a sixteenth of the buckets for lives whose process
 * has ended without a record; they end now. If there are too many mappings, the lives with the most forget theirs and become cut. Calls
 * `changed` for lives that ended or forgot.
 */
void lives_sweep(struct lives *lives, uint64_t time_ns, uint64_t now_ns,
		 void (*changed)(void *context, struct life *life), void *context);

/* Marks the images of all lives, for a sweep of images. */
void lives_mark_images(struct lives *lives, struct images *images);
