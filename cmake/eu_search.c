/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The libelf.a of elfutils 0.191 and 0.192 (Debian 13) calls these functions of elfutils' lib/eu-search.c, which is in no
 * installed archive. They lock a tree of <search.h>; this program uses an Elf handle from one thread. Weak: where the archive has
 * them, its own are used. Linked only if the archive lacks them (cmake/Libraries.cmake).
 *
 * The layout of search_tree is that of elfutils' lib/eu-search.h: `void *root` first, then a lock, which is not touched here.
 */
#include <search.h>
#include <stddef.h>

#define _weak_ __attribute__((weak, visibility("default")))

typedef struct {
	void *root;
} search_tree;

typedef int (*comparison)(const void *left, const void *right);

_weak_ void *eu_tsearch(const void *key, search_tree *tree, comparison compare);
_weak_ void *eu_tfind(const void *key, search_tree *tree, comparison compare);
_weak_ void *eu_tdelete(const void *key, search_tree *tree, comparison compare);
_weak_ void eu_tdestroy(search_tree *tree, void (*free_node)(void *node));
_weak_ void eu_search_tree_init(search_tree *tree);
_weak_ void eu_search_tree_fini(search_tree *tree, void (*free_node)(void *node));

void *eu_tsearch(const void *key, search_tree *tree, comparison compare)
{
	return tsearch(key, &tree->root, compare);
}

void *eu_tfind(const void *key, search_tree *tree, comparison compare)
{
	return tfind(key, &tree->root, compare);
}

void *eu_tdelete(const void *key, search_tree *tree, comparison compare)
{
	return tdelete(key, &tree->root, compare);
}

void eu_tdestroy(search_tree *tree, void (*free_node)(void *node))
{
	tdestroy(tree->root, free_node);
	tree->root = NULL;
}

void eu_search_tree_init(search_tree *tree)
{
	tree->root = NULL;
}

void eu_search_tree_fini(search_tree *tree, void (*free_node)(void *node))
{
	eu_tdestroy(tree, free_node);
}
