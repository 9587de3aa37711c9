/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/resolve/patterns.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"

#define DEFAULT_MAX_PROBES 1000
#define LIMIT_VARIABLE "BCC_PROBE_LIMIT"

char *pattern_expression(const char *pattern, bool regex)
{
	return regex ? xasprintf("^(?:%s)", pattern) : xcheck(match_wildcard(pattern));
}

int pattern_compile(const struct plan *plan, const char *text, struct match **ret_match)
{
	char reason[256];
	int err = match_new(text, ret_match, reason, sizeof(reason));

	return err ? fail_usage("pattern '%s': %s", plan->probe.typed, reason) : 0;
}

/* The default and the environment variable are those of bcc's tools. */
static int max_probes(const struct plan *plan, size_t *ret_max)
{
	const char *text = getenv(LIMIT_VARIABLE);
	char *end;

	*ret_max = plan->max_probes ? plan->max_probes : DEFAULT_MAX_PROBES;
	if (plan->max_probes || !text || !*text)
		return 0;
	*ret_max = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || !*ret_max || *ret_max > UINT32_MAX)
		return fail_usage(LIMIT_VARIABLE ": '%s' is not a number of probes: give 1 to %u", text, UINT32_MAX);
	return 0;
}

int pattern_check_limit(const struct plan *plan, size_t nr)
{
	size_t max;
	int err = plan->force ? 0 : max_probes(plan, &max);

	if (err || plan->force || nr <= max)
		return err;
	fail_usage("pattern '%s': %zu matches exceed the limit of %zu probes", plan->probe.typed, nr, max);
	hint("narrow the pattern, or raise the limit: --max-probes %zu", nr);
	return -EINVAL;
}
