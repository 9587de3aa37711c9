/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How libbpf loads the program of fentry, taken down by a handler of its section, for the copies (attach_fentry.c). */
#include "core/session/load_private.h"

/* The pointers are into the object, which outlives the copies; what is not, is for kfuncs and the verifier's log. */
static int note_load(struct bpf_program *program, struct bpf_prog_load_opts *options, long cookie)
{
	struct loaded *loaded = (struct loaded *)cookie;
	struct bpf_prog_load_opts *noted = &loaded->fentry.options;

	if (program != loaded->program)
		return 0;
	*noted = *options;
	noted->fd_array = NULL;
	noted->log_level = noted->log_size = 0;
	noted->log_buf = NULL;
	noted->attach_btf_obj_fd = 0;
	noted->expected_attach_type = BPF_TRACE_FENTRY; /* libbpf sets it after this call */
	loaded->fentry.known = true;
	return 0;
}

void load_fentry_listen(struct loaded *loaded)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, options, .cookie = (long)loaded, .prog_prepare_load_fn = note_load);
	int handler = libbpf_register_prog_handler("fentry", BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, &options);

	loaded->fentry.handler = handler > 0 ? handler : 0;
}

void load_fentry_done(struct loaded *loaded)
{
	if (loaded->fentry.handler)
		libbpf_unregister_prog_handler(loaded->fentry.handler);
	loaded->fentry.handler = 0;
}
