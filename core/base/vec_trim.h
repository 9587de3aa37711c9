/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gives back the room that a finished vector (core/base/vec.h) does not use: indexes live as long as the run. */
#pragma once

#include "core/base/vec.h"

#define vec_trim(v)                                                                                     \
	do {                                                                                            \
		void *trimmed_ = (v)->nr ? reallocarray((v)->data, (v)->nr, sizeof(*(v)->data)) : NULL; \
		if (trimmed_) {                                                                         \
			(v)->data = trimmed_;                                                           \
			(v)->room = (v)->nr;                                                            \
		}                                                                                       \
	} while (0)
