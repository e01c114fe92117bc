export const algorithms = process.argv.slice(2);

const LONG = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 2654435761) >>> 24));

export const messages = [0, 1, 64, 127, 128, 129, 1000, 65_537, LONG.length].map((length) => LONG.subarray(0, length));

/** Prints what a call gives, or its error's code or, without one, its name. */
export async function show(call) {
  try {
    console.log(String(await call()));
  } catch (error) {
    console.log(error.code ?? error.name);
  }
}
