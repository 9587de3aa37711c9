# Writes files that the program contains (scripts and styles of its pictures) as arrays of bytes into one header:
# core/render/graph_svg.js becomes script_graph_svg_js and script_graph_svg_js_size. The first part runs as a script at build time.
# It needs only cmake, so that the cross build works too.

if(CMAKE_SCRIPT_MODE_FILE)
	set(text "/* Made by cmake/Embed.cmake. */\n#pragma once\n\n#include <stddef.h>\n")
	foreach(file IN LISTS FILES)
		get_filename_component(name ${file} NAME)
		string(MAKE_C_IDENTIFIER ${name} name)
		file(READ ${file} bytes HEX)
		string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
		string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
		string(APPEND text "\nstatic const unsigned char script_${name}[] __attribute__((unused)) = {\n${bytes}\n};\n"
			"static const size_t script_${name}_size __attribute__((unused)) = sizeof(script_${name});\n")
	endforeach()
	file(WRITE ${OUT} "${text}")
	return()
endif()

file(GLOB embedded_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/core/render/*.js ${PROJECT_SOURCE_DIR}/core/render/*.css
	${PROJECT_SOURCE_DIR}/core/render/*.html)
string(REPLACE ";" "$<SEMICOLON>" embedded_list "${embedded_files}")
add_custom_command(OUTPUT ${GENERATED}/render_scripts.h
	COMMAND ${CMAKE_COMMAND} "-DFILES=${embedded_list}" -DOUT=${GENERATED}/render_scripts.h
		-P ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake
	DEPENDS ${embedded_files} ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake
	COMMENT "scripts of the pictures" VERBATIM)
add_custom_target(stacktool_scripts DEPENDS ${GENERATED}/render_scripts.h)
