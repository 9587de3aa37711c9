/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lives of processes: one is a tgid between fork or exec and exec or exit. A pid lives many times in a run, so a
 * moment belongs to every question.
 *
 * Only the table is here; spaces.c fills it from the side-band and /proc.
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
	uint32_t parent_tgid;      /* who forked it; 0: born before we looked, or by exec */
	uint64_t start_ns, end_ns; /* start 0: before we looked; end LIFE_RUNS: not yet */
	enum life_state state;
	struct mappings *mappings;
	uint64_t start_time_ns; /* as its first record said; 0 unknown */
	uint64_t exec_id;       /* 0 unknown. A fork copies it and exec counts it up, or the first record says it */
	uint64_t nr_lost; /* side-band records that were lost when its mappings were last known */
	bool is_cut;    /* there are more mappings than are kept */
	bool by_exec;   /* the process was there before, as another program */
	bool has_root;  /* it was looked for */
	uint32_t root;  /* roots.h */
	bool unwound;   /* changes of its mappings are reported (spaces_next_changed()) */
	bool changed;   /* and does not know them as they are now */
	uint64_t reread_ns, reread_pause_ns; /* when looking at maps again may help */
};

struct lives;
struct profile;

/* The state of a life whose mappings were read, with this result. */
enum life_state life_state_after(int err);

/* The enum frame_reason of an address that no mapping of `life` covers; NULL: of no life. */
int life_reason_unmapped(const struct life *life);

struct lives *lives_new(void);
void lives_free(struct lives *lives);

/* The life of `tgid` that had begun by `time_ns`, or NULL. It stays where it is until lives_sweep(). */
struct life *lives_find(const struct lives *lives, uint32_t tgid, uint64_t time_ns);

/* The latest of its tgid: the one that /proc shows, if it still runs. */
bool lives_is_newest(const struct lives *lives, const struct life *life);

/*
 * In the middle of execve() the new program is there already, while the registers of user space are still those of the old
 * one, which called it. The mapping of that one in which such an address lies, and its life in the place of the one that
 * exec began; NULL, and nothing changed, where there is none. For addresses of registers that lie in no mapping of the life
 * itself: a program that runs is always in one that the side-band told of, unless it lost some or code was moved (mremap()).
 * So `time_ns` must be within a second of exec, which an old program's address in a new one's stead is not for long.
 */
const struct mapping *lives_mapping_before_exec(struct life **life, uint64_t address, uint64_t time_ns);

/* The life that this one came from: of another program in the same process, or of the process that forked it; NULL unknown. */
struct life *lives_origin(const struct lives *lives, const struct life *life);

/* A new life without mappings, which ends the one before it. */
struct life *lives_begin(struct lives *lives, uint32_t tgid, uint64_t start_ns);

/*
 * Whether maps may be looked at again at `now_ns`: at once when side-band records were lost, otherwise after a pause. Each
 * look doubles the pause, up to a minute.
 */
bool life_may_reread(struct life *life, uint64_t now_ns, bool has_lost);

/*
 * Adds a mapping, which was read from maps or told by the side-band. Where there is no room for what is told, all is forgotten and
 * to be read again, because the table may be full of what has gone; where there is none for what is read, the life is cut.
 */
void life_add_mapping(struct life *life, const struct mapping *mapping, bool is_read);

/* Puts into the profile that a frame lies in this mapping of `life`: of a file of it, or of none (PROFILE_NONE). */
void life_tell_mapping(struct profile *profile, const struct life *life, const struct mapping *mapping, uint32_t file);

/* The same for when `life` ended; nothing for one that the profile does not have, or that has not ended. */
void life_tell_end(struct profile *profile, const struct life *life);

/*
 * Frees the lives that ended before `time_ns` and whose process has left nothing behind. When what remains is too
 * large, because someone maps and unmaps ever new places, the largest forget their mappings.
 */
void lives_sweep(struct lives *lives, uint64_t time_ns);
