import { digests } from "../hello.mjs";

export default function Page() {
  return <p>{digests().blake3}</p>;
}
