/** Numbers that look random and are the same for the same seed. */
export interface Random {
  /** 0 <= n < limit, whole. */
  below(limit: number): number;
  pick<T>(items: readonly T[]): T;
  bytes(length: number): Buffer;
}

/** The numbers of one input of a run: each input has its own, so that one can be made again without those before it. */
export function randomOf(seed: number, index: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35);
  // mulberry32 (Tommy Ettinger): 32 bits of state, good enough to choose among mutations
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (limit: number) => next() % limit;
  return {
    below,
    pick: <T>(items: readonly T[]) => items[below(items.length)] as T,
    bytes: (length) => Buffer.from(Array.from({ length }, () => next() & 255)),
  };
}
