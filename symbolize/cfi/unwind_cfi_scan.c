/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which CIEs and FDEs there are. */
#include "symbolize/cfi/unwind_cfi_private.h"

enum {
	RA_COLUMN = 16, /* psABI: the return address */
};

static int add_cie(struct cfi *cfi, const struct frame_entry *entry)
{
	struct cfi_cie cie = { .position = (uint32_t)entry->position };

	cie.usable = frame_read_cie(&cfi->section, entry, &cie.common) && cie.common.return_register == RA_COLUMN &&
		     !cfi_initial(&cie);
	return vec_try_push(&cfi->cies, cie);
}

/* The number of the CIE at a position; *cie is the one that was looked for before. */
static bool find_cie(const struct cfi *cfi, uint64_t position, uint32_t *cie)
{
	size_t nr;

	if (*cie < cfi->cies.nr && cfi->cies.data[*cie].position == position)
		return true;
	nr = vec_nr_first(&cfi->cies, one, one->position < position);
	*cie = (uint32_t)nr;
	return nr < cfi->cies.nr && cfi->cies.data[nr].position == position;
}

struct byte_reader cfi_fde_body(const struct cfi *cfi, const struct cfi_fde *fde, uint64_t *ret_address)
{
	struct byte_reader at = frame_section_from(&cfi->section, fde->position);
	struct frame_entry entry = {};

	if (!frame_next_entry(&cfi->section, &at, &entry))
		entry.body.bad = true;
	else
		*ret_address = frame_section_address(&cfi->section, entry.body.at);
	return entry.body;
}

static int add_fde(struct cfi *cfi, const struct frame_entry *entry, uint32_t *cie)
{
	struct byte_reader body = entry->body;
	struct cfi_fde fde = { .position = (uint32_t)entry->position };
	uint64_t address = frame_section_address(&cfi->section, body.at);

	if (!find_cie(cfi, entry->cie, cie) || !cfi->cies.data[*cie].usable)
		return 0;
	fde.cie = *cie;
	fde.start = eh_pointer(&body, cfi->cies.data[*cie].common.encoding, cfi->section.word, address);
	return body.bad ? 0 : vec_try_push(&cfi->fdes, fde);
}

enum wanted {
	WANT_CIES = 1,
	WANT_FDES = 2,
};

static int scan(struct cfi *cfi, unsigned int wanted)
{
	struct byte_reader at = frame_section_from(&cfi->section, 0);
	struct frame_entry entry;
	uint32_t cie = 0;

	while (bytes_left(&at) && frame_next_entry(&cfi->section, &at, &entry)) {
		int err = 0;

		if (entry.is_last && cfi->section.ends_at_zero)
			break;
		if (entry.is_last || entry.body.bad || !(wanted & (entry.is_cie ? WANT_CIES : WANT_FDES)))
			continue;
		err = entry.is_cie ? add_cie(cfi, &entry) : add_fde(cfi, &entry, &cie);
		if (err)
			return err;
	}
	return 0;
}

/* FDEs of .eh_frame come after their CIE; in .debug_frame it may stand after them. */
int unwind_cfi_scan(struct cfi *cfi, struct frame_section *section)
{
	int err;

	*cfi = (struct cfi){ .section = *section };
	*section = (struct frame_section){};
	if (cfi->section.is_debug)
		err = scan(cfi, WANT_CIES) ?: scan(cfi, WANT_FDES);
	else
		err = scan(cfi, WANT_CIES | WANT_FDES);
	if (err)
		unwind_cfi_done(cfi);
	return err;
}

void unwind_cfi_done(struct cfi *cfi)
{
	frame_section_done(&cfi->section);
	vec_done(&cfi->cies);
	vec_done(&cfi->fdes);
}
