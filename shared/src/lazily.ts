/** Calls `make` when the value is first asked for, and returns the same value from then on. */
export function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
