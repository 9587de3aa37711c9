/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the entries of .eh_frame and .debug_frame: DWARF 5, 6.4.1, and the Linux Standard Base, "Exception Frames". */
#include "symbolize/unwind_cfi_private.h"

enum {
	RA_COLUMN = 16, /* psABI: the return address */
};

/* Length and identity of an entry; `body` is what follows them. */
struct entry {
	uint64_t position, id_position, id;
	bool is_wide, is_cie, is_last;
	struct unwind_bytes body;
};

static uint64_t position_of(const struct cfi *cfi, const uint8_t *at)
{
	return (uint64_t)(at - cfi->section.bytes);
}

static void read_identity(const struct cfi *cfi, struct entry *entry)
{
	uint64_t cie_id = entry->is_wide ? UINT64_MAX : UINT32_MAX;

	entry->id = entry->is_wide ? bytes_number(&entry->body, 8) : bytes_number(&entry->body, 4);
	entry->is_cie = entry->id == (cfi->section.is_debug ? cie_id : 0);
}

/* Reads the next entry and steps behind it; false at the end, also where a length leads out of the section. */
static bool next_entry(const struct cfi *cfi, struct unwind_bytes *section, struct entry *ret_entry)
{
	uint64_t length;

	ret_entry->position = position_of(cfi, section->at);
	length = bytes_number(section, 4);
	ret_entry->is_wide = length == 0xffffffff;
	if (ret_entry->is_wide)
		length = bytes_number(section, 8);
	ret_entry->is_last = !length;
	ret_entry->is_cie = false;
	ret_entry->id_position = position_of(cfi, section->at);
	ret_entry->body = bytes_part(section, length);
	if (section->bad)
		return false;
	if (length)
		read_identity(cfi, ret_entry);
	return true;
}

static const char *augmentation_of(struct unwind_bytes *bytes)
{
	const char *text = (const char *)bytes->at;

	while (bytes_byte(bytes))
		;
	return bytes->bad ? "" : text;
}

/* The data that "z" announces: one item for each letter behind it, in their order. */
static void read_augmentation(struct cfi_cie *cie, struct unwind_bytes bytes, const char *letters)
{
	for (; *letters && !bytes.bad; letters++) {
		switch (*letters) {
		case 'R':
			cie->encoding = bytes_byte(&bytes);
			break;
		case 'P':
			unwind_pointer_value(&bytes, bytes_byte(&bytes));
			break;
		case 'L':
			bytes_byte(&bytes);
			break;
		case 'S':
			cie->is_signal = true;
			break;
		case 'B': /* arm64 */
			break;
		default:
			return;
		}
	}
	cie->usable = !bytes.bad;
}

static void read_cie(const struct cfi *cfi, struct entry *entry, struct cfi_cie *cie)
{
	struct unwind_bytes *body = &entry->body;
	uint8_t version = bytes_byte(body);
	const char *augmentation = augmentation_of(body);
	uint64_t column;

	if (version == 4) {
		uint64_t address_and_segment = bytes_number(body, 2);

		if (address_and_segment != 8) /* bytes of an address; none for a segment */
			return;
	}
	cie->code_factor = bytes_uleb(body);
	cie->data_factor = bytes_sleb(body);
	column = version == 1 ? bytes_byte(body) : bytes_uleb(body);
	if (version > 4 || column != RA_COLUMN)
		return;
	cie->usable = !*augmentation;
	if (*augmentation == 'z') {
		cie->has_augmentation = true;
		read_augmentation(cie, bytes_part(body, bytes_uleb(body)), augmentation + 1);
	}
	cie->usable = cie->usable && !body->bad && !cfi_initial(cie, *body);
}

static int add_cie(struct cfi *cfi, struct entry *entry)
{
	struct cfi_cie cie = { .position = (uint32_t)entry->position, .encoding = POINTER_ABSOLUTE };

	read_cie(cfi, entry, &cie);
	return vec_try_push(&cfi->cies, cie);
}

/* Which CIE an FDE means: .eh_frame counts back from the pointer, .debug_frame from the start of the section. */
static bool find_cie(const struct cfi *cfi, uint64_t position, uint32_t *cie)
{
	size_t nr;

	if (*cie < cfi->cies.nr && cfi->cies.data[*cie].position == position)
		return true;
	nr = vec_nr_first(&cfi->cies, one, one->position < position);
	*cie = (uint32_t)nr;
	return nr < cfi->cies.nr && cfi->cies.data[nr].position == position;
}

struct unwind_bytes cfi_fde_body(const struct cfi *cfi, const struct cfi_fde *fde, uint64_t *ret_address)
{
	struct unwind_bytes section = { .at = cfi->section.bytes + fde->position,
					.end = cfi->section.bytes + cfi->section.nr };
	struct entry entry = {};

	if (!next_entry(cfi, &section, &entry))
		entry.body.bad = true;
	else
		*ret_address = cfi->section.address + position_of(cfi, entry.body.at);
	return entry.body;
}

static int add_fde(struct cfi *cfi, const struct entry *entry, uint32_t *cie)
{
	uint64_t back = entry->id_position - entry->id;
	struct unwind_bytes body = entry->body;
	struct cfi_fde fde = { .position = (uint32_t)entry->position };
	uint64_t address = cfi->section.address + position_of(cfi, body.at);

	if (!find_cie(cfi, cfi->section.is_debug ? entry->id : back, cie) || !cfi->cies.data[*cie].usable)
		return 0;
	fde.cie = *cie;
	fde.start = unwind_pointer(&body, cfi->cies.data[*cie].encoding, address);
	return body.bad ? 0 : vec_try_push(&cfi->fdes, fde);
}

enum wanted {
	WANT_CIES = 1,
	WANT_FDES = 2,
};

static int scan(struct cfi *cfi, unsigned int wanted)
{
	struct unwind_bytes section = { .at = cfi->section.bytes, .end = cfi->section.bytes + cfi->section.nr };
	struct entry entry;
	uint32_t cie = 0;

	while (bytes_left(&section) && next_entry(cfi, &section, &entry)) {
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

/* FDEs of .eh_frame tell how far back their CIE is; in .debug_frame it may stand behind them. */
int unwind_cfi_scan(struct cfi *cfi, struct unwind_section *section)
{
	int err;

	*cfi = (struct cfi){ .section = *section };
	*section = (struct unwind_section){};
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
	unwind_section_done(&cfi->section);
	vec_done(&cfi->cies);
	vec_done(&cfi->fdes);
}
