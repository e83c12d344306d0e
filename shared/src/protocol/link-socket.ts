/** Members of a WebSocket that a link needs, on either side; provided by `ws` and by a simulated network. */
export interface LinkSocket {
  /** OPEN while messages get out. */
  readonly readyState: number;
  readonly OPEN: number;
  /** Bytes given to `send` that have not left. */
  readonly bufferedAmount: number;
  /** One binary message; `done` is called when it has left, or never will. */
  send(message: Uint8Array, done?: (error?: Error | null) => void): void;
  /** Starts the closing handshake. */
  close(code: number, reason?: string): void;
  /** Ends it without a word. */
  terminate(): void;
  /** Stops reading; the peer is held back. */
  pause(): void;
  resume(): void;
  on(event: 'open', listener: () => void): unknown;
  on(event: 'message', listener: (data: Buffer | ArrayBuffer | Buffer[], isBinary: boolean) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'close', listener: (code: number) => void): unknown;
  once(event: 'close', listener: () => void): unknown;
}
