import { createServer } from 'node:http';
import { listen } from './listen.js';
import { HOST } from './names.js';

/** A small shop that can be broken and mended: for monitors to notice. */
export interface Breakable {
  readonly url: string;
  /** Makes it respond with 503 from now on. */
  break(): void;
  mend(): void;
  stop(): Promise<void>;
}

/** Starts it on a free port of loopback. */
export async function startBreakable(): Promise<Breakable> {
  let isBroken = false;
  const server = createServer((_request, response) => {
    response.writeHead(isBroken ? 503 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ status: isBroken ? 'no stock' : 'open', items: 3 }));
  });
  const { port, stop } = await listen(server);
  return {
    url: `http://${HOST}:${port}/`,
    break: () => {
      isBroken = true;
    },
    mend: () => {
      isBroken = false;
    },
    stop,
  };
}
