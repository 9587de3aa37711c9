# generated/build_info.h, for --version. Each build computes it, and writes it only if it has changed.

find_package(Git QUIET)
string(REPLACE ";" ", " libraries "${STACKTOOL_LIBRARY_VERSIONS}")
add_custom_target(stacktool_build_info
	COMMAND ${CMAKE_COMMAND}
		-DOUT=${GENERATED}/build_info.h -DSOURCE=${PROJECT_SOURCE_DIR} "-DGIT=${GIT_EXECUTABLE}"
		-DVERSION=${PROJECT_VERSION} -DLINK=${STACKTOOL_LINK_KIND} "-DLIBRARIES=${libraries}"
		"-DCOMPILER=${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}"
		"-DBPF_COMPILER=clang ${STACKTOOL_CLANG_VERSION}" -DARCH=${CMAKE_SYSTEM_PROCESSOR}
		-DSANITIZE=${STACKTOOL_SANITIZE}
		-P ${PROJECT_SOURCE_DIR}/cmake/write_build_info.cmake
	BYPRODUCTS ${GENERATED}/build_info.h
	COMMENT "build information"
	VERBATIM)
