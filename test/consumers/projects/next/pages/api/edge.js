import { digests } from "../../hello.mjs";

export const config = { runtime: "edge" };

export default function handler() {
  return Response.json(digests());
}
