/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the symbolizer's answers to the reasons that a profile keeps. */
#pragma once

#include "core/profile/profile.h"
#include "symbolize/symbolize.h"

/* Why a frame has no name, when the symbolizer answers so. */
enum frame_reason frame_reason_of(enum symbol_status status, bool is_kernel);
