const MAX_REASON = 500;

/** Reason of an event, for users: the number of voting nodes that agree, and their most frequent error. */
export function eventReason(affected: number, eligible: number, errors: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const error of errors) counts.set(error, (counts.get(error) ?? 0) + 1);
  const [most = 'failed'] = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([error]) => error);
  return `${affected} of ${eligible} nodes: ${most}`.slice(0, MAX_REASON);
}
