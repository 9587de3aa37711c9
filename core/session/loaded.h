/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A loaded BPF object, with the programs and maps that one plan needs. An attachment (attachment.h) attaches its programs, and a
 * drain (drain.h) reads its maps. Free both before it.
 *
 * attach*.c and drain*.c see the inside of a loaded object too (load_private.h). No other room sees the skeleton and bpf/abi.h:
 * tests/lint/includes.sh.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buf.h"
#include "core/plan/plan.h"
#include "core/resolve/resolve.h"
#include "core/unwind/unwind_store.h"

struct loaded;

/* Opens, configures and loads the object. The plans are borrowed. 0 or a recorded failure. */
int loaded_new(const struct plan *plan, const struct attach_plan *attach, struct loaded **ret_loaded);
void loaded_free(struct loaded *loaded);

/* Whether the programs for this plan unwind user stacks with tables. */
bool loaded_will_unwind(const struct plan *plan, const struct attach_plan *attach);

/*
 * The process has mapped other code where it had code: from now on, its user stacks have other ids than before, although their addresses
 * may be the same. Can be called before the programs are attached, or without any that take user stacks.
 */
void loaded_note_remap(const struct loaded *loaded, uint32_t tgid);

/* The maps with the unwind tables, as borrowed descriptors. False: the programs do not unwind with tables. */
bool loaded_unwind_maps(const struct loaded *loaded, struct unwind_store_options *ret_maps);

/* Describes the configuration that would be loaded, for --debug. Loads nothing. 0 or a recorded failure. */
int loaded_describe(const struct plan *plan, const struct attach_plan *attach, struct buf *ret_text);
