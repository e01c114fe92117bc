/** Runs one of a program's checks and prints how it went, with what it returns; the program fails if one has failed. */
export async function check(name, test) {
  const start = performance.now();
  const seconds = () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
  try {
    const result = await test();
    console.log(`ok      ${name} (${[result, seconds()].filter(Boolean).join(", ")})`);
  } catch (error) {
    const { stdout = "", stderr = "", message } = error;
    console.log(`FAILED  ${name} (${seconds()})\n${stdout}${stderr}${message}`);
    process.exitCode = 1;
  }
}
