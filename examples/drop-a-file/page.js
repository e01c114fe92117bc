// A page that shows the BLAKE3 digest of a file that is dropped on it. The file stays on the person's machine.
//
//   npx vite
import { toHex } from "blake-simd/blake3";
import { Blake3Pool } from "blake-simd/parallel";

const [target, progress, output] = ["target", "progress", "digest"].map((id) => document.getElementById(id));
const pool = new Blake3Pool();
let current = new AbortController();

async function show(file) {
  current.abort();
  current = new AbortController();
  const { signal } = current;
  output.value = "";
  progress.value = 0;
  const onProgress = (bytes) => {
    progress.value = bytes / file.size;
  };
  try {
    output.value = toHex(await pool.hash(file, { signal, onProgress }));
    progress.value = 1; // of an empty file, too
  } catch (error) {
    if (!signal.aborted) output.value = error.message;
  }
}

target.addEventListener("dragover", (event) => event.preventDefault());
target.addEventListener("drop", (event) => {
  event.preventDefault();
  const [file] = event.dataTransfer.files;
  if (file) show(file);
});
