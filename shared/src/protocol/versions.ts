/** The newest protocol version that both sides support, or null. */
export function newestCommonVersion(ours: readonly number[], theirs: readonly number[]): number | null {
  const common = ours.filter((version) => theirs.includes(version));
  return common.length === 0 ? null : Math.max(...common);
}

/** Side that has to be upgraded when there is no common version: the one whose newest is older. */
export function olderSide(ours: readonly number[], theirs: readonly number[]): 'ours' | 'theirs' {
  return Math.max(0, ...ours) < Math.max(0, ...theirs) ? 'ours' : 'theirs';
}
