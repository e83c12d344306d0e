/** A part that runs in the background. */
export interface Startable {
  start(): void | Promise<void>;
  /** May be called twice. */
  stop(): void | Promise<void>;
}
