/** A measurement that failed, with a message for people: no figure is taken from it. */
export class BenchError extends Error {
  override readonly name = 'BenchError';
}
