/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/*
 * For option tables, -p: fills a struct u32_list from ids and names, separated by commas or white space. A name is the command name (comm,
 * at most 15 bytes), the name of the program file or its path, and selects all such processes except this one. It may contain blanks and
 * commas: "a b" is the name 'a b' if a process has it, else the names 'a' and 'b'. Each id is in the list once. 0; a usage error for an
 * empty list or an impossible id; ERR_NO_MATCH if no process has a name.
 */
int process_ids_parse(const char *text, void *ret_list);
