# The libraries and the program.

file(GLOB_RECURSE core_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/core/*.c ${PROJECT_SOURCE_DIR}/symbolize/*.c)
list(APPEND core_sources ${protobuf_sources})
file(GLOB applet_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/applets/*.c)
set(main_source ${PROJECT_SOURCE_DIR}/applets/main.c)
list(REMOVE_ITEM applet_sources ${main_source})

set(conversion_checked ${core_sources})
list(FILTER conversion_checked INCLUDE REGEX "/symbolize/")
set_source_files_properties(${conversion_checked} PROPERTIES COMPILE_OPTIONS "-Wconversion;-Wno-sign-conversion")

# Every object that may include a generated header waits for all of them (tests/lint/generated.sh).
add_custom_target(stacktool_generated)
add_dependencies(stacktool_generated stacktool_skeleton stacktool_build_info stacktool_scripts stacktool_protobuf)

add_library(stackcore STATIC ${core_sources})
add_library(stackapplets STATIC ${applet_sources})
foreach(library stackcore stackapplets)
	target_link_libraries(${library} PRIVATE stacktool_flags stacktool_hardening)
	add_dependencies(${library} stacktool_generated)
endforeach()

# stacktool_program(NAME SOURCE...): an executable with our code and the libraries.
function(stacktool_program name)
	add_executable(${name} ${ARGN})
	# The applets and the core need each other: the core uses the table of applets.
	target_link_libraries(${name} PRIVATE stacktool_flags stacktool_hardening
		$<LINK_GROUP:RESCAN,stackapplets,stackcore> stacktool_libraries)
	add_dependencies(${name} stacktool_generated)
endfunction()

stacktool_program(stacktool ${main_source})
set_target_properties(stacktool PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
if(CMAKE_BUILD_TYPE STREQUAL Release AND STACKTOOL_SPLIT_DEBUG)
	# What the binary contains: cmake/list_components.
	target_link_options(stacktool PRIVATE -Wl,-Map=stacktool.map)
	# The symbols go into a separate file, found by build id or debug link.
	add_custom_command(TARGET stacktool POST_BUILD
		COMMAND ${CMAKE_OBJCOPY} --only-keep-debug stacktool stacktool.debug
		COMMAND ${CMAKE_STRIP} --strip-all stacktool
		COMMAND ${CMAKE_OBJCOPY} --add-gnu-debuglink=stacktool.debug stacktool
		WORKING_DIRECTORY ${PROJECT_BINARY_DIR} VERBATIM)
endif()
