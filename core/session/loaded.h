/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A loaded BPF object, with the programs and maps that one plan needs. An attachment (attachment.h) attaches its programs, and a drain
 * (drain.h) reads its maps. Free both before the loaded object.
 *
 * Only core/session sees the inside (load_private.h), the skeleton and bpf/abi.h: tests/lint/includes.sh.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buf.h"
#include "core/plan/plan.h"
#include "core/resolve/resolve.h"
#include "core/unwind/unwind_store.h"

struct loaded;

/* Opens, configures and loads the object. The plans are borrowed. Returns 0 or a recorded failure. */
int loaded_new(const struct plan *plan, const struct attach_plan *attach, struct loaded **ret_loaded);
void loaded_free(struct loaded *loaded);

/* Whether the programs for this plan unwind user stacks with tables. */
bool loaded_will_unwind(const struct plan *plan, const struct attach_plan *attach);

/*
 * The process has replaced mapped code: its user stacks get new ids from now on, although their addresses may be the same. May be called
 * before the programs are attached, and if no program takes user stacks.
 */
void loaded_note_remap(const struct loaded *loaded, uint32_t tgid);

/* The maps with the unwind tables, as borrowed descriptors. False: the programs do not unwind with tables. */
bool loaded_unwind_maps(const struct loaded *loaded, struct unwind_store_options *ret_maps);

/* Describes the configuration that would be loaded, for --debug. Loads nothing. Returns 0 or a recorded failure. */
int loaded_describe(const struct plan *plan, const struct attach_plan *attach, struct buf *ret_text);
