/**
 * Instant as an SQL literal, for conditions on partitions: these are chosen before execution only by values that are no
 * parameters. Milliseconds since the epoch, between the years 0 and 9999.
 */
export function instantLiteral(instantMs: number): string {
  return `timestamptz '${new Date(instantMs).toISOString()}'`;
}
