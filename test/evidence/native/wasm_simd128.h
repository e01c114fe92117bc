// WebAssembly's SIMD intrinsics on the host, by SIMDe (Debian's libsimde-dev).
#pragma once
#undef __wasm_simd128__
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/wasm/simd128.h>
#define __wasm_simd128__ 1
