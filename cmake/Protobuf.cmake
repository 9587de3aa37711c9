# core/render/profile.proto becomes generated/profile.pb-c.{h,c}.

find_program(PROTOC_C protoc-c REQUIRED)
add_custom_command(OUTPUT ${GENERATED}/profile.pb-c.c ${GENERATED}/profile.pb-c.h
	COMMAND ${PROTOC_C} --proto_path=${PROJECT_SOURCE_DIR}/core/render --c_out=${GENERATED} profile.proto
	DEPENDS ${PROJECT_SOURCE_DIR}/core/render/profile.proto
	COMMENT "pprof messages" VERBATIM)
set_source_files_properties(${GENERATED}/profile.pb-c.c PROPERTIES COMPILE_OPTIONS "-w")
add_custom_target(stacktool_protobuf DEPENDS ${GENERATED}/profile.pb-c.h)
