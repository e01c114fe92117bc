import { digests } from "../hello.mjs";

export default () => digests();
