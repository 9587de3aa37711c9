# Compile only. The headers of the libraries are the build host's own: Debian's differ between architectures only in the
# folder of the multiarch libc, which the cross compiler brings itself.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
