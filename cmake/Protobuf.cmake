# NAME.proto becomes generated/NAME.pb-c.{h,c}: pprof's messages, and those of saved profiles. stk_packed.proto is stk.proto with
# bytes in place of repeated numbers, which have the same encoding: the reader decodes them itself.

find_program(PROTOC_C protoc-c REQUIRED)
set(protobuf_sources)
set(protobuf_headers)
set(stk_proto ${PROJECT_SOURCE_DIR}/core/formats/stk.proto)
set(packed_proto ${GENERATED}/stk_packed.proto)
file(READ ${stk_proto} packed)
string(REGEX REPLACE "repeated uint(32|64)" "bytes" packed "${packed}")
string(REPLACE "package stk" "package stk_packed" packed "${packed}")
file(GENERATE OUTPUT ${packed_proto} CONTENT "${packed}")
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${stk_proto})
foreach(proto ${PROJECT_SOURCE_DIR}/core/render/profile.proto ${stk_proto} ${packed_proto})
	get_filename_component(name ${proto} NAME_WE)
	get_filename_component(folder ${proto} DIRECTORY)
	add_custom_command(OUTPUT ${GENERATED}/${name}.pb-c.c ${GENERATED}/${name}.pb-c.h
		COMMAND ${PROTOC_C} --proto_path=${folder} --c_out=${GENERATED} ${name}.proto
		DEPENDS ${proto}
		COMMENT "${name} messages" VERBATIM)
	set_source_files_properties(${GENERATED}/${name}.pb-c.c PROPERTIES COMPILE_OPTIONS "-w")
	list(APPEND protobuf_sources ${GENERATED}/${name}.pb-c.c)
	list(APPEND protobuf_headers ${GENERATED}/${name}.pb-c.h)
endforeach()
add_custom_target(stacktool_protobuf DEPENDS ${protobuf_headers})
