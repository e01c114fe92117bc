// A page that shows the BLAKE3 digest of a file that is dropped on it. The file stays on the person's machine.
//
//   npx vite
import { blake3, toHex } from "blake-simd/blake3";
import { digestOf } from "blake-simd/streams";

const [target, progress, output] = ["target", "progress", "digest"].map((id) => document.getElementById(id));
let current = new AbortController();

async function show(file) {
  current.abort();
  current = new AbortController();
  const { signal } = current;
  output.value = "";
  progress.value = 0;
  const onProgress = (bytes, total) => {
    progress.value = total ? bytes / total : 1; // an empty file has 0 of 0
  };
  try {
    output.value = toHex(await digestOf(blake3, file, { signal, onProgress }));
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
