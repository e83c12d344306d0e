/** Types for the parts of the npm package net-ping 1.2 that the cross-check uses; the package ships none. */
declare module 'net-ping' {
  export interface Session {
    /** `error` null: the package takes the host for alive. */
    pingHost(target: string, callback: (error: Error | null, target: string, sent: Date, received: Date) => void): this;
    close(): this;
  }

  export function createSession(options: { readonly timeout: number; readonly retries: number }): Session;
}
