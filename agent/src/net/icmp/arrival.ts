/** Where and when a packet came in. */
export interface Arrival {
  readonly from: string;
  /** On the engine's clock; by the kernel's stamp where the channel has one, otherwise when it was read. */
  readonly atMs: number;
  /** Time to live or hop limit that was left of it; null where the system hides it. */
  readonly hopLimit: number | null;
}
