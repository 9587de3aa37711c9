# Makes a ctest test of every test in every layer. docs/hacking.md describes the files.
#
#   tests/unit tests/golden    C programs; need nothing
#   tests/bpf                  C programs; need root
#   tests/e2e                  C programs and scripts; need root; run on this host and in the guests
#   tests/fuzz                 fuzz targets: the layer fuzz runs each with its corpus; the layer fuzzing continues with libFuzzer, in
#                              the tree build/fuzz-clang, which the test fuzzing.build builds
#   tests/lint                 scripts
#   tests/clients              scripts with other programs that read our formats
#   tests/soak                 every applet at once for hours, here for a minute; attacks on a running tool
#   tests/vm                   one boot per line of tests/vm/boots, one ctest test per guest test and boot
#
# The asan layer is unit, golden, fuzz, bpf and e2e again, in the tree build/asan, which the test asan.build builds.

# PROCESSORS of the tests. `ctest -j 5` is for two CPUs: five tests run at once, or three and a guest or a build, or one and two of
# those. (Guests wait for their clocks at times, so one test can run beside two of them.) A test with "alone" runs alone.
set(one_test 1)
set(one_guest 2)
set(one_build 2)
set(whole_host 5)

# COST of the tests; those with the highest begin first: the trees that others wait for, then guests, which take longest, then
# fuzzers, then tests with the sanitizers, of which one takes two minutes. (CI does not know the times of an earlier run.)
set(cost_of_build 1000)
set(cost_of_guest 100)
set(cost_of_fuzzing 50)
set(cost_of_asan 10)

set(asan_tree ${PROJECT_SOURCE_DIR}/build/asan)
set(tests ${PROJECT_SOURCE_DIR}/tests)
set(guest ${PROJECT_BINARY_DIR}/guest)
set(guest_tests "") # NAME;... of the files in guest/tests
set(guest_files "") # contents of the image, for dependencies
set(guest_all ALL)
if(STACKTOOL_SANITIZE OR NOT CMAKE_BUILD_TYPE STREQUAL Release)
	set(guest_all)
endif()

set(DIRECTIVE "^[ \t/*#]*ctest:")

# Reads the words of the "ctest:" line of a test file: tests/README.md explains them.
function(read_directives file result)
	file(STRINGS ${file} lines REGEX "${DIRECTIVE}" LIMIT_COUNT 1)
	string(REGEX REPLACE "${DIRECTIVE}|\\*/" "" words "${lines}")
	separate_arguments(words UNIX_COMMAND "${words}")
	set(${result} "${words}" PARENT_SCOPE)
	set(${result}_timeout 300 PARENT_SCOPE)
	set(${result}_boots "." PARENT_SCOPE)
	set(${result}_libs "" PARENT_SCOPE)
	set(${result}_flags "" PARENT_SCOPE)
	foreach(word IN LISTS words)
		if(word MATCHES "^(timeout|boots|libs|flags)=(.*)$")
			string(REPLACE "," ";" value "${CMAKE_MATCH_2}")
			set(${result}_${CMAKE_MATCH_1} "${value}" PARENT_SCOPE)
		endif()
	endforeach()
endfunction()

# A C file of a test folder is a program if it has a main() or a TEST() (tests/harness.h). Other files are linked into all programs
# of the folder.
function(split_programs pattern programs support)
	file(GLOB files CONFIGURE_DEPENDS ${pattern})
	foreach(file IN LISTS files)
		file(STRINGS ${file} main REGEX "^int main\\(|LLVMFuzzerTestOneInput\\(|^[A-Z_]*TEST\\(" LIMIT_COUNT 1)
		if(main)
			list(APPEND with ${file})
		else()
			list(APPEND without ${file})
		endif()
	endforeach()
	set(${programs} "${with}" PARENT_SCOPE)
	set(${support} "${without}" PARENT_SCOPE)
endfunction()

