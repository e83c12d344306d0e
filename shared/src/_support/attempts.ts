const ATTEMPTS = 5;

/**
 * Measures until the outcome is right, or `attempts` times; returns the last outcome. A machine that stands still spoils
 * some measurements: what is wrong with the product spoils all of them.
 */
export async function untilRight<T>(
  measure: () => Promise<T>,
  isRight: (outcome: T) => boolean,
  attempts = ATTEMPTS,
): Promise<T> {
  let outcome = await measure();
  for (let made = 1; made < attempts && !isRight(outcome); made += 1) outcome = await measure();
  return outcome;
}
