/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "applets/common.h"
#include "core/base/err.h"
#include "core/cli/applet.h"
#include "core/run/run.h"

struct doctor_options {
	bool json, heal;
	const char *ability;
};

static const struct option_spec table[] = {
	OPTION(0, "json", struct doctor_options, json, NULL, "print the result as JSON"),
	OPTION(0, "heal", struct doctor_options, heal, NULL,
	       "remove breakpoints that a killed tool left in processes; those of active probes stay"),
	OPERAND("ability", struct doctor_options, ability,
		"check only this ability, such as kprobe.multi; exit with status 3 if it is missing"),
	OPTION_END,
};

static int examine(void *block)
{
	const struct doctor_options *options = block;

	if (options->heal && (options->json || options->ability))
		return fail_usage("--heal: not allowed with other arguments");
	if (options->heal)
		return run_doctor_heal();
	return run_doctor(options->ability, options->json);
}

static const struct applet_example examples[] = {
	{ "", "check everything, for the user who runs it" },
	{ "--json", "the same, as JSON for programs" },
	{ "--heal", "after kill -9 of a tool with user probes" },
	{ "uprobe.multi", "in a script: status 0 if present, 3 if missing" },
	{},
};

const struct applet doctor_applet = {
	.name = "doctor",
	.summary = "check what this host can do, with a remedy for each gap",
	.description =
		"Checks every ability that the other applets use and prints a line for each: its name, then yes, "
		"partly, no or unknown, then what was found. Below a gap it prints the remedy (a mount, a sysctl, a "
		"capability, a kernel option) and what does not work without it. The last line sums up what works on this "
		"host and what does not. Without --heal it changes nothing.\n\n"
		"A tool that is killed by SIGKILL while it attaches user probes leaves breakpoints in running "
		"processes; they slow these down until they exit or exec. With --heal, stacktool probes each such "
		"place and removes the probe; the kernel then removes the breakpoint. Running 'stacktool count' again "
		"with the same pattern removes them too.\n\nWithout privileges it prints the missing ones, and "
		"'unknown' for what it cannot check. The status is 0, or 3 if this user cannot collect anything on "
		"this host.",
	.options = table,
	.examples = examples,
	.options_size = sizeof(struct doctor_options),
	.main = examine,
};