function(short_name file result)
	get_filename_component(name ${file} NAME)
	string(REGEX REPLACE "\\.(c|sh)$" "" name ${name})
	string(REGEX REPLACE "^test_" "" name ${name})
	set(${result} ${name} PARENT_SCOPE)
endfunction()

function(set_test_environment name binaries timeout)
	set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${timeout} WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
		PROCESSORS ${one_test} ENVIRONMENT "STACKTOOL=${binaries}/stacktool;FIXTURES=${binaries}/fixtures;VARIANTS=${PROJECT_BINARY_DIR}/variants;SOURCE=${PROJECT_SOURCE_DIR};BUILD=${binaries};ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:exitcode=99;UBSAN_OPTIONS=print_stacktrace=1;LC_ALL=C.UTF-8")
endfunction()

# Makes a test run alone, whatever -j is, if the caller's `words` contain "alone".
function(run_alone name)
	if("alone" IN_LIST words)
		set_tests_properties(${name} PROPERTIES RUN_SERIAL ON PROCESSORS ${whole_host})
	endif()
endfunction()

# layer_test(layer name timeout command...): adds a test, and for the sanitized tree another. `@BIN@` in the command is the build
# tree. It reads the caller's `words`.
function(layer_test layer name timeout)
	string(REPLACE "@BIN@" "${PROJECT_BINARY_DIR}" command "${ARGN}")
	add_test(NAME ${layer}.${name} COMMAND ${command})
	set_test_environment(${layer}.${name} ${PROJECT_BINARY_DIR} ${timeout})
	set_tests_properties(${layer}.${name} PROPERTIES LABELS ${layer} RESOURCE_LOCK ${layer}.${name})
	run_alone(${layer}.${name})
	if(NOT PROJECT_BINARY_DIR STREQUAL "${PROJECT_SOURCE_DIR}/build" OR "plain" IN_LIST words)
		return()
	endif()
	string(REPLACE "@BIN@" "${asan_tree}" command "${ARGN}")
	math(EXPR slower "${timeout} * 3")
	add_test(NAME asan.${layer}.${name} COMMAND ${command})
	set_test_environment(asan.${layer}.${name} ${asan_tree} ${slower})
	set_property(TEST asan.${layer}.${name} APPEND PROPERTY ENVIRONMENT SANITIZED=1)
	set_tests_properties(asan.${layer}.${name} PROPERTIES LABELS asan FIXTURES_REQUIRED asan_tree COST ${cost_of_asan}
		RESOURCE_LOCK ${layer}.${name}) # not beside itself
	run_alone(asan.${layer}.${name})
endfunction()

# ---- C layers ----

find_package(PkgConfig REQUIRED)
pkg_check_modules(cmocka IMPORTED_TARGET cmocka)
pkg_check_modules(jansson IMPORTED_TARGET jansson) # reads the program's JSON

# cmocka exists as a shared library only, so the tests are linked dynamically.
add_library(stacktool_test_libraries INTERFACE)
target_link_libraries(stacktool_test_libraries INTERFACE ${library_names} pthread PkgConfig::jansson)
target_link_options(stacktool_test_libraries INTERFACE $<IF:$<STREQUAL:${STACKTOOL_LINK_KIND},static>,-no-pie,-pie>)

add_library(test_harness STATIC ${tests}/harness.c ${tests}/harness_main.c)
target_link_libraries(test_harness PUBLIC stacktool_flags stacktool_hardening PkgConfig::cmocka)

