/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All strings are written anew, so that a saved profile has no trace of the old ones. A name is replaced by its number among the distinct
 * names of its kind.
 */
#include "core/profile/redact.h"

#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/names.h"

enum secret {
	SECRET_PROCESS,
	SECRET_FILE,
	SECRET_PATH,
	SECRET_CGROUP,
	NR_SECRETS
};

struct redactor {
	struct profile *profile;
	struct strtab fresh;
	struct strtab names[NR_SECRETS];
};

static const char *text_of(const struct redactor *redactor, string_id id)
{
	return strtab_get(&redactor->profile->strings, id);
}

static string_id keep(struct redactor *redactor, string_id id)
{
	return strtab_add(&redactor->fresh, text_of(redactor, id));
}

static void add_number(struct redactor *redactor, enum secret kind, const char *name, size_t length, struct buf *text)
{
	static const char *const words[NR_SECRETS] = {
		[SECRET_PROCESS] = "process-", [SECRET_FILE] = "file-", [SECRET_PATH] = "path-", [SECRET_CGROUP] = "cgroup-"
	};

	buf_adds(text, words[kind]);
	buf_addu(text, strtab_addn(&redactor->names[kind], name, length));
}

static string_id number(struct redactor *redactor, enum secret kind, string_id id, const char *before)
{
	_cleanup_(buf_done) struct buf text = {};
	const char *name = text_of(redactor, id);

	if (!*name)
		return 0;
	buf_adds(&text, before);
	add_number(redactor, kind, name, strlen(name), &text);
	return strtab_add(&redactor->fresh, buf_text(&text));
}

/* Whether packages install files there; /usr/local belongs to the administrator. */
static bool is_of_system(const char *path)
{
	static const char *const directories[] = { "/usr/", "/lib/", "/lib32/", "/lib64/", "/bin/", "/sbin/" };

	if (*path == '[' || !strncmp(path, "/usr/local/", strlen("/usr/local/")))
		return *path == '[';
	for (size_t i = 0; i < sizeof(directories) / sizeof(*directories); i++)
		if (!strncmp(path, directories[i], strlen(directories[i])))
			return true;
	return false;
}

/* Delimiters of paths: "py::f:/home/a/b.py:12" contains /home/a/b.py. */
#define BETWEEN_WORDS " \t:=,()<>\"'`~|"

/*
 * The number of the replaced file whose path or base name, possibly with blanks, is at the start of a text and ends at a delimiter; 0:
 * none.
 */
static string_id find_file(const struct redactor *redactor, const char *text, size_t *ret_length)
{
	const struct strtab *files = &redactor->names[SECRET_FILE];
	string_id found = 0;

	*ret_length = 0;
	for (string_id id = 1; id <= files->offsets.nr; id++) {
		const char *path = strtab_get(files, id), *name = *text == '/' ? path : path_name(path);
		const size_t length = strlen(name);

		if (length <= *ret_length || strncmp(text, name, length) || !strchr(BETWEEN_WORDS, text[length]))
			continue;
		found = id;
		*ret_length = length;
	}
	return found;
}

static bool is_secret_word(const char *word, size_t length, bool only_absolute)
{
	char path[16] = "";

	if (!memchr(word, '/', length) || (only_absolute && *word != '/'))
		return false;
	memcpy(path, word, length < sizeof(path) - 1 ? length : sizeof(path) - 1);
	return length > 1 && !is_of_system(path);
}

/*
 * Replaces paths in a text, and names of replaced files. `only_absolute`: only words that begin with '/', because others may be operators
 * or packages ("operator/", "example.com/a.f").
 */
static string_id scrub(struct redactor *redactor, string_id id, bool only_absolute)
{
	_cleanup_(buf_done) struct buf text = {};

	for (const char *at = text_of(redactor, id); *at;) {
		size_t length = 0;
		const string_id file = only_absolute ? 0 : find_file(redactor, at, &length);

		length = length ?: strcspn(at, BETWEEN_WORDS);
		if (file)
			buf_addf(&text, "%sfile-%u", *at == '/' ? "/" : "", file);
		else if (is_secret_word(at, length, only_absolute))
			add_number(redactor, SECRET_PATH, at, length, &text);
		else
			buf_add(&text, at, length);
		at += length;
		if (*at)
			buf_addc(&text, *at++);
	}
	return strtab_add(&redactor->fresh, buf_text(&text));
}

static string_id source_of(struct redactor *redactor, string_id id)
{
	return is_of_system(text_of(redactor, id)) ? keep(redactor, id) : number(redactor, SECRET_PATH, id, "");
}

static void redact_files(struct redactor *redactor)
{
	for (size_t i = 0; i < redactor->profile->files.nr; i++) {
		struct profile_file *file = &redactor->profile->files.data[i];
		const bool is_secret = !is_of_system(text_of(redactor, file->path));

		file->path = is_secret ? number(redactor, SECRET_FILE, file->path, "/") : keep(redactor, file->path);
		file->build_id = is_secret ? 0 : keep(redactor, file->build_id);
		file->missing_split = is_secret ? 0 : keep(redactor, file->missing_split);
	}
}

