/** Source and time of arrival of a packet. */
export interface Arrival {
  readonly from: string;
  /** Time on the engine's clock; by the kernel's stamp where the channel has one, otherwise the time of reading. */
  readonly atMs: number;
  /** Time to live or hop limit that was left of it; null where the system hides it. */
  readonly hopLimit: number | null;
}
