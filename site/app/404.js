// Searches for the last words of the address that was not found.
import { searchBox } from "./search.js";

const [last = ""] = location.pathname.split("/").filter(Boolean).slice(-1);
const words = last.replace(/\.\w+$/, "").replace(/[^a-z0-9]+/gi, " ");
document.getElementById("found").append(searchBox(words.trim()));
