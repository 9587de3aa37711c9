/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles made of folded text, and what is printed of a profile. */
#pragma once

#include "core/profile/profile.h"
#include "core/render/render.h"
#include "profile.pb-c.h"

/* The profile of these folded stacks; the caller's. */
void profile_of_text(const char *folded, struct profile *ret_profile);

/* What this writes of the profile; a string of the caller's. */
char *printed(const struct profile *profile, int (*print)(const struct profile *profile, FILE *out));

/* The report of the first interval, in the form that profile.view says, and the notes beside it. */
void expect_report(const struct profile *profile, const char *expected);
int print_report(const struct profile *profile, FILE *out);
void expect_notes(const struct profile *profile, const char *expected);
int print_notes(const struct profile *profile, FILE *out);

/* The index of a loss, by its name in bpf/losses.h. */
size_t loss_number(const char *name);

/* The pprof document of all intervals, read back; to be freed with pprof__profile__free_unpacked(). */
Pprof__Profile *pprof_of(const struct profile *profile);
