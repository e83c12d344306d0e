/**
 * An instant as SQL has it written out: for what decides on partitions, which are chosen before running only by what is no parameter.
 * Milliseconds since the epoch, between the years 0 and 9999.
 */
export function instantLiteral(instantMs: number): string {
  return `timestamptz '${new Date(instantMs).toISOString()}'`;
}
