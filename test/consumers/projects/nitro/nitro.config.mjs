export default { serverDir: ".", compatibilityDate: "2026-04-26", minify: false, experimental: { wasm: true } };
