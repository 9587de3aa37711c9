# Warnings, hardening and reproducibility. The link kind is decided in Libraries.cmake.

string(TOLOWER "${CMAKE_SYSTEM_PROCESSOR}" processor)
if(processor MATCHES "^(x86_64|amd64)$")
	set(STACKTOOL_ARCH x86)
elseif(processor MATCHES "^(aarch64|arm64)$")
	set(STACKTOOL_ARCH arm64)
else()
	message(FATAL_ERROR "no port to ${CMAKE_SYSTEM_PROCESSOR} yet: x86_64 and aarch64")
endif()

# Kernel headers: 6.6 brought uprobe.multi. A cross compiler's own may be older, so there the native ones come first;
# what differs between architectures is not below linux/.
if(STACKTOOL_CROSS)
	file(MAKE_DIRECTORY ${GENERATED}/kernel-headers)
	file(CREATE_LINK /usr/include/linux ${GENERATED}/kernel-headers/linux SYMBOLIC)
	file(CREATE_LINK /usr/include/asm-generic ${GENERATED}/kernel-headers/asm-generic SYMBOLIC)
	include_directories(BEFORE SYSTEM ${GENERATED}/kernel-headers)
else()
	include(CheckSourceCompiles)
	check_source_compiles(C "#include <linux/bpf.h>\nint main(void) { return BPF_TRACE_UPROBE_MULTI; }" NEW_KERNEL_HEADERS)
	if(NOT NEW_KERNEL_HEADERS)
		message(FATAL_ERROR "linux/bpf.h is older than 6.6; './dev install' takes linux-libc-dev from bookworm-backports")
	endif()
endif()

# What both sides of the kernel border are compiled with.
set(stacktool_definitions)
if(NOT STACKTOOL_UNWINDER)
	list(APPEND stacktool_definitions ST_WITHOUT_UNWINDER)
endif()

add_library(stacktool_flags INTERFACE)
target_include_directories(stacktool_flags INTERFACE ${PROJECT_SOURCE_DIR} ${GENERATED})
# libiberty's demangler has an xmalloc.o with the same names; it wants its xrealloc, and then both would be linked.
target_compile_definitions(stacktool_flags INTERFACE _GNU_SOURCE _FILE_OFFSET_BITS=64
	xmalloc=st_xmalloc xcalloc=st_xcalloc ${stacktool_definitions})
target_compile_options(stacktool_flags INTERFACE
	-Wall -Wextra -Wshadow -Wstrict-prototypes -Wvla -Wmissing-prototypes -Wno-unused-parameter
	-Wno-missing-field-initializers
	$<$<BOOL:${STACKTOOL_WERROR}>:-Werror>
	# As in the kernel: __u64 and uint64_t are different types to the compiler, and we read records of both.
	-fno-common -fno-omit-frame-pointer -fno-strict-aliasing
	-ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -ffile-prefix-map=${PROJECT_BINARY_DIR}=build)

# Debian's cmake says -O3 -DNDEBUG; the assertions stay, they guard a program that runs as root.
set(CMAKE_C_FLAGS_RELEASE "-O2 -g")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g3")

add_library(stacktool_hardening INTERFACE)
if(STACKTOOL_SANITIZE)
	set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=undefined)
	if(CMAKE_C_COMPILER_ID STREQUAL Clang)
		# It would stop at a null pointer plus 0, as of an empty vector, which C2y allows and gcc's lets pass; a pointer
		# that has wrapped is found where it is used.
		list(APPEND sanitizers -fno-sanitize=pointer-overflow)
	endif()
	target_compile_options(stacktool_hardening INTERFACE ${sanitizers})
	target_link_options(stacktool_hardening INTERFACE ${sanitizers})
else()
	target_compile_options(stacktool_hardening INTERFACE
		-fstack-protector-strong -fstack-clash-protection -ffunction-sections -fdata-sections
		$<$<CONFIG:Release>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>
		$<$<STREQUAL:${STACKTOOL_ARCH},x86>:-fcf-protection>)
	target_link_options(stacktool_hardening INTERFACE
		-Wl,-z,relro,-z,now,-z,noexecstack,-z,separate-code -Wl,--gc-sections)
endif()
