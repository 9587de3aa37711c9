# cmake --install: the program, man pages, completions, licences. cpack makes a .deb and an .rpm of the same files.

include(GNUInstallDirs)

# Man pages and completions are printed by the program itself, so a cross build needs an emulator for it.
set(share ${PROJECT_BINARY_DIR}/share)
add_custom_command(OUTPUT ${share}/complete
	COMMAND ${CMAKE_COMMAND} -E rm -rf ${share}
	COMMAND ${PROJECT_SOURCE_DIR}/cmake/make_documents "$<TARGET_FILE:stacktool>" ${share} ${CMAKE_CROSSCOMPILING_EMULATOR}
	COMMAND ${CMAKE_COMMAND} -E touch ${share}/complete
	DEPENDS stacktool ${PROJECT_SOURCE_DIR}/cmake/make_documents COMMENT "man pages and completions" VERBATIM)
add_custom_target(stacktool_documents ALL DEPENDS ${share}/complete)

install(TARGETS stacktool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${share}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${share}/stacktool.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME stacktool)
install(FILES ${share}/_stacktool DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${share}/stacktool.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES README.md LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/use/deploy/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
# `./dev release` makes these; they name what a static binary contains.
install(FILES ${PROJECT_BINARY_DIR}/components.spdx.json ${PROJECT_BINARY_DIR}/licences.txt DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)

set(CPACK_GENERATOR DEB RPM)
set(CPACK_PACKAGE_NAME stacktool)
set(CPACK_PACKAGE_VENDOR "stacktool maintainers")
set(CPACK_PACKAGE_CONTACT "stacktool maintainers <maintainers@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "stack traces of Linux: where time goes, what waits, who calls")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_FILE_NAME stacktool-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_INSTALLED_DIRECTORIES "")
set(CPACK_STRIP_FILES OFF)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF)
# The same bytes from every build: SOURCE_DATE_EPOCH is the time of all files.
set(CPACK_RPM_SPEC_MORE_DEFINE "%define _buildhost localhost
%define use_source_date_epoch_as_buildtime 1
%define clamp_mtime_to_source_date_epoch 1
%define __os_install_post %{nil}
%define _build_id_links none")
set(CPACK_RPM_PACKAGE_LICENSE "GPL-2.0-or-later")
set(CPACK_RPM_PACKAGE_AUTOREQPROV OFF)
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
	/usr/share/man /usr/share/man/man8 /usr/share/bash-completion /usr/share/bash-completion/completions /usr/share/zsh
	/usr/share/zsh/site-functions /usr/share/fish /usr/share/fish/vendor_completions.d)
if(NOT STACKTOOL_LINK_KIND MATCHES static)
	set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
	set(CPACK_RPM_PACKAGE_AUTOREQPROV ON)
endif()
include(CPack)
