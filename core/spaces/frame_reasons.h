/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/profile/profile.h"
#include "symbolize/symbolize.h"

/* Why a frame has no name, after this status of the symbolizer; REASON_NAMED if it has one. */
enum frame_reason frame_reason_of(enum symbol_status status, bool is_kernel);
