# NAME.proto becomes generated/NAME.pb-c.{h,c}: pprof's messages, and those of saved profiles.

find_program(PROTOC_C protoc-c REQUIRED)
set(protobuf_sources)
set(protobuf_headers)
foreach(proto core/render/profile.proto core/formats/stk.proto)
	get_filename_component(name ${proto} NAME_WE)
	get_filename_component(folder ${PROJECT_SOURCE_DIR}/${proto} DIRECTORY)
	add_custom_command(OUTPUT ${GENERATED}/${name}.pb-c.c ${GENERATED}/${name}.pb-c.h
		COMMAND ${PROTOC_C} --proto_path=${folder} --c_out=${GENERATED} ${name}.proto
		DEPENDS ${PROJECT_SOURCE_DIR}/${proto}
		COMMENT "${name} messages" VERBATIM)
	set_source_files_properties(${GENERATED}/${name}.pb-c.c PROPERTIES COMPILE_OPTIONS "-w")
	list(APPEND protobuf_sources ${GENERATED}/${name}.pb-c.c)
	list(APPEND protobuf_headers ${GENERATED}/${name}.pb-c.h)
endforeach()
add_custom_target(stacktool_protobuf DEPENDS ${protobuf_headers})
