import type { Writable } from 'node:stream';

/** Members of a WebSocket that `joinWrites` needs. */
interface Sending {
  send(...message: never[]): void;
}

/**
 * Lets the frames that are sent in one turn of the event loop leave in one write to `stream`, the stream below
 * `socket`: a write costs more than the frame.
 */
export function joinWrites<S extends Sending>(socket: S, stream: Writable): S {
  const send = socket.send.bind(socket) as (...message: unknown[]) => void;
  let isCorked = false;
  socket.send = (...message: unknown[]) => {
    if (!isCorked) {
      isCorked = true;
      stream.cork();
      process.nextTick(() => {
        isCorked = false;
        stream.uncork();
      });
    }
    send(...message);
  };
  return socket;
}
