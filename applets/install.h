/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --install: bcc's names as links to this program. */
#pragma once

/*
 * Makes a symbolic link for every bcc tool that an applet replaces. All or nothing: when one of the names is taken by
 * anything but a link to this program, nothing is made and the name is in the message. Says on stdout what it made.
 */
int install_links(const char *directory);
