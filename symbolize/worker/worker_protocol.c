/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/worker/worker_protocol.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static size_t element_size_of(uint32_t kind)
{
	static const uint16_t sizes[MESSAGE_NR] = {
		[MESSAGE_NAME] = sizeof(struct wire_query),          [MESSAGE_EXPLAIN] = sizeof(struct wire_query),
		[MESSAGE_LINES] = sizeof(struct wire_query),         [MESSAGE_NAMES] = sizeof(struct wire_answer),
		[MESSAGE_FUNCTIONS] = sizeof(struct wire_function),  [MESSAGE_USDT] = sizeof(struct wire_usdt),
		[MESSAGE_SOURCES] = sizeof(struct wire_source),      [MESSAGE_SUGGESTIONS] = sizeof(struct wire_text),
		[MESSAGE_FIND_ENDS] = sizeof(struct wire_query),     [MESSAGE_ENDS] = sizeof(struct wire_end),
		[MESSAGE_UNWIND_TABLE] = sizeof(struct wire_unwind), [MESSAGE_UNWIND_PART] = sizeof(uint32_t),
	};

	return kind < MESSAGE_NR ? sizes[kind] : 0;
}

/* MESSAGE_UNWIND_PART has no text, so its elements may fill the body. */
static size_t elements_max(uint32_t kind)
{
	size_t element_size = element_size_of(kind);
	size_t room = kind == MESSAGE_UNWIND_PART ? MESSAGE_BODY_MAX_BYTES : MESSAGE_ELEMENTS_MAX_BYTES;

	return element_size ? room / element_size : 0;
}

bool message_is_valid(const struct message *message, size_t nr_body)
{
	const struct message_header *header = &message->header;
	size_t element_size = element_size_of(header->kind);

	if (!header->kind || header->kind >= MESSAGE_NR || nr_body > MESSAGE_BODY_MAX_BYTES)
		return false;
	if (header->nr > elements_max(header->kind) || header->nr_text > MESSAGE_TEXT_MAX_BYTES)
		return false;
	if (header->nr * element_size + header->nr_text != nr_body)
		return false;
	return !header->nr_text || message->body[nr_body - 1] == '\0';
}

/* Takes the descriptor out of the control data, which has room for one. */
static int descriptor_of(struct msghdr *packet)
{
	struct cmsghdr *control = CMSG_FIRSTHDR(packet);
	int fd;

	if (!control || control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS ||
	    control->cmsg_len != CMSG_LEN(sizeof(fd)))
		return -1;
	memcpy(&fd, CMSG_DATA(control), sizeof(fd));
	return fd;
}

int message_receive(int socket, bool wait, struct message *message, int *ret_fd)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
	struct iovec parts[] = { { &message->header, sizeof(message->header) },
				 { message->body, sizeof(message->body) } };
	struct msghdr packet = {
		.msg_iov = parts,
		.msg_iovlen = 2,
		.msg_control = ret_fd ? control : NULL,
		.msg_controllen = ret_fd ? sizeof(control) : 0,
	};
	ssize_t got;
	int fd;

	do
		got = recvmsg(socket, &packet, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK ? -EAGAIN : -EPIPE;
	if (!got)
		return -EPIPE;
	fd = ret_fd ? descriptor_of(&packet) : -1;
	/* If there was no room for the descriptor (MSG_CTRUNC), it is missing. Receivers that need one check for that. */
	if (packet.msg_flags & MSG_TRUNC || (size_t)got < sizeof(message->header) ||
	    !message_is_valid(message, (size_t)got - sizeof(message->header))) {
		if (fd >= 0)
			close(fd);
		return -EPROTO;
	}
	if (ret_fd)
		*ret_fd = fd;
	return 0;
}

void message_element(const struct message *message, uint32_t i, void *ret_element, size_t element_size)
{
	memcpy(ret_element, message->body + i * element_size, element_size);
}

const char *message_text(const struct message *message, uint32_t position)
{
	if (position >= message->header.nr_text)
		return NULL;
	return (const char *)message->body + message->header.nr * element_size_of(message->header.kind) + position;
}

void draft_start(struct draft *draft, enum message_kind kind, uint32_t file)
{
	draft->header = (struct message_header){ .kind = kind, .file = file };
	if (element_size_of(kind))
		draft->text[draft->header.nr_text++] = '\0';
}

bool draft_text(struct draft *draft, const char *text, size_t nr_bytes, uint32_t *ret_position)
{
	uint32_t place = draft->header.nr_text;

	if (nr_bytes >= MESSAGE_TEXT_MAX_BYTES - place)
		return false;
	memcpy(draft->text + place, text, nr_bytes);
	draft->text[place + nr_bytes] = '\0';
	draft->header.nr_text = place + (uint32_t)nr_bytes + 1;
	*ret_position = place;
	return true;
}

bool draft_element(struct draft *draft, const void *element, size_t element_size)
{
	size_t place = draft->header.nr * element_size;

	if (place + element_size > MESSAGE_ELEMENTS_MAX_BYTES)
		return false;
	memcpy(draft->elements + place, element, element_size);
	draft->header.nr++;
	return true;
}

static int send_packet(int socket, const struct msghdr *packet, bool wait)
{
	ssize_t sent;

	do
		sent = sendmsg(socket, packet, MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT));
	while (sent < 0 && errno == EINTR);
	if (sent >= 0)
		return 0;
	return errno == EAGAIN || errno == EWOULDBLOCK ? -EAGAIN : -EPIPE;
}

int draft_send(const struct draft *draft, int socket, bool wait, int fd)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
	const struct message_header *header = &draft->header;
	struct iovec parts[] = {
		{ (void *)header, sizeof(*header) },
		{ (void *)draft->elements, header->nr * element_size_of(header->kind) },
		{ (void *)draft->text, header->nr_text },
	};
	struct msghdr packet = { .msg_iov = parts, .msg_iovlen = 3 };

	if (fd >= 0) {
		struct cmsghdr *first;

		packet.msg_control = control;
		packet.msg_controllen = sizeof(control);
		first = CMSG_FIRSTHDR(&packet);
		*first = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(fd)),
					   .cmsg_level = SOL_SOCKET,
					   .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(first), &fd, sizeof(fd));
	}
	return send_packet(socket, &packet, wait);
}

int message_send_words(int socket, enum message_kind kind, uint32_t file, const void *words, uint32_t nr)
{
	struct message_header header = { .kind = kind, .file = file, .nr = nr };
	struct iovec parts[] = {
		{ &header, sizeof(header) },
		{ (void *)words, nr * sizeof(uint32_t) },
	};
	struct msghdr packet = { .msg_iov = parts, .msg_iovlen = 2 };

	return send_packet(socket, &packet, true);
}
