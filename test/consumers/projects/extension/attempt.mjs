export function attempt(compute) {
  try {
    return compute();
  } catch (error) {
    return { error: error.message };
  }
}
