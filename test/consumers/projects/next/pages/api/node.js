import { digests } from "../../hello.mjs";

export default function handler(_, response) {
  response.json(digests());
}
