/** A file is no MaxMind DB, or not a whole one. */
export class MmdbError extends Error {
  override readonly name = 'MmdbError';
}
