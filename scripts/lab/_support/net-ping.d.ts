/** What the cross-check uses of the npm package net-ping 1.2, which ships no types. */
declare module 'net-ping' {
  export interface Session {
    /** `error` null: the package takes the host for alive. */
    pingHost(target: string, callback: (error: Error | null, target: string, sent: Date, received: Date) => void): this;
    close(): this;
  }

  export function createSession(options: { readonly timeout: number; readonly retries: number }): Session;
}
