/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file of a FUSE mount that can be opened and mapped, but whose reader waits thirty seconds for an error, even when killed. */
#pragma once

struct fuse_file {
	int fd;
	int daemon; /* process id */
	int waits_fd; /* of fuse_file_open_for_long(): an eventfd, readable once somebody waits; the caller closes it */
};

/* 0, or a negative errno where there is no FUSE for us. */
int fuse_file_open(struct fuse_file *ret_file);

/* The same, and who closes it waits too. */
int fuse_file_open_for_long(struct fuse_file *ret_file);

/* Whoever waits gets the error now. */
void fuse_file_close(struct fuse_file *file);
