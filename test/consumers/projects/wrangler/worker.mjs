import { digests } from "./hello.mjs";

export default {
  fetch: () => Response.json(digests()),
};
