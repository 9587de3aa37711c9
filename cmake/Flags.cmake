# Warnings, hardening and reproducibility. Libraries.cmake chooses how the program is linked.

string(TOLOWER "${CMAKE_SYSTEM_PROCESSOR}" processor)
if(processor MATCHES "^(x86_64|amd64)$")
	set(STACKTOOL_ARCH x86)
elseif(processor MATCHES "^(aarch64|arm64)$")
	set(STACKTOOL_ARCH arm64)
else()
	message(FATAL_ERROR "no port to ${CMAKE_SYSTEM_PROCESSOR} yet: x86_64 and aarch64")
endif()

# Kernel headers: 6.6 or newer, for uprobe.multi. Those of a cross compiler are older and come first, so the ones of the sysroot are named.
if(CMAKE_SYSROOT)
	foreach(directory ${CMAKE_SYSROOT}/usr/include/${CMAKE_LIBRARY_ARCHITECTURE} ${CMAKE_SYSROOT}/usr/include)
		add_compile_options("SHELL:-isystem ${directory}")
		string(APPEND CMAKE_REQUIRED_FLAGS " -isystem ${directory}")
	endforeach()
endif()
include(CheckSourceCompiles)
check_source_compiles(C "#include <linux/bpf.h>\nint main(void) { return BPF_TRACE_UPROBE_MULTI; }" NEW_KERNEL_HEADERS)
if(NOT NEW_KERNEL_HEADERS)
	message(FATAL_ERROR "linux/bpf.h is older than 6.6; './dev install' takes linux-libc-dev from bookworm-backports")
endif()

# Definitions for both the BPF programs and user space.
set(stacktool_definitions)
if(NOT STACKTOOL_UNWINDER)
	list(APPEND stacktool_definitions ST_WITHOUT_UNWINDER)
endif()

add_library(stacktool_flags INTERFACE)
target_include_directories(stacktool_flags INTERFACE ${PROJECT_SOURCE_DIR} ${GENERATED})
# Our xmalloc() and xcalloc() are renamed: libiberty's demangler needs xrealloc(), and the object that has it defines those names too.
target_compile_definitions(stacktool_flags INTERFACE _GNU_SOURCE _FILE_OFFSET_BITS=64
	xmalloc=st_xmalloc xcalloc=st_xcalloc ${stacktool_definitions})
target_compile_options(stacktool_flags INTERFACE
	-Wall -Wextra -Wshadow -Wstrict-prototypes -Wvla -Wmissing-prototypes -Wno-unused-parameter
	-Wno-missing-field-initializers
	$<$<BOOL:${STACKTOOL_WERROR}>:-Werror>
	# No strict aliasing, as in the kernel: __u64 and uint64_t are different types, and we read the same memory as both.
	-fno-common -fno-omit-frame-pointer -fno-strict-aliasing
	-ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -ffile-prefix-map=${PROJECT_BINARY_DIR}=build)

# Without cmake's -O3 -DNDEBUG: the program runs as root, so assertions stay.
set(CMAKE_C_FLAGS_RELEASE "-O2 -g")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g3")

# A distribution's own choice, such as level 3, stays.
set(fortify $<$<CONFIG:Release>:-U_FORTIFY_SOURCE$<SEMICOLON>-D_FORTIFY_SOURCE=2>)
if("${CMAKE_C_FLAGS} $ENV{CPPFLAGS}" MATCHES "_FORTIFY_SOURCE")
	set(fortify)
endif()

add_library(stacktool_hardening INTERFACE)
if(STACKTOOL_SANITIZE)
	# -g1 has what a report needs, functions and lines, and the tree builds in three quarters of the time.
	set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=undefined -g1)
	if(CMAKE_C_COMPILER_ID STREQUAL Clang)
		# clang's check refuses a null pointer plus 0, as of an empty vector. gcc's allows it, and so does C2y.
		list(APPEND sanitizers -fno-sanitize=pointer-overflow)
	endif()
	target_compile_options(stacktool_hardening INTERFACE ${sanitizers})
	target_link_options(stacktool_hardening INTERFACE ${sanitizers})
else()
	target_compile_options(stacktool_hardening INTERFACE
		-fstack-protector-strong -fstack-clash-protection -ffunction-sections -fdata-sections
		${fortify}
		$<$<STREQUAL:${STACKTOOL_ARCH},x86>:-fcf-protection> $<$<STREQUAL:${STACKTOOL_ARCH},arm64>:-mbranch-protection=standard>)
	target_link_options(stacktool_hardening INTERFACE
		-Wl,-z,relro,-z,now,-z,noexecstack,-z,separate-code -Wl,--gc-sections)
endif()