function(c_layer layer)
	split_programs(${tests}/${layer}/*.c programs support)
	list(FILTER support EXCLUDE REGEX "\\.bpf\\.c$")
	file(GLOB bpf CONFIGURE_DEPENDS ${tests}/${layer}/*.bpf.c)
	foreach(source IN LISTS bpf)
		get_filename_component(name ${source} NAME)
		string(REGEX REPLACE "\\.bpf\\.c$" "" name ${name})
		stacktool_bpf(OUTPUT ${GENERATED} NAME ${name} SOURCES ${source})
		list(APPEND skeletons ${GENERATED}/${name}.skel.h)
	endforeach()
	set(library "")
	if(support)
		set(library ${layer}_support)
		add_library(${library} STATIC ${support} ${skeletons})
		target_link_libraries(${library} PRIVATE stacktool_flags stacktool_hardening PkgConfig::cmocka)
		target_compile_definitions(${library} PRIVATE ST_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
		add_dependencies(${library} stacktool_generated)
	endif()
	foreach(source IN LISTS programs)
		short_name(${source} name)
		read_directives(${source} words)
		set(target ${layer}_${name})
		add_executable(${target} ${source} ${skeletons})
		target_link_libraries(${target} PRIVATE stacktool_flags stacktool_hardening ${library}
			$<LINK_GROUP:RESCAN,stackapplets,stackcore> test_harness stacktool_test_libraries)
		target_compile_definitions(${target} PRIVATE ST_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
		add_dependencies(${target} stacktool_generated)
		set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}
			RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${layer})
		layer_test(${layer} ${name} ${words_timeout} @BIN@/${layer}/${name})
	endforeach()
	file(GLOB scripts CONFIGURE_DEPENDS ${tests}/${layer}/*.sh)
	foreach(script IN LISTS scripts)
		file(STRINGS ${script} first LIMIT_COUNT 1)
		if(first MATCHES "^#!")
			short_name(${script} name)
			read_directives(${script} words)
			layer_test(${layer} ${name} ${words_timeout} ${script})
		endif()
	endforeach()
endfunction()

if(cmocka_FOUND)
	c_layer(unit)
	c_layer(golden)
	c_layer(bpf)
else()
	message(STATUS "no cmocka: no unit, golden and bpf tests")
endif()

# ---- fuzz targets ----

option(STACKTOOL_FUZZ "Build the fuzz targets with clang's libFuzzer" OFF)
split_programs(${tests}/fuzz/*.c fuzz_programs fuzz_support)
add_custom_target(fuzz_targets)
foreach(source IN LISTS fuzz_programs)
	short_name(${source} name)
	string(REGEX REPLACE "^fuzz_" "" name ${name})
	add_executable(fuzz_${name} ${source} ${fuzz_support})
	target_link_libraries(fuzz_${name} PRIVATE stacktool_flags stacktool_hardening
		$<LINK_GROUP:RESCAN,stackapplets,stackcore> stacktool_test_libraries)
	add_dependencies(fuzz_${name} stacktool_generated)
	target_compile_options(fuzz_${name} PRIVATE -Wno-missing-prototypes)
	add_dependencies(fuzz_targets fuzz_${name})
	set_target_properties(fuzz_${name} PROPERTIES OUTPUT_NAME ${name}
		RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
	if(STACKTOOL_FUZZ)
		target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
	else()
		target_sources(fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/fuzz_once.c)
		layer_test(fuzz ${name} 300 @BIN@/fuzz/${name} ${tests}/fuzz/corpus/${name} ${tests}/data)
	endif()
	if(PROJECT_BINARY_DIR STREQUAL "${PROJECT_SOURCE_DIR}/build")
		add_test(NAME fuzzing.${name} COMMAND ${tests}/fuzz/run ${PROJECT_BINARY_DIR}/fuzz-clang ${name})
		set_test_environment(fuzzing.${name} ${PROJECT_BINARY_DIR} 600)
		set_tests_properties(fuzzing.${name} PROPERTIES LABELS fuzzing FIXTURES_REQUIRED fuzz_tree
			PROCESSORS ${one_test} COST ${cost_of_fuzzing})
	endif()
endforeach()
if(PROJECT_BINARY_DIR STREQUAL "${PROJECT_SOURCE_DIR}/build")
	add_test(NAME fuzzing.build COMMAND ${tests}/fuzz/build)
	set_test_environment(fuzzing.build ${PROJECT_BINARY_DIR} 1200)
	set_tests_properties(fuzzing.build PROPERTIES LABELS fuzzing WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
		FIXTURES_SETUP fuzz_tree PROCESSORS ${one_build} COST ${cost_of_build})
endif()

# ---- fixtures: with frame pointers, a static and a dynamic build of each ----

set(fixture_flags -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls $<$<C_COMPILER_ID:GNU>:-fno-ipa-icf> -Wall -Wextra -pthread
	-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
file(GLOB fixture_sources CONFIGURE_DEPENDS ${tests}/fixtures/*.c)
set(fixture_directory ${PROJECT_BINARY_DIR}/fixtures)
foreach(source IN LISTS fixture_sources)
	get_filename_component(name ${source} NAME_WE)
	if(name MATCHES "^lib(.*)$")
		read_directives(${source} words)
		add_library(fixture_${name} SHARED ${source})
		set_target_properties(fixture_${name} PROPERTIES OUTPUT_NAME ${CMAKE_MATCH_1}
			LIBRARY_OUTPUT_DIRECTORY ${fixture_directory})
		target_compile_options(fixture_${name} PRIVATE ${fixture_flags} ${words_flags})
		target_include_directories(fixture_${name} PRIVATE ${PROJECT_SOURCE_DIR})
		list(APPEND guest_files $<TARGET_FILE:fixture_${name}>)
		list(APPEND guest_targets fixture_${name})
	endif()
endforeach()
foreach(source IN LISTS fixture_sources)
	get_filename_component(name ${source} NAME_WE)
	if(name MATCHES "^lib")
		continue()
	endif()
	read_directives(${source} words)
	set(library_sources ${words_libs})
	list(TRANSFORM library_sources PREPEND ${tests}/fixtures/)
	list(TRANSFORM library_sources APPEND .c)
	add_executable(fixture_${name} ${source} ${library_sources})
	target_link_options(fixture_${name} PRIVATE -static -no-pie)
	target_compile_options(fixture_${name} PRIVATE ${fixture_flags} -fno-pie ${words_flags})
	add_executable(fixture_${name}-dyn ${source})
	target_link_options(fixture_${name}-dyn PRIVATE -pie)
	target_compile_options(fixture_${name}-dyn PRIVATE ${fixture_flags} -fPIE ${words_flags})
	foreach(library IN LISTS words_libs)
		target_link_libraries(fixture_${name}-dyn PRIVATE fixture_${library})
	endforeach()
	foreach(kind "" -dyn)
		target_compile_definitions(fixture_${name}${kind} PRIVATE _GNU_SOURCE)
		target_include_directories(fixture_${name}${kind} PRIVATE ${PROJECT_SOURCE_DIR})
		target_link_options(fixture_${name}${kind} PRIVATE -pthread)
		set_target_properties(fixture_${name}${kind} PROPERTIES OUTPUT_NAME ${name}${kind}
			BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN" RUNTIME_OUTPUT_DIRECTORY ${fixture_directory})
		list(APPEND guest_files $<TARGET_FILE:fixture_${name}${kind}>)
		list(APPEND guest_targets fixture_${name}${kind})
		list(APPEND fixture_targets fixture_${name}${kind})
	endforeach()
endforeach()

# Other static programs: position independent, and with musl if the host has it; with musl also a dynamic one.
find_program(MUSL_GCC musl-gcc)
function(static_fixture name kind)
	set(output ${fixture_directory}/${name}-${kind})
	set(source ${tests}/fixtures/${name}.c)
	add_custom_command(OUTPUT ${output}
		COMMAND ${ARGN} -O1 -g -D_GNU_SOURCE -DSTATIC -pthread -fno-optimize-sibling-calls
			-I${PROJECT_SOURCE_DIR} -o ${output} ${source}
		DEPENDS ${source} ${tests}/fixtures/fixture.h VERBATIM)
	add_custom_target(fixture_${name}-${kind} ALL DEPENDS ${output})
	set(guest_files ${guest_files} ${output} PARENT_SCOPE)
	set(guest_targets ${guest_targets} fixture_${name}-${kind} PARENT_SCOPE)
endfunction()
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
	static_fixture(frameless static-pie ${CMAKE_C_COMPILER} -static-pie -fPIE)
	if(MUSL_GCC AND NOT CMAKE_CROSSCOMPILING)
		static_fixture(frameless musl ${MUSL_GCC} -static)
		static_fixture(frameless musl-dyn ${MUSL_GCC})
	endif()
endif()

# ---- variants: the whole program, built with other definitions, often broken on purpose ----

# sources_that_see(result WORD...): the C files of the program that contain one of the words, or include a header that does.
function(sources_that_see result)
	set(words ${ARGN})
	file(GLOB_RECURSE files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/core/*.[ch] ${PROJECT_SOURCE_DIR}/applets/*.[ch])
	set(grown TRUE)
	while(grown)
		set(grown FALSE)
		list(JOIN words "|" pattern)
		foreach(file IN LISTS files)
			file(STRINGS ${file} hit REGEX "${pattern}" LIMIT_COUNT 1)
			if(NOT hit)
				continue()
			endif()
			list(REMOVE_ITEM files ${file})
			if(file MATCHES "\\.c$")
				list(APPEND sources ${file})
			else()
				file(RELATIVE_PATH header ${PROJECT_SOURCE_DIR} ${file})
				list(APPEND words ${header})
				set(grown TRUE)
			endif()
		endforeach()
	endwhile()
	set(${result} ${sources} PARENT_SCOPE)
endfunction()

function(stacktool_variant name)
	if(STACKTOOL_SANITIZE)
		return()
	endif()
	set(directory ${PROJECT_BINARY_DIR}/variants/${name}.generated)
	file(MAKE_DIRECTORY ${directory})
	stacktool_bpf(OUTPUT ${directory} NAME stacktool SOURCES ${bpf_sources} DEFINES ${ARGN})
	# Only files that depend on the definitions are compiled again. The others come from the libraries.
	set(definitions ${ARGN})
	list(TRANSFORM definitions REPLACE "=.*" "")
	sources_that_see(sources stacktool.skel.h ${definitions})
	add_executable(variant_${name} ${main_source} ${sources} ${directory}/stacktool.skel.h)
	# Its own skeleton must be found before the real one.
	target_include_directories(variant_${name} BEFORE PRIVATE ${directory})
	target_link_libraries(variant_${name} PRIVATE stacktool_flags stacktool_hardening
		$<LINK_GROUP:RESCAN,stackapplets,stackcore> stacktool_libraries)
	target_compile_definitions(variant_${name} PRIVATE ${ARGN})
	add_dependencies(variant_${name} stacktool_generated)
	set_target_properties(variant_${name} PROPERTIES OUTPUT_NAME ${name} LINK_FLAGS_RELEASE -s
		RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/variants)
	set(guest_files ${guest_files} $<TARGET_FILE:variant_${name}> PARENT_SCOPE)
	set(guest_targets ${guest_targets} variant_${name} PARENT_SCOPE)
endfunction()

# Each line has a name and its definitions.
set(variants_file ${tests}/e2e/variants)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${variants_file})
file(STRINGS ${variants_file} variants REGEX "^[a-z]")
foreach(line IN LISTS variants)
	separate_arguments(words UNIX_COMMAND "${line}")
	stacktool_variant(${words})
endforeach()

# ---- e2e: programs are static, so that the guests can run them ----

# Adds a test to the guests, with the caller's `words`.
macro(guest_test name)
	list(APPEND guest_tests ${name})
	set(guest_boots_${name} "${words_boots}")
	set(guest_timeout_${name} ${words_timeout})
	if("live-kallsyms" IN_LIST words)
		set(guest_words_${name} " live")
	endif()
endmacro()

split_programs(${tests}/e2e/*.c e2e_programs e2e_support)
foreach(source IN LISTS e2e_programs)
	short_name(${source} name)
	read_directives(${source} words)
	stacktool_program(e2e_${name} ${source} ${e2e_support})
	set_target_properties(e2e_${name} PROPERTIES OUTPUT_NAME ${name} LINK_FLAGS_RELEASE -s
		RUNTIME_OUTPUT_DIRECTORY ${guest}/tests)
	if(NOT "guest" IN_LIST words)
		layer_test(e2e ${name} ${words_timeout} @BIN@/guest/tests/${name})
	endif()
	if(NOT "host" IN_LIST words)
		guest_test(${name})
		list(APPEND guest_files $<TARGET_FILE:e2e_${name}>)
		list(APPEND guest_targets e2e_${name})
	endif()
endforeach()

file(GLOB e2e_scripts CONFIGURE_DEPENDS ${tests}/e2e/*.sh)
foreach(script IN LISTS e2e_scripts)
	file(STRINGS ${script} first LIMIT_COUNT 1)
	list(APPEND guest_files ${script})
	if(NOT first MATCHES "^#!")
		continue()
	endif()
	short_name(${script} name)
	read_directives(${script} words)
	if(NOT "guest" IN_LIST words)
		layer_test(e2e ${name} ${words_timeout} ${script})
	endif()
	if(NOT "host" IN_LIST words)
		guest_test(${name})
	endif()
endforeach()

# ---- clients: other programs that read our formats; they need large packages, so they run only when asked for. Those with "browser"
# need only Chromium, and always run. ----

file(GLOB client_scripts CONFIGURE_DEPENDS ${tests}/clients/*.sh)
foreach(script IN LISTS client_scripts)
	file(STRINGS ${script} first LIMIT_COUNT 1)
	if(first MATCHES "^#!")
		short_name(${script} name)
		read_directives(${script} words)
		set(layer clients)
		if("browser" IN_LIST words)
			set(layer browser)
		endif()
		add_test(NAME ${layer}.${name} COMMAND ${script})
		set_test_environment(${layer}.${name} ${PROJECT_BINARY_DIR} ${words_timeout})
		set_tests_properties(${layer}.${name} PROPERTIES LABELS ${layer})
	endif()
endforeach()

# ---- bench: programs for tests/bench/run ----

split_programs(${tests}/bench/*.c bench_programs bench_support)
list(FILTER bench_support EXCLUDE REGEX "\\.bpf\\.c$")
list(APPEND bench_support ${tests}/bpf/step.c ${tests}/bpf/step_maps.c) # the BPF programs' walk, in user space
file(GLOB bench_bpf CONFIGURE_DEPENDS ${tests}/bench/*.bpf.c)
foreach(source IN LISTS bench_bpf)
	get_filename_component(name ${source} NAME)
	string(REGEX REPLACE "\\.bpf\\.c$" "" name ${name})
	stacktool_bpf(OUTPUT ${GENERATED} NAME ${name} SOURCES ${source})
	list(APPEND bench_skeletons ${GENERATED}/${name}.skel.h)
endforeach()
add_custom_target(bench ${guest_all})
add_dependencies(bench stacktool ${fixture_targets})
foreach(source IN LISTS bench_programs)
	short_name(${source} name)
	add_executable(bench_${name} EXCLUDE_FROM_ALL ${source} ${bench_support} ${bench_skeletons})
	target_link_libraries(bench_${name} PRIVATE stacktool_flags
		$<LINK_GROUP:RESCAN,stackapplets,stackcore> stacktool_test_libraries m)
	add_dependencies(bench_${name} stacktool_generated)
	set_target_properties(bench_${name} PROPERTIES OUTPUT_NAME ${name}
		RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
	add_dependencies(bench bench_${name})
endforeach()

# Measures every row once, and fails if one cannot be measured. It skips peers that are not installed, and kernel functions if this
# kernel cannot probe them: the guests test those.
if(guest_all)
	add_test(NAME bench.rows COMMAND ${tests}/bench/run)
	set_test_environment(bench.rows ${PROJECT_BINARY_DIR} 600)
	set_property(TEST bench.rows APPEND PROPERTY ENVIRONMENT SHORT=1)
	set_tests_properties(bench.rows PROPERTIES LABELS bench PROCESSORS ${whole_host} RUN_SERIAL ON)
endif()

# ---- soak: a minute of it, alone because it needs both CPUs; that it finds a leak; attacks ----

if(guest_all)
	add_test(NAME soak.short COMMAND ${tests}/soak/soak 0.0139
		--churn programs,paths,libraries,namespaces,code,bpf,names,forged_maps)
	add_test(NAME soak.leak COMMAND ${tests}/soak/leak.sh)
	foreach(name short leak)
		set_test_environment(soak.${name} ${PROJECT_BINARY_DIR} 300)
		set_tests_properties(soak.${name} PROPERTIES LABELS soak PROCESSORS ${one_guest})
	endforeach()
	set_tests_properties(soak.short PROPERTIES RUN_SERIAL ON PROCESSORS ${whole_host})

	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${tests}/soak/hostile)
	file(STRINGS ${tests}/soak/hostile attacks REGEX "^def attack_")
	list(FILTER attacks EXCLUDE REGEX "# open")
	foreach(line IN LISTS attacks)
		string(REGEX REPLACE "^def attack_([a-z_]+).*" "\\1" name "${line}")
		string(REGEX MATCH "alone" words "${line}")
		add_test(NAME hostile.${name} COMMAND ${tests}/soak/hostile ${name})
		set_test_environment(hostile.${name} ${PROJECT_BINARY_DIR} 200)
		set_tests_properties(hostile.${name} PROPERTIES LABELS hostile)
		run_alone(hostile.${name})
	endforeach()
endif()

include(TestsVm)

# ---- checks of the build itself ----

add_test(NAME release.bpf_object COMMAND ${tests}/lint/check-bpf-object ${BPF_OBJDUMP} ${GENERATED}/stacktool.bpf.o)
set_test_environment(release.bpf_object ${PROJECT_BINARY_DIR} 60)
set_tests_properties(release.bpf_object PROPERTIES LABELS lint)
if(CMAKE_BUILD_TYPE STREQUAL Release)
	add_test(NAME release.binary COMMAND ${tests}/lint/check-release-binary ${PROJECT_BINARY_DIR} ${STACKTOOL_LINK_KIND})
	set_test_environment(release.binary ${PROJECT_BINARY_DIR} 60)
	set_tests_properties(release.binary PROPERTIES LABELS release)
endif()

if(CMAKE_BUILD_TYPE STREQUAL Release)
	add_test(NAME release.install COMMAND ${tests}/lint/check-install ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
	set_test_environment(release.install ${PROJECT_BINARY_DIR} 120)
	set_tests_properties(release.install PROPERTIES LABELS release)
endif()

file(GLOB lints CONFIGURE_DEPENDS ${tests}/lint/*.sh)
foreach(script IN LISTS lints)
	short_name(${script} name)
	add_test(NAME lint.${name} COMMAND ${script})
	set_test_environment(lint.${name} ${PROJECT_BINARY_DIR} 300)
	set_tests_properties(lint.${name} PROPERTIES LABELS lint WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endforeach()

# Trees that a test builds: only from the tree build/, and only when asked for, because they take a minute.
if(PROJECT_BINARY_DIR STREQUAL "${PROJECT_SOURCE_DIR}/build")
	foreach(tree asan arm64)
		add_test(NAME ${tree}.build COMMAND ${PROJECT_SOURCE_DIR}/cmake/build_tree ${tree})
		set_test_environment(${tree}.build ${PROJECT_BINARY_DIR} 1200)
		set_tests_properties(${tree}.build PROPERTIES LABELS ${tree} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
			FIXTURES_SETUP ${tree}_tree PROCESSORS ${one_build} COST ${cost_of_build})
	endforeach()
	add_test(NAME arm64.report COMMAND ${tests}/arm64/report.sh)
	set_test_environment(arm64.report ${PROJECT_BINARY_DIR} 300)
	set_tests_properties(arm64.report PROPERTIES LABELS arm64 FIXTURES_REQUIRED arm64_tree)
endif()
