// SPDX-License-Identifier: GPL-2.0-or-later
/* Attaches one of the reference programs until it is told to end by a signal, a contestant like any other: reference [empty] */
#include <bpf/libbpf.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "reference.skel.h"

int main(int argc, char **argv __attribute__((unused)))
{
	struct reference *reference;
	sigset_t end;
	int signal_number;

	sigemptyset(&end);
	sigaddset(&end, SIGINT);
	sigaddset(&end, SIGTERM);
	sigprocmask(SIG_BLOCK, &end, NULL);
	reference = reference__open();
	if (reference) {
		bpf_program__set_autoload(reference->progs.st_reference, argc < 2);
		bpf_program__set_autoload(reference->progs.st_empty, argc > 1);
	}
	if (!reference || reference__load(reference) || reference__attach(reference)) {
		fprintf(stderr, "reference: cannot be loaded and attached\n");
		return 1;
	}
	sigwait(&end, &signal_number);
	reference__destroy(reference);
	return 0;
}
