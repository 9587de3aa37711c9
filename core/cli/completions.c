/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each script completes "stacktool APPLET" and the names of bcc's tools: profile, profile.py, profile-bpfcc. */
#include "core/cli/completions.h"

#include <stdio.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/err.h"

/* Adds `words` in single quotes of a shell, with a backslash before each of the characters in `escaped`. */
static void add_quoted(struct buf *text, const char *words, const char *escaped)
{
	buf_addc(text, '\'');
	for (const char *c = words; *c; c++) {
		if (strchr(escaped, *c))
			buf_addc(text, '\\');
		if (*c == '\'')
			buf_adds(text, "'\\''");
		else
			buf_addc(text, *c);
	}
	buf_addc(text, '\'');
}

/* The commands of stacktool itself. */
static const struct {
	const char *name, *help;
} commands[] = {
	{ "help", "print the help of an applet; with --man as a man page" },
	{ "--help", "all applets" },
	{ "--list", "list the applets, one per line" },
	{ "--version", "print the version, the libraries and the build options" },
	{ "--install", "install links under the names of bcc's tools" },
	{ "--completions", "print the completion script for bash, zsh or fish" },
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

typedef void add_option(struct buf *text, const struct applet *applet, const struct option_spec *spec);

static void each_option(struct buf *text, const struct applet *applet, add_option *add)
{
	_cleanup_(option_list_done) struct option_list list;

	option_list_init(&list, applet->options);
	for (size_t i = 0; i < list.nr; i++) {
		const struct option_spec *spec = list.data[i].spec;

		if (!spec->operand && !list.data[i].hidden)
			add(text, applet, spec);
	}
}

static void add_names(struct buf *text, const struct applet *applet, const char *between)
{
	buf_adds(text, applet->name);
	for (const char *const *alias = applet->aliases; alias && *alias; alias++)
		buf_addf(text, "%s%s", between, *alias);
}

static void add_all_names(struct buf *text, const struct applet *const *applets)
{
	for (; *applets; applets++) {
		add_names(text, *applets, " ");
		buf_addc(text, ' ');
	}
}

/* Adds the three names of a bcc tool, each after `before`; nothing if bcc has no such tool. */
static void add_bcc_name(struct buf *text, const struct applet *applet, const char *before)
{
	static const char *const suffixes[] = { "", ".py", "-bpfcc" };

	for (size_t i = 0; applet->bcc_name && i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		buf_addf(text, "%s%s%s", before, applet->bcc_name, suffixes[i]);
}

static void add_bcc_names(struct buf *text, const struct applet *const *applets)
{
	for (; *applets; applets++)
		add_bcc_name(text, *applets, " ");
	buf_addc(text, '\n');
}

/* ---- bash ---- */

static void add_bash_option(struct buf *text, const struct applet *applet, const struct option_spec *spec)
{
	if (spec->letter)
		buf_addf(text, " -%c", spec->letter);
	if (spec->also)
		buf_addf(text, " -%c", spec->also);
	buf_addf(text, " --%s", spec->name);
}

/* An option has the same values in all applets, so each name is added once. */
static void add_bash_values(struct buf *text, const struct applet *const *applets)
{
	_cleanup_(buf_done) struct buf seen = {};

	for (; *applets; applets++) {
		_cleanup_(option_list_done) struct option_list list;

		option_list_init(&list, (*applets)->options);
		for (size_t i = 0; i < list.nr; i++) {
			const struct option_spec *spec = list.data[i].spec;
			_cleanup_(buf_done) struct buf word = {};

			if (spec->letter && spec->values)
				buf_addf(&word, "-%c|", spec->letter);
			buf_addf(&word, "--%s)", spec->name);
			if (!spec->values || strstr(buf_text(&seen), buf_text(&word)))
				continue;
			buf_adds(&seen, buf_text(&word));
			buf_addf(text, "\t%s values=\"%s\" ;;\n", buf_text(&word), spec->values);
		}
	}
}

static void add_bash(struct buf *text, const struct applet *const *applets)
{
	buf_adds(text, "_stacktool() {\n"
		       "\tlocal applet=${COMP_WORDS[0]##*/} word=${COMP_WORDS[COMP_CWORD]} options= values= before=\n"
		       "\tif [[ $applet == stacktool ]]; then\n"
		       "\t\tapplet=${COMP_WORDS[1]}\n"
		       "\t\tif ((COMP_CWORD == 1)) || [[ $applet == help && $word != -* ]]; then\n"
		       "\t\t\tmapfile -t COMPREPLY < <(compgen -W \"");
	add_all_names(text, applets);
	for (size_t i = 0; i < NR_COMMANDS; i++)
		buf_addf(text, "%s%s", i ? " " : "", commands[i].name);
	buf_adds(text, "\" -- \"$word\")\n"
		       "\t\t\treturn\n"
		       "\t\tfi\n"
		       "\tfi\n"
		       "\tapplet=${applet%.py}\n"
		       "\tcase ${applet%-bpfcc} in\n");
	for (const struct applet *const *applet = applets; *applet; applet++) {
		buf_addc(text, '\t');
		add_names(text, *applet, "|");
		buf_adds(text, ") options=\"");
		each_option(text, *applet, add_bash_option);
		buf_adds(text, "\" ;;\n");
	}
	buf_adds(text,
		 "\tesac\n"
		 "\t[[ $word == = ]] && word=\n" /* "--unwind=" is two words, and "--unwind=fp" three */
		 "\tbefore=${COMP_WORDS[COMP_CWORD-1]}\n"
		 "\t[[ ${COMP_WORDS[COMP_CWORD]} == = ]] || [[ $before != = ]] || before=${COMP_WORDS[COMP_CWORD-2]}\n"
		 "\tcase $before in\n");
	add_bash_values(text, applets);
	/* compgen expands its words, and any process can choose its name: other characters are removed. */
	buf_adds(text, "\t-p|--pid) [[ $word == [0-9]* ]] || values=$(ps -eo comm= | tr -cd '[:alnum:]_.\\n-') ;;\n"
		       "\tesac\n"
		       "\tif [[ $values ]]; then\n"
		       "\t\tmapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$word\" | sort -u)\n"
		       "\telif [[ $word == -* ]]; then\n"
		       "\t\tmapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
		       "\telse\n"
		       "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
		       "\tfi\n"
		       "}\n"
		       "complete -o filenames -F _stacktool stacktool");
	add_bcc_names(text, applets);
}

/* ---- zsh ---- */

#define ZSH_ESCAPED "[]:\\"

static void add_zsh_form(struct buf *text, const struct option_spec *spec, const char *form)
{
	_cleanup_(buf_done) struct buf words = {};

	buf_addf(&words, "%s[", form);
	for (const char *c = spec->help; *c; c++)
		buf_addf(&words, strchr(ZSH_ESCAPED, *c) ? "\\%c" : "%c", *c);
	buf_addc(&words, ']');
	if (spec->values)
		buf_addf(&words, ":%s:(%s)", spec->metavar, spec->values);
	else if (option_takes_value(spec))
		buf_addf(&words, ":%s:_files", spec->metavar);
	buf_adds(text, " \\\n\t\t\t");
	add_quoted(text, buf_text(&words), "");
}

static void add_zsh_option(struct buf *text, const struct applet *applet, const struct option_spec *spec)
{
	const char letters[] = { spec->letter, spec->also };
	char form[64];

	for (size_t i = 0; i < sizeof(letters); i++) {
		snprintf(form, sizeof(form), "-%c%s", letters[i], option_takes_value(spec) ? "+" : "");
		if (letters[i])
			add_zsh_form(text, spec, form);
	}
	snprintf(form, sizeof(form), "--%s%s", spec->name, option_takes_value(spec) ? "=" : "");
	add_zsh_form(text, spec, form);
}

static void add_zsh_word(struct buf *text, const char *word, const char *help)
{
	_cleanup_(buf_done) struct buf words = {};

	buf_addf(&words, "%s:%s", word, help);
	buf_adds(text, "\t\t");
	add_quoted(text, buf_text(&words), "");
	buf_addc(text, '\n');
}

static void add_zsh(struct buf *text, const struct applet *const *applets)
{
	buf_adds(text, "#compdef stacktool");
	add_bcc_names(text, applets);
	buf_adds(text, "_stacktool() {\n"
		       "\tlocal applet=${${words[1]:t:r}%-bpfcc}\n"
		       "\tlocal -a applets=(\n");
	for (const struct applet *const *applet = applets; *applet; applet++)
		add_zsh_word(text, (*applet)->name, (*applet)->summary);
	buf_adds(text, "\t)\n\tlocal -a commands=(\n");
	for (size_t i = 0; i < NR_COMMANDS; i++)
		add_zsh_word(text, commands[i].name, commands[i].help);
	buf_adds(text, "\t)\n"
		       "\tif [[ $applet == stacktool ]]; then\n"
		       "\t\tif ((CURRENT == 2)); then\n"
		       "\t\t\t_describe applet applets -- commands\n"
		       "\t\t\treturn\n"
		       "\t\tfi\n"
		       "\t\tif [[ ${words[2]} == help ]]; then\n"
		       "\t\t\t_describe applet applets\n"
		       "\t\t\treturn\n"
		       "\t\tfi\n"
		       "\t\tshift words\n"
		       "\t\t((CURRENT--))\n"
		       "\t\tapplet=${words[1]}\n"
		       "\tfi\n"
		       "\tcase $applet in\n");
	for (const struct applet *const *applet = applets; *applet; applet++) {
		buf_adds(text, "\t(");
		add_names(text, *applet, "|");
		buf_adds(text, ")\n\t\t_arguments -s");
		each_option(text, *applet, add_zsh_option);
		buf_adds(text, " \\\n\t\t\t'*:argument:_files' ;;\n");
	}
	buf_adds(text, "\tesac\n}\n_stacktool \"$@\"\n");
}

/* ---- fish ---- */

static void add_fish_form(struct buf *text, const struct option_spec *spec)
{
	if (spec->letter)
		buf_addf(text, " -s %c", spec->letter);
	if (spec->also)
		buf_addf(text, " -s %c", spec->also);
	buf_addf(text, " -l %s%s", spec->name, spec->values ? " -x" : option_takes_value(spec) ? " -r" : "");
	if (spec->values)
		buf_addf(text, " -a '%s'", spec->values);
	buf_adds(text, " -d ");
	add_quoted(text, spec->help, "\\");
	buf_addc(text, '\n');
}

static void add_fish_option(struct buf *text, const struct applet *applet, const struct option_spec *spec)
{
	buf_adds(text, "complete -c stacktool -n '__fish_seen_subcommand_from ");
	add_names(text, applet, " ");
	buf_addc(text, '\'');
	add_fish_form(text, spec);
	if (!applet->bcc_name)
		return;
	buf_adds(text, "complete");
	add_bcc_name(text, applet, " -c ");
	add_fish_form(text, spec);
}

/* Adds a word that fish offers if the condition holds. */
static void add_fish_word(struct buf *text, const char *condition, const char *word, const char *help)
{
	buf_addf(text, "complete -c stacktool -n %s -f -a %s -d ", condition, word);
	add_quoted(text, help, "\\");
	buf_addc(text, '\n');
}

static void add_fish(struct buf *text, const struct applet *const *applets)
{
	for (size_t i = 0; i < NR_COMMANDS; i++)
		add_fish_word(text, "__fish_use_subcommand", commands[i].name, commands[i].help);
	for (const struct applet *const *applet = applets; *applet; applet++) {
		add_fish_word(text, "__fish_use_subcommand", (*applet)->name, (*applet)->summary);
		add_fish_word(text, "'__fish_seen_subcommand_from help'", (*applet)->name, (*applet)->summary);
		each_option(text, *applet, add_fish_option);
	}
}

int completions(const struct applet *const *applets, const char *shell, struct buf *ret_text)
{
	static const struct {
		const char *name;
		void (*add)(struct buf *text, const struct applet *const *applets);
	} shells[] = { { "bash", add_bash }, { "zsh", add_zsh }, { "fish", add_fish } };

	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
		if (strcmp(shell, shells[i].name))
			continue;
		shells[i].add(ret_text, applets);
		return 0;
	}
	return fail_usage("argument --completions: '%s': unknown shell: give bash, zsh or fish", shell);
}
