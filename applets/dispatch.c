/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "applets/dispatch.h"

#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/suggest.h"
#include "core/base/names.h"

#define APPLET(name) extern const struct applet name##_applet;
#include "applets/applets.def"
#undef APPLET

const struct applet *const applets[] = {
#define APPLET(name) &name##_applet,
#include "applets/applets.def"
#undef APPLET
	NULL
};

static bool strip_suffix(char *name, const char *suffix)
{
	size_t length = strlen(name), suffix_length = strlen(suffix);

	if (length <= suffix_length || strcmp(name + length - suffix_length, suffix))
		return false;
	name[length - suffix_length] = '\0';
	return true;
}

/* "/usr/sbin/profile-bpfcc" -> "profile"; to be freed by the caller. */
static char *plain_name(const char *name)
{
	char *plain;

	name = path_name(name);
	if (!strncmp(name, "bpf-", 4))
		name += 4;
	plain = xstrdup(name);
	if (!strip_suffix(plain, ".py"))
		strip_suffix(plain, "-bpfcc");
	return plain;
}

static bool has_name(const struct applet *applet, const char *name)
{
	if (!strcmp(applet->name, name))
		return true;
	for (const char *const *alias = applet->aliases; alias && *alias; alias++)
		if (!strcmp(*alias, name))
			return true;
	return false;
}

const struct applet *applet_find(const char *name, bool *ret_as_bcc)
{
	_cleanup_(freep) char *plain = plain_name(name);

	for (const struct applet *const *applet = applets; *applet; applet++) {
		if (!has_name(*applet, plain))
			continue;
		*ret_as_bcc = (*applet)->bcc_name && !strcmp((*applet)->bcc_name, plain);
		return *applet;
	}
	return NULL;
}

/* Words of other tools, and the equivalent here. */
static const struct {
	const char *word, *advice;
} elsewhere[] = {
	{ "record", "'stacktool profile --save FILE' records, 'stacktool report FILE' prints" },
	{ "script", "'stacktool report -o FILE.perf PROFILE' writes the text of perf script" },
	{ "annotate", "'stacktool profile --lines' shows source lines" },
	{ "flamegraph", "'stacktool profile -o FILE.svg' draws one, 'stacktool flame' draws folded stacks" },
	{ "stat", "'stacktool funccount PATTERN' counts events by name" },
	{ "trace", "'stacktool stacksnoop PATTERN' prints each event" },
	{ "execsnoop", "'stacktool stacksnoop -v t:sched:sched_process_exec' prints each exec" },
	{ "syscount", "'stacktool funccount t:syscalls:sys_enter_*' counts system calls" },
	{ "memleak", "stacktool does not pair malloc with free; 'stacktool count c:malloc' shows who allocates" },
	{ "version", "'stacktool --version' prints it" },
	{ "probes", "'stacktool help --man probes | man -l -' has the forms of patterns" },
};

/* A usage error for a word of other tools, or for the path of a program; otherwise 0. */
static int fail_elsewhere(const char *word)
{
	const char *advice = NULL;
	int err;

	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
		if (!strcmp(word, elsewhere[i].word))
			advice = elsewhere[i].advice;
	if (!advice && !strchr(word, '/'))
		return 0;
	err = fail_usage("'%s': no such applet", word);
	if (advice)
		hint("%s", advice);
	else
		hint("a command follows --, as in 'stacktool profile -- %s'", word);
	return err;
}

/* The only name that begins with the word, or NULL. */
static const char *completed(const char *word, const char *const *names, size_t nr)
{
	const char *only = NULL;

	for (size_t i = 0; i < nr && *word; i++)
		if (!strncmp(names[i], word, strlen(word))) {
			if (only)
				return NULL;
			only = names[i];
		}
	return only;
}

int fail_no_applet(const char *word)
{
	_cleanup_(buf_done) struct buf all = {};
	VEC(const char *) names = {};
	const char *nearest;
	int err = fail_elsewhere(word);

	if (err)
		return err;
	for (const struct applet *const *applet = applets; *applet; applet++) {
		buf_addf(&all, "%s%s", all.nr ? ", " : "", (*applet)->name);
		vec_push(&names, (*applet)->name);
		for (const char *const *alias = (*applet)->aliases; alias && *alias; alias++)
			vec_push(&names, *alias);
	}
	nearest = str_nearest(word, names.data, names.nr) ?: completed(word, names.data, names.nr);
	vec_done(&names);
	err = nearest ? fail_usage("'%s': no such applet: did you mean '%s'?", word, nearest)
		      : fail_usage("'%s': no such applet", word);
	hint("there are %s", buf_text(&all));
	return err;
}
