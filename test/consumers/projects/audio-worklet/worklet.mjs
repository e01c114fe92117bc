import { digests } from "./hello.mjs";

registerProcessor(
  "hash",
  class extends AudioWorkletProcessor {
    constructor() {
      super();
      this.port.postMessage(digests());
    }
    process() {
      return false;
    }
  },
);
