set(revision "")
set(date "")
# Not the repository of a distribution's packages, in which the source may lie.
if(GIT AND EXISTS ${SOURCE}/.git)
	execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty --tags --abbrev=10
		OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
	execute_process(COMMAND ${GIT} -C ${SOURCE} log -1 --format=%cd --date=format-local:%Y-%m-%d
		OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
# string(TIMESTAMP) uses SOURCE_DATE_EPOCH. Without it and without git there is no date, so that builds are reproducible.
if(DEFINED ENV{SOURCE_DATE_EPOCH})
	string(TIMESTAMP date "%Y-%m-%d" UTC)
endif()
if(SANITIZE)
	set(sanitize "address, undefined")
endif()
set(text "/* Written by cmake/write_build_info.cmake; do not edit. */
#pragma once
#define ST_BUILD_VERSION \"${VERSION}\"
#define ST_BUILD_REVISION \"${revision}\" /* of git; empty: unknown */
#define ST_BUILD_DATE \"${date}\"         /* of the commit or SOURCE_DATE_EPOCH; empty: unknown */
#define ST_BUILD_LINK \"${LINK}\"
#define ST_BUILD_ARCH \"${ARCH}\"
#define ST_BUILD_COMPILER \"${COMPILER}\"
#define ST_BUILD_BPF_COMPILER \"${BPF_COMPILER}\"
#define ST_BUILD_SANITIZERS \"${sanitize}\"
#define ST_BUILD_LIBRARIES \"${LIBRARIES}\"
")
set(old "")
if(EXISTS ${OUT})
	file(READ ${OUT} old)
endif()
if(NOT old STREQUAL text)
	file(WRITE ${OUT} "${text}")
endif()
