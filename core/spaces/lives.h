/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lives of processes. A life is a tgid from fork or exec to the next exec or to its exit. A pid has many lives in a
 * run, so every question has a time.
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
	LIFE_UNREAD,   /* what was mapped before we looked is not known yet */
	LIFE_COMPLETE, /* everything is known */
	LIFE_GONE,     /* the process was gone before it could be read */
	LIFE_DENIED,   /* we may not read it */
	LIFE_UNREADABLE, /* it could not be read for another reason, such as too many open files */
};

struct life {
	struct life *next;         /* in its bucket; of the same tgid the newest comes first */
	uint32_t tgid;
	uint32_t parent_tgid;      /* the process that forked it; 0: it began before we looked, or by exec */
	uint64_t start_ns, end_ns; /* start 0: before we looked; end LIFE_RUNS: not yet */
	enum life_state state;
	struct mappings *mappings;
	uint64_t start_time_ns; /* as its first record said; 0 unknown */
	uint64_t exec_id;       /* 0 unknown. A fork copies it and exec counts it up, or the first record says it */
	uint64_t nr_lost; /* side-band records that were lost when its mappings were last known */
	uint64_t looked_ns; /* when maps were last read; 0 never */
	bool is_cut;    /* there are more mappings than are kept */
	bool by_exec;   /* the process was there before, as another program */
	bool has_root;  /* `root` is known, or could not be found out */
	uint32_t root;  /* roots.h */
	bool unwound;   /* changes of its mappings are reported (spaces_next_changed()) */
	bool changed;   /* a change is not reported yet */
	uint64_t reread_ns, reread_pause_ns; /* when looking at maps again may help */
};

struct images;
struct lives;
struct profile;

/* The state of a life whose mappings were read, with this result. */
enum life_state life_state_after(int err);

/* The enum frame_reason of an address that no mapping of `life` covers; NULL: no life is known. */
int life_reason_unmapped(const struct life *life);

struct lives *lives_new(void);
void lives_free(struct lives *lives);

/* The life of `tgid` that had begun by `time_ns`, or NULL. It stays where it is until lives_sweep(). */
struct life *lives_find(const struct lives *lives, uint32_t tgid, uint64_t time_ns);

/* The latest of its tgid: the one that /proc shows, if it still runs. */
bool lives_is_newest(const struct lives *lives, const struct life *life);

/*
 * In the middle of execve() the new program is there already, while the user registers are still those of the old one.
 * Finds the mapping of the old program in which such an address lies, and sets *life to its life; NULL, and *life
 * unchanged, where there is none. Only for addresses of registers that lie in no mapping of *life itself: a running
 * program is always in a mapping that the side-band reported, unless records were lost or code was moved (mremap()).
 * `time_ns` must be within a second of the exec, so that no later address is taken for one of the old program.
 */
const struct mapping *lives_mapping_before_exec(struct life **life, uint64_t address, uint64_t time_ns);

/*
 * The life that this one came from: that of the program before in the same process, or of the process that forked it;
 * NULL unknown.
 */
struct life *lives_origin(const struct lives *lives, const struct life *life);

/* A new life without mappings, which ends the one before it. */
struct life *lives_begin(struct lives *lives, uint32_t tgid, uint64_t start_ns);

/*
 * Whether maps may be looked at again at `now_ns`: when side-band records were lost, 100 ms after the last look, otherwise
 * after a pause. Each look doubles the pause, up to a minute.
 */
bool life_may_reread(struct life *life, uint64_t now_ns, bool has_lost);

/*
 * Adds a mapping that was read from maps (`is_read`) or reported by the side-band. When there is no room for a reported
 * one, all mappings are forgotten and will be read again, because the table may be full of mappings that have gone.
 * When there is no room for one that was read, the life is marked as cut.
 */
void life_add_mapping(struct life *life, const struct mapping *mapping, bool is_read);

/*
 * Adds to the profile that frames lie in this mapping of `life`, which shows this file of the profile or none
 * (PROFILE_NONE).
 */
void life_tell_mapping(struct profile *profile, const struct life *life, const struct mapping *mapping, uint32_t file);

/* Adds the end of `life` to the profile, if it has ended and the profile has it. */
void life_tell_end(struct profile *profile, const struct life *life);

/*
 * Frees the lives that ended before `time_ns` and whose process has gone. Looks at some of the others, at all of them in 16
 * calls: one whose process has gone without a record ends now. When there are too many mappings, the lives with the most
 * forget theirs and become cut. `changed` gets the lives that ended or forgot.
 */
void lives_sweep(struct lives *lives, uint64_t time_ns, uint64_t now_ns,
		 void (*changed)(void *context, struct life *life), void *context);

/* Part of a sweep of images: marks those that any life has mapped. */
void lives_mark_images(struct lives *lives, struct images *images);

/* How many there are. */
size_t lives_count(const struct lives *lives);
