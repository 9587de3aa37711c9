// SPDX-License-Identifier: GPL-2.0-or-later
/* Attaches the reference program until it is told to end by a signal: a contestant like any other. */
#include <bpf/libbpf.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "reference.skel.h"

int main(void)
{
	struct reference *reference;
	sigset_t end;
	int signal_number;

	sigemptyset(&end);
	sigaddset(&end, SIGINT);
	sigaddset(&end, SIGTERM);
	sigprocmask(SIG_BLOCK, &end, NULL);
	reference = reference__open_and_load();
	if (!reference || reference__attach(reference)) {
		fprintf(stderr, "reference: cannot be loaded and attached\n");
		return 1;
	}
	sigwait(&end, &signal_number);
	reference__destroy(reference);
	return 0;
}
