/** The newest protocol version that both sides speak, whatever the order of their lists; null: none. */
export function newestCommonVersion(ours: readonly number[], theirs: readonly number[]): number | null {
  const common = ours.filter((version) => theirs.includes(version));
  return common.length === 0 ? null : Math.max(...common);
}

/** Which side has to be upgraded when no version is common: the one whose newest is older. */
export function olderSide(ours: readonly number[], theirs: readonly number[]): 'ours' | 'theirs' {
  return Math.max(0, ...ours) < Math.max(0, ...theirs) ? 'ours' : 'theirs';
}
