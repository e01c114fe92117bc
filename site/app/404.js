// Leaves only the page whose name is closest to that of the address, if one is close.
import { closest } from "../../js/cli/options/closest.ts";

const nameOf = ({ pathname }) =>
  pathname
    .split("/")
    .filter(Boolean)
    .at(-1)
    ?.replace(/\.\w+$/, "") ?? "";
const links = [...document.querySelectorAll("#pages a")];
const meant = closest(nameOf(location), links.map(nameOf));
if (meant !== undefined) {
  for (const link of links) link.parentElement.hidden = nameOf(link) !== meant;
  document.getElementById("hint").textContent = "Did you mean:";
}
