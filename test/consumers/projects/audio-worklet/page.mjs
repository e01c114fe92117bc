const context = new OfflineAudioContext(1, 128, 44_100);
await context.audioWorklet.addModule("/worklet.js");
const { port } = new AudioWorkletNode(context, "hash");
port.onmessage = ({ data }) => fetch("/report", { method: "POST", body: JSON.stringify(data) });
