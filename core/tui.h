/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The terminal of --tui: reads keys, shows what core/render/browser.h draws, and leaves everything as it was. */
#pragma once

#include "core/render/graph.h"
#include "core/render/tree.h"

/* Lets the user walk through the tree until the end. 0, or a negative errno with a recorded cause: no terminal. */
int tui_browse(const struct tree *tree, const struct graph_caption *caption);
