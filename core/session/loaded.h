/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is loaded: a BPF object with the programs and maps that one plan needs. Attachments (attachment.h) put its programs
 * to places, a drain (drain.h) reads its maps; both end before it does.
 *
 * load*.c, attach*.c and drain*.c each see their own inside, the latter two that of what is loaded too. No other room sees
 * the skeleton and bpf/abi.h. tests/lint/includes.sh holds all of this.
 */
#pragma once

#include <stdbool.h>

#include "core/base/buf.h"
#include "core/plan/plan.h"
#include "core/resolve/resolve.h"
#include "core/unwind/unwind_store.h"

struct loaded;

/* Opens, configures and loads. The plans are borrowed. 0, or a recorded failure in one sentence. */
int loaded_new(const struct plan *plan, const struct attach_plan *attach, struct loaded **ret_loaded);
void loaded_free(struct loaded *loaded);

/* Whether the programs for such a plan walk user stacks by unwind tables. */
bool loaded_will_unwind(const struct plan *plan, const struct attach_plan *attach);

/* The maps that they read them from: borrowed descriptors. False: they do not unwind by tables. */
bool loaded_unwind_maps(const struct loaded *loaded, struct unwind_store_options *ret_maps);

/* The configuration that the plan would load, for --debug. Opens the object and loads nothing. 0 or a recorded failure. */
int loaded_describe(const struct plan *plan, const struct attach_plan *attach, struct buf *ret_text);