/* The new module name of a user frame: that of its file, if it has one. */
static string_id module_of(struct redactor *redactor, const struct profile_frame *frame)
{
	const char *module = text_of(redactor, frame->module);

	if (frame->kind == FRAME_USER_FILE && frame->file < redactor->profile->files.nr) {
		const string_id path = redactor->profile->files.data[frame->file].path;

		return strtab_add(&redactor->fresh, path_name(strtab_get(&redactor->fresh, path)));
	}
	return *module == '[' || frame->kind == FRAME_INTERPRETER ? keep(redactor, frame->module)
								  : number(redactor, SECRET_FILE, frame->module, "");
}

/* A name without a symbol begins with its module: "libx.so!fn_0x10". */
static string_id name_of(struct redactor *redactor, const struct profile_frame *frame, string_id module)
{
	const char *old = text_of(redactor, frame->module), *name = text_of(redactor, frame->name);
	const size_t nr = strlen(old);
	_cleanup_(buf_done) struct buf text = {};

	if (!nr || strncmp(name, old, nr) || name[nr] != '!')
		return scrub(redactor, frame->name, frame->kind != FRAME_USER_RAW);
	buf_addf(&text, "%s%s", strtab_get(&redactor->fresh, module), name + nr);
	return strtab_add(&redactor->fresh, buf_text(&text));
}

static void redact_frames(struct redactor *redactor)
{
	for (size_t i = 0; i < redactor->profile->frames.nr; i++) {
		struct profile_frame *frame = &redactor->profile->frames.data[i];
		const bool is_kernel = frame->kind == FRAME_KERNEL || (frame->kind == FRAME_TEXT && frame->is_kernel);
		const string_id module = is_kernel ? keep(redactor, frame->module) : module_of(redactor, frame);

		frame->name = is_kernel ? keep(redactor, frame->name) : name_of(redactor, frame, module);
		frame->module = module;
		frame->source = is_kernel ? keep(redactor, frame->source) : source_of(redactor, frame->source);
	}
}

static void redact_records(struct redactor *redactor)
{
	struct profile *profile = redactor->profile;

	for (size_t i = 0; i < profile->records.nr; i++) {
		struct profile_record *record = &profile->records.data[i];

		record->comm = number(redactor, SECRET_PROCESS, record->comm, "");
		record->probe = scrub(redactor, record->probe, false);
	}
	for (size_t i = 0; i < profile->cgroups.nr; i++)
		profile->cgroups.data[i].path = number(redactor, SECRET_CGROUP, profile->cgroups.data[i].path, "/");
	for (size_t i = 0; i < profile->modules.nr; i++) {
		profile->modules.data[i].name = keep(redactor, profile->modules.data[i].name);
		profile->modules.data[i].build_id = keep(redactor, profile->modules.data[i].build_id);
	}
}

static void redact_description(struct redactor *redactor)
{
	struct profile *profile = redactor->profile;

	profile->hostname = profile->hostname ? strtab_add(&redactor->fresh, "host") : 0;
	profile->applet = keep(redactor, profile->applet);
	profile->header = scrub(redactor, profile->header, false);
	profile->footer = keep(redactor, profile->footer);
	profile->event = scrub(redactor, profile->event, false);
	profile->unit = keep(redactor, profile->unit);
	profile->kernel_release = keep(redactor, profile->kernel_release);
	profile->tool_version = keep(redactor, profile->tool_version);
	profile->host.machine = keep(redactor, profile->host.machine);
	profile->host.kernel_version = keep(redactor, profile->host.kernel_version);
	profile->host.kernel_build_id = keep(redactor, profile->host.kernel_build_id);
}

void profile_redact(struct profile *profile)
{
	struct redactor redactor = { .profile = profile };

	if (profile->is_redacted)
		return;
	redact_files(&redactor);
	redact_frames(&redactor);
	redact_records(&redactor);
	redact_description(&redactor);
	strtab_done(&profile->strings);
	profile->strings = redactor.fresh;
	profile->is_redacted = true;
	for (size_t i = 0; i < NR_SECRETS; i++)
		strtab_done(&redactor.names[i]);
}

void profile_list_secrets(const struct profile *profile, struct buf *ret_text)
{
	size_t nr_paths = 0, nr_cgroups = 0;

	for (size_t i = 0; i < profile->files.nr; i++)
		nr_paths += !profile->files.data[i].is_unused &&
			    !is_of_system(strtab_get(&profile->strings, profile->files.data[i].path));
	for (size_t i = 0; i < profile->cgroups.nr; i++)
		nr_cgroups += profile->cgroups.data[i].path != 0;
	if (profile->is_redacted)
		return;
	if (nr_paths) {
		buf_addc(ret_text, ' ');
		buf_add_grouped(ret_text, nr_paths);
		buf_add_counted(ret_text, nr_paths, " {path|paths} outside the system's directories");
	}
	if (nr_cgroups) {
		buf_adds(ret_text, nr_paths ? " and " : " ");
		buf_add_grouped(ret_text, nr_cgroups);
		buf_add_counted(ret_text, nr_cgroups, " {control group|control groups}");
	}
}
