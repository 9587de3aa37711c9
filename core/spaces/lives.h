/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lives of processes. A life is a tgid from fork or exec to the next exec or exit. A pid has many lives in a run,
 * so every question needs a time.
 *
 * spaces.c fills this table from the side-band and /proc.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/spaces/mappings.h"

#define LIFE_RUNS UINT64_MAX

enum life_state {
	LIFE_UNREAD,   /* mappings from before the side-band are not known yet */
	LIFE_COMPLETE, /* all mappings are known */
	LIFE_GONE,     /* the process had ended before it could be read */
	LIFE_DENIED,   /* we may not read it */
	LIFE_UNREADABLE, /* it could not be read for another reason, such as too many open files */
};

struct life {
	struct life *next;         /* in its bucket; of one tgid the newest comes first */
	uint32_t tgid;
	uint32_t process;          /* distinguishes processes of one tgid; the same after exec */
	uint32_t parent_tgid;      /* the process that forked it; 0: it began by exec, or before the side-band */
	uint64_t start_ns, end_ns; /* start 0: before the side-band; end LIFE_RUNS: not ended */
	enum life_state state;
	struct mappings *mappings;
	uint64_t start_time_ns; /* from its first record; 0: unknown */
	uint64_t exec_id;       /* 0: unknown. A fork copies it and exec increments it, or the first record has it */
	uint64_t nr_lost; /* lost side-band records when its mappings were last complete */
	uint64_t looked_ns; /* when maps were last read; 0: never */
	bool is_cut;    /* there are more mappings than are kept */
	bool by_exec;   /* the process ran another program before */
	bool has_root;  /* `root` is known, or could not be determined */
	uint32_t root;  /* roots.h */
	bool unwound;   /* changes of its mappings are reported (spaces_next_changed()) */
	bool changed;   /* a change has not been reported yet */
	uint64_t reread_ns, reread_pause_ns; /* when reading maps again may help */
};

struct images;
struct lives;
struct profile;

/* The state of a life after its mappings were read, with this result. */
enum life_state life_state_after(int err);

/* The enum frame_reason of an address without a mapping in `life`; NULL: no life is known. */
int life_reason_unmapped(const struct life *life);

struct lives *lives_new(void);
void lives_free(struct lives *lives);

/* The newest life of `tgid` that had begun by `time_ns`, or NULL. The pointer is valid until lives_sweep(). */
struct life *lives_find(const struct lives *lives, uint32_t tgid, uint64_t time_ns);

/* Whether it is the newest of its tgid: the one in /proc, if it still runs. */
bool lives_is_newest(const struct lives *lives, const struct life *life);

/*
 * During execve(), the new program is already mapped while the user registers are still those of the old one. Finds the
 * mapping of such an address in the old program, and sets *life to its life; NULL, with *life unchanged, if there is
 * none. Only for addresses of registers that are in no mapping of *life: a running program is always in a mapping that
 * the side-band has reported, unless records were lost or code was moved (mremap()). `time_ns` must be within a second
 * of the exec, so that later addresses are not mistaken for those of the old program.
 */
const struct mapping *lives_mapping_before_exec(struct life **life, uint64_t address, uint64_t time_ns);

/*
 * The life before this one: of the previous program of the same process, or of the process that forked it; NULL:
 * unknown.
 */
struct life *lives_origin(const struct lives *lives, const struct life *life);

/* Adds a life without mappings, which ends the one before it. */
struct life *lives_begin(struct lives *lives, uint32_t tgid, uint64_t start_ns);

/* Forgets all lives. Calls `forgotten` for the newest of each process first. */
void lives_forget(struct lives *lives, void (*forgotten)(void *context, const struct life *life), void *context);

/*
 * Whether maps may be read again at `now_ns`: 100 ms after the last time if side-band records were lost, otherwise
 * after a pause. Each reading doubles the pause, up to a minute.
 */
bool life_may_reread(struct life *life, uint64_t now_ns, bool has_lost);

/*
 * Adds a mapping that was read from maps (`is_read`) or reported by the side-band. If there is no room for a reported
 * one, all mappings are forgotten and read again, because many in the table may not exist any more. If there is no room
 * for one that was read, the life is marked as cut.
 */
void life_add_mapping(struct life *life, const struct mapping *mapping, bool is_read);

/*
 * Adds this mapping of `life` to the profile, because it has frames. `file`: its file of the profile, or PROFILE_NONE.
 */
void life_tell_mapping(struct profile *profile, const struct life *life, const struct mapping *mapping, uint32_t file);

/* Adds the end of `life` to the profile, if it has ended and the profile has it. */
void life_tell_end(struct profile *profile, const struct life *life);

/*
 * Frees the lives that ended before `time_ns` and whose process no longer exists. Also searches a sixteenth of the
 * buckets for lives whose process has ended without a record, which end now. If there are too many mappings, the lives
 * with the most forget theirs and become cut. Calls `changed` for lives that ended or forgot.
 */
void lives_sweep(struct lives *lives, uint64_t time_ns, uint64_t now_ns,
		 void (*changed)(void *context, struct life *life), void *context);

/* Part of a sweep of images: marks those that any life has mapped. */
void lives_mark_images(struct lives *lives, struct images *images);
