// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Attaches one of the reference programs until it is told to end by a signal, a contestant like any other:
 *
 *   reference                  the stack walks at every switch of threads
 *   reference empty            a program that does nothing, at every new name of a thread
 *   reference multi FUNCTION   the stack walks at a function of the kernel, by kprobe.multi
 *   reference kprobe FUNCTION  the same by a perf kprobe
 */
#include <bpf/libbpf.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "reference.skel.h"

static int attach(struct reference *reference, const char *mode, const char *function)
{
	LIBBPF_OPTS(bpf_kprobe_multi_opts, one, .syms = &function, .cnt = 1);

	if (!strcmp(mode, "multi"))
		reference->links.st_multi =
			bpf_program__attach_kprobe_multi_opts(reference->progs.st_multi, NULL, &one);
	else if (!strcmp(mode, "kprobe"))
		reference->links.st_kprobe = bpf_program__attach_kprobe(reference->progs.st_kprobe, false, function);
	else
		return reference__attach(reference);
	return reference->links.st_multi || reference->links.st_kprobe ? 0 : -1;
}

static int load(struct reference *reference, const char *mode)
{
	bpf_program__set_autoload(reference->progs.st_reference, !*mode);
	bpf_program__set_autoload(reference->progs.st_empty, !strcmp(mode, "empty"));
	bpf_program__set_autoload(reference->progs.st_multi, !strcmp(mode, "multi"));
	bpf_program__set_autoload(reference->progs.st_kprobe, !strcmp(mode, "kprobe"));
	return reference__load(reference);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "", *function = argc > 2 ? argv[2] : "";
	struct reference *reference;
	sigset_t end;
	int signal_number;

	sigemptyset(&end);
	sigaddset(&end, SIGINT);
	sigaddset(&end, SIGTERM);
	sigprocmask(SIG_BLOCK, &end, NULL);
	reference = reference__open();
	if (!reference || load(reference, mode) || attach(reference, mode, function)) {
		fprintf(stderr, "reference: cannot be loaded and attached\n");
		return 1;
	}
	sigwait(&end, &signal_number);
	reference__destroy(reference);
	return 0;
}
