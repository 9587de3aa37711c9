/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All losses, with the sentence that the report prints after the number. docs/reference/losses.md explains them to users. A header of their
 * own, because core/profile describes losses and must not see the rest of the ABI.
 *
 *   EVENT  the event is not in any count
 *   STACK  the count is right, but the stack is missing, truncated or without names
 *   SAMPLE a timed sample that the kernel never delivered
 *   NOTE   nothing is missing from the result
 *
 * X(name, class, sentence). Do not rename a loss: saved profiles contain `name`. "{one|many}" in a sentence depends on the number before
 * it.
 */
#pragma once

/* Counted by the BPF programs for each event that they see: seen = filtered + recorded + SPILLED + those of class EVENT. */
#define ST_KERNEL_LOSSES(X)                                                                                          \
	X(NO_SLOT, EVENT, "{event|events} not recorded: all scratch slots of the CPU were busy")                     \
	X(COUNT_REFUSED, EVENT,                                                                                      \
	  "{event|events} not counted: the count map was full or busy and the ring was full too")                    \
	X(NO_MAP, EVENT, "{event|events} not counted: no live count map")                                            \
	X(RING_FULL, NOTE, "{record|records} delayed: the ring was full")                                            \
	X(SPILLED, NOTE, "{event|events} counted through the ring: the count map was full or busy")                  \
	X(KERNEL_STACK, STACK, "kernel {stack|stacks} could not be walked")                                          \
	X(USER_STACK, STACK, "user {stack|stacks} could not be walked")                                              \
	X(STATE_FULL, EVENT, "{wait|waits} not recorded: the table of threads was full")                             \
	X(SWITCH_MISSED, EVENT,                                                                                      \
	  "{wait|waits} not counted: the kernel did not report the context switch at {its|their} start or end")      \
	X(STALE, NOTE, "stale {entry|entries} ignored: the {thread|threads} had exited")                             \
	X(NO_START, NOTE,                                                                                            \
	  "{thread was|threads were} already off the CPU when tracing began: {its|their} first wait is not counted") \
	X(EVENT_DROPPED, EVENT, "{event|events} not shown: the ring was full")                                       \
	X(WAKER_LOST, STACK, "{waker|wakers} not recorded: all scratch slots of the CPU were busy")                  \
	X(KERNEL_TRUNCATED, STACK, "kernel {stack|stacks} truncated at 127 frames")                                  \
	X(USER_ROOT, NOTE, "user {stack|stacks} complete")                                                           \
	X(USER_GUESSED, STACK,                                                                                       \
	  "user {stack|stacks} guessed: a caller of code without unwind information is not proved")                  \
	X(USER_NO_PROCESS, NOTE, "user {stack|stacks} walked by frame pointers: no unwind tables yet")               \
	X(USER_NOT_64BIT, NOTE, "user {stack|stacks} of 32-bit code walked by frame pointers")                       \
	X(USER_NO_MAPPING, STACK, "user {stack|stacks} truncated: code outside the known mappings")                  \
	X(USER_NO_ROW, STACK,                                                                                        \
	  "user {stack|stacks} truncated: code with neither unwind information nor frame pointers")                  \
	X(USER_NO_TABLE, STACK, "user {stack|stacks} truncated: the unwind table of the code was not ready")         \
	X(USER_UNSUPPORTED, STACK, "user {stack|stacks} truncated: unsupported unwind rule")                         \
	X(USER_CUT, STACK, "user {stack|stacks} truncated: the process has too many mappings")                       \
	X(USER_LOST, STACK, "user {stack|stacks} truncated: the unwind rule needs a register that is not tracked")   \
	X(USER_BAD_CFA, STACK, "user {stack|stacks} truncated: invalid frame address")                               \
	X(USER_UNREADABLE, STACK, "user {stack|stacks} truncated: stack memory could not be read")                   \
	X(USER_TRUNCATED, STACK, "user {stack|stacks} truncated at 127 frames")                                      \
	X(USER_DEEP, STACK, "user {stack|stacks} truncated at 127 frames: too many deep stacks in a second")         \
	X(USER_EXEC, NOTE, "user {stack|stacks} in execve(): the old stack was gone, the new one not in use yet")    \
	X(CALL_DEEP, EVENT, "{call|calls} not timed: nested in 64 others")                                           \
	X(CALL_FULL, EVENT, "{call|calls} not timed: the table of threads was full")                                 \
	X(CALL_NO_RETURN, NOTE, "{call|calls} ended without return (exception, longjmp, end of thread): not timed")  \
	X(CALL_PARTS, STACK, "{event|events} of slow calls counted without stack: a call had too many")              \
	X(CALL_NO_ROOM, STACK, "{call|calls} counted without stacks: the table of threads was full")                 \
	X(CALL_NO_BEGIN, NOTE,                                                                                       \
	  "{call|calls} not timed: {it|they} began before the run, or {its|their} beginning was missed")

