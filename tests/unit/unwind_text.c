/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/unwind_text.h"

#include "tests/unit/cfi_writer.h"
#include "tests/unit/extents.h"
#include "tests/harness.h"
#include "tests/unwind_rule.h"

static void print_place(struct st_unwind_rule rule, char *to, size_t size)
{
	switch (rule.kind) {
	case ST_UNWIND_STOP:
		snprintf(to, size, "stop");
		break;
	case ST_UNWIND_SP:
		snprintf(to, size, "sp%+d", rule.offset);
		break;
	case ST_UNWIND_BP:
		snprintf(to, size, "bp%+d", rule.offset);
		break;
	case ST_UNWIND_REGISTER:
		snprintf(to, size, "r%d%+d", ST_UNWIND_HOW_REG(rule.how), rule.offset);
		break;
	case ST_UNWIND_PLT:
		snprintf(to, size, "plt%+d:%d", rule.at, rule.add);
		break;
	case ST_UNWIND_DEREF_SP:
		snprintf(to, size, "*(sp%+d)%+d", rule.at, rule.add);
		break;
	case ST_UNWIND_DEREF_BP:
		snprintf(to, size, "*(bp%+d)%+d", rule.at, rule.add);
		break;
	case ST_UNWIND_DEREF_INDEXED:
		snprintf(to, size, "*(sp%+d+8*r%d)%+d", rule.at, ST_UNWIND_HOW_REG(rule.how), rule.add);
		break;
	case ST_UNWIND_SIGNAL:
		snprintf(to, size, "signal%+d", rule.offset);
		break;
	default:
		assert_int_equal(rule.kind, ST_UNWIND_UNSUPPORTED);
		snprintf(to, size, "unsupported");
	}
}

const char *rule_text(const struct unwind_table *table, uint64_t place)
{
	static char text[96];
	struct st_unwind_rule rule = unwind_table_rule(table, CFI_CODE + place);
	char cfa[32], bp[32] = "", ra[32] = "";

	if (rule.kind == ST_UNWIND_INVALID)
		return "";
	print_place(rule, cfa, sizeof(cfa));
	if (ST_UNWIND_HOW_BP(rule.how) == ST_UNWIND_BP_LOST)
		snprintf(bp, sizeof(bp), " bp lost");
	else if (ST_UNWIND_HOW_BP(rule.how))
		snprintf(bp, sizeof(bp), " bp@%s%+d", ST_UNWIND_HOW_BP(rule.how) == ST_UNWIND_BP_AT_CFA ? "cfa" : "bp",
			 rule.bp_offset);
	if (ST_UNWIND_HOW_RA(rule.how) == ST_UNWIND_RA_REGISTER)
		snprintf(ra, sizeof(ra), " ra=r%d", ST_UNWIND_HOW_REG(rule.how));
	else if (ST_UNWIND_HOW_RA(rule.how))
		snprintf(ra, sizeof(ra), " ra elsewhere");
	snprintf(text, sizeof(text), "%s%s%s", cfa, ra, bp);
	return text;
}

static const char *rule_of(void *table, uint64_t place)
{
	return rule_text(table, place);
}

void expect_rules(const struct unwind_table *table, const char *expected)
{
	expect_extents(rule_of, (void *)table, 0, CFI_CODE_SIZE + 0xfff, expected);
	assert_string_equal(rule_text(table, (uint64_t)-1), "");
}
