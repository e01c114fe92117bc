// The front page: the digest of what is typed, and the benchmark.
import { blake3 } from "blake-simd/blake3";
import { race } from "./race.js";

const element = (id) => document.getElementById(id);

function showDigest() {
  const { value } = element("message");
  element("typed").textContent = JSON.stringify(value);
  element("digest").textContent = blake3.hex(value);
}

element("message").addEventListener("input", showDigest);
element("live").addEventListener("submit", (event) => event.preventDefault());
showDigest();

element("race").addEventListener("click", async ({ target }) => {
  target.disabled = true;
  await race({ algorithm: "blake3", size: 1 << 20, rounds: 10 }, element("race-bars"), element("race-status"));
  target.disabled = false;
});