/* Counted in user space, by the kernel, or by the BPF programs but not for each event. */
#define ST_USER_LOSSES(X)                                                                                                                     \
	X(STACK_LOST, STACK, "{event was|events were} counted but {its|their} stack was lost: the ring was full")                             \
	X(BAD_MESSAGE, EVENT, "malformed {message|messages} from the BPF programs")                                                           \
	X(SAMPLE_LATE, SAMPLE, "{sample|samples} came late: the kernel's timer was delayed")                                                  \
	X(SAMPLE_SKIPPED, SAMPLE, "{sample|samples} skipped: another BPF program was running on the CPU")                                     \
	X(SAMPLE_IDLE, SAMPLE, "{sample|samples} of idle CPUs not delivered by this kernel")                                                  \
	X(CPU_UNSAMPLED, SAMPLE,                                                                                                              \
	  "{millisecond|milliseconds} in which an online CPU was not sampled: its samples are missing")                                       \
	X(RECURSION, EVENT, "{event|events} missed: our program was already running on the CPU")                                              \
	X(LINK_MISSED, EVENT, "{event|events} missed: the kernel was inside another probe on the CPU")                                        \
	X(CHILD_LOST, EVENT,                                                                                                                  \
	  "{process|processes} not followed: the table of children was full or {its|their} fork was missed")                                  \
	X(SIDEBAND, STACK, "address space {record|records} lost: user frames may have no names")                                              \
	X(DRAIN_FAILED, EVENT, "{event|events} lost: a map of counts could not be read")                                                      \
	X(DETACHED, EVENT,                                                                                                                    \
	  "{millisecond|milliseconds} in which a probe was detached to limit the cost (--max-overhead)")                                      \
	X(CUT, EVENT,                                                                                                                         \
	  "{millisecond|milliseconds} after its start the run was ended to limit its cost (--max-overhead)")                                  \
	X(MOVED, STACK, "{thread|threads} shown without user stack: moved while being read")                                                  \
	X(NOT_SAMPLED, STACK, "{thread|threads} shown without stack: running, but no sample came")                                            \
	X(INTERPRETER, STACK, "{thread|threads} shown with Python frames missing: they could not be read")                                    \
	X(PYTHON, STACK, "{stack|stacks} with frames of Python or PHP that are missing or have no name")                                      \
	X(WALL_ODD, STACK,                                                                                                                    \
	  "impossible {transition|transitions} between states: a context switch or a new thread was not seen; the time before it is unknown") \
	X(WALL_DIFFERS, EVENT, "{nanosecond|nanoseconds} by which states and lifetimes of threads differ")                                    \
	X(WALL_SAMPLED, NOTE,                                                                                                                 \
	  "{wait|waits} without a stack of {its|their} own: they share those of waits that were sampled by duration")                         \
	X(CALL_OPEN, NOTE, "{call|calls} had not ended when the run ended: not timed")                                                        \
	X(OWNERS_FULL, STACK, "{thread|threads} not known to own locks: the table of threads was full")

#define ST_LOSSES(X)        \
	ST_KERNEL_LOSSES(X) \
	ST_USER_LOSSES(X)

enum st_loss {
#define X(name, class, sentence) ST_LOSS_##name,
	ST_LOSSES(X)
#undef X
	ST_NR_LOSSES
};

/* The number of losses in ST_KERNEL_LOSSES, which come first. */
enum {
#define X(name, class, sentence) +1
	ST_NR_KERNEL_LOSSES = 0 ST_KERNEL_LOSSES(X)
#undef X
};
