/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doctor: what this host can and cannot do, and the remedy for each gap. */
#include "applets/common.h"
#include "core/base/err.h"
#include "core/cli/applet.h"
#include "core/run/run.h"

struct doctor_options {
	bool json, heal;
	const char *ability;
};

static const struct option_spec table[] = {
	OPTION(0, "json", struct doctor_options, json, NULL, "the findings as a JSON document"),
	OPTION(0, "heal", struct doctor_options, heal, NULL,
	       "remove breakpoints that a killed tool left in processes; those of other probes stay"),
	OPERAND("ability", struct doctor_options, ability,
		"look at this one only, such as kprobe.multi; the status is then 3 when it is not there"),
	OPTION_END,
};

static int examine(const void *block)
{
	const struct doctor_options *options = block;

	if (options->heal && (options->json || options->ability))
		return fail_usage("--heal goes with nothing else");
	if (options->heal)
		return run_doctor_heal();
	return run_doctor(options->ability, options->json);
}

static const struct applet_example examples[] = {
	{ "", "everything, as the user who asks" },
	{ "--json", "the same for programs" },
	{ "--heal", "after kill -9 of a tool with user probes" },
	{ "uprobe.multi", "in a script: status 0 when it is there, 3 when it is not" },
	{},
};

const struct applet doctor_applet = {
	.name = "doctor",
	.summary = "say what this host can and cannot do, and what to do about it",
	.description =
		"Asks the kernel for every ability that the other applets use and prints a line for each: its name, yes, "
		"partly, no or unknown, and what was found. Below a gap stand its remedy (a mount, a sysctl, a capability, "
		"a kernel option) and what suffers without it. Without --heal it changes nothing.\n"
		"\n"
		"A tool that gets SIGKILL while it attaches user probes leaves breakpoints in running processes, which slow "
		"them down until they end or exec. --heal puts a probe on each such place and removes it, and the kernel takes out "
		"what nobody wants. To count the same pattern once more does that too.\n"
		"\n"
		"Without privileges it says what is missing; what cannot be asked then is unknown. The status is 0, or 3 "
		"when nothing can be collected on this host by this user.",
	.options = table,
	.examples = examples,
	.options_size = sizeof(struct doctor_options),
	.main = examine,
};
