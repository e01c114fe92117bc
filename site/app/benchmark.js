// The benchmark of all algorithms and sizes.
import { asText, race } from "./race.js";

const element = (id) => document.getElementById(id);
const [start, result] = ["start", "result"].map(element);

element("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  start.disabled = true;
  const [algorithm, size, rounds] = ["algorithm", "size", "rounds"].map((id) => element(id).value);
  const job = { algorithm, size: Number(size), rounds: Number(rounds) };
  const found = await race(job, element("bars"), element("status"));
  if (found) result.textContent = asText(found);
  element("text").hidden = !found;
  start.disabled = false;
});
