# Compiles each bpf/*.bpf.c, links the objects to stacktool.bpf.o, and makes its skeleton stacktool.skel.h. The build host's kernel
# does not matter: kernel types are in bpf/kernel.h.

find_program(BPF_CLANG NAMES clang-19 clang-22 clang-21 clang-20 clang-18 clang-17 clang-16 clang-15 clang-14 clang
	REQUIRED)
get_filename_component(clang_real ${BPF_CLANG} REALPATH)
get_filename_component(clang_bin ${clang_real} DIRECTORY)
find_program(BPF_OBJDUMP NAMES llvm-objdump HINTS ${clang_bin} NO_DEFAULT_PATH)
find_program(BPF_OBJDUMP NAMES llvm-objdump-19 llvm-objdump)
find_program(BPFTOOL bpftool HINTS /usr/sbin /sbin REQUIRED)
execute_process(COMMAND ${BPF_CLANG} -dumpversion OUTPUT_VARIABLE STACKTOOL_CLANG_VERSION OUTPUT_STRIP_TRAILING_WHITESPACE)
if(STACKTOOL_CLANG_VERSION VERSION_LESS 14)
	message(FATAL_ERROR "clang ${STACKTOOL_CLANG_VERSION} is too old for the BPF object: 14 is needed, 19 is best")
endif()

set(bpf_flags -O2 -g -target bpf -mcpu=${STACKTOOL_BPF_CPU} -D__TARGET_ARCH_${STACKTOOL_ARCH} -std=gnu11
	-Wall -Wextra -Wshadow -Wno-unused-parameter -Wno-unknown-attributes $<$<BOOL:${STACKTOOL_WERROR}>:-Werror>
	-I${PROJECT_SOURCE_DIR} -I${PROJECT_BINARY_DIR}/generated
	# for asm/types.h; the libc headers come after all others
	-idirafter ${CMAKE_SYSROOT}/usr/include/${CMAKE_LIBRARY_ARCHITECTURE}
	-ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -fdebug-compilation-dir=.)

# stacktool_bpf(OUTPUT dir NAME name SOURCES ... [DEFINES ...]): dir/name.bpf.o and dir/name.skel.h
function(stacktool_bpf)
	cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUTPUT;NAME" "SOURCES;DEFINES")
	set(objects)
	list(TRANSFORM arg_DEFINES PREPEND -D)
	foreach(source IN LISTS arg_SOURCES)
		get_filename_component(stem ${source} NAME)
		string(REGEX REPLACE "\\.bpf\\.c$" "" stem ${stem})
		set(object ${arg_OUTPUT}/${arg_NAME}.parts/${stem}.o)
		add_custom_command(OUTPUT ${object}
			COMMAND ${BPF_CLANG} ${bpf_flags} ${arg_DEFINES} -MD -MF ${object}.d -MT ${object} -c ${source} -o ${object}
			DEPENDS ${source}
			DEPFILE ${object}.d
			COMMENT "BPF ${stem}" VERBATIM)
		list(APPEND objects ${object})
	endforeach()
	file(MAKE_DIRECTORY ${arg_OUTPUT}/${arg_NAME}.parts)
	add_custom_command(OUTPUT ${arg_OUTPUT}/${arg_NAME}.bpf.o
		COMMAND ${BPFTOOL} gen object ${arg_OUTPUT}/${arg_NAME}.bpf.o ${objects}
		DEPENDS ${objects}
		COMMENT "BPF object ${arg_NAME}" VERBATIM)
	add_custom_command(OUTPUT ${arg_OUTPUT}/${arg_NAME}.skel.h
		COMMAND sh -c "'${BPFTOOL}' gen skeleton ${arg_NAME}.bpf.o name ${arg_NAME} > ${arg_NAME}.skel.h.new && mv ${arg_NAME}.skel.h.new ${arg_NAME}.skel.h"
		WORKING_DIRECTORY ${arg_OUTPUT}
		DEPENDS ${arg_OUTPUT}/${arg_NAME}.bpf.o
		COMMENT "BPF skeleton ${arg_NAME}" VERBATIM)
endfunction()

# maps.bpf.c is linked first: libbpf's linker (1.5) gives a map the offset 0 if it finds an extern declaration before the definition.
file(GLOB bpf_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bpf/*.bpf.c)
set(definitions ${bpf_sources})
list(FILTER definitions INCLUDE REGEX "/maps\\.bpf\\.c$")
list(FILTER bpf_sources EXCLUDE REGEX "/maps\\.bpf\\.c$")
list(PREPEND bpf_sources ${definitions})
stacktool_bpf(OUTPUT ${GENERATED} NAME stacktool SOURCES ${bpf_sources} DEFINES ${stacktool_definitions})
add_custom_target(stacktool_skeleton ALL DEPENDS ${GENERATED}/stacktool.skel.h)
