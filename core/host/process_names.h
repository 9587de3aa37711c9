/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes by name, for -p. */
#pragma once

/*
 * For option tables: fills a struct u32_list from ids and names, separated by commas or white space. A name stands for all
 * processes of which it is the command name (comm, 15 bytes at most) or the name of the program file; not for this process. 0; a
 * usage error for an empty list or an impossible id; ERR_NO_MATCH if no process has a name.
 */
int process_ids_parse(const char *text, void *ret_list);
