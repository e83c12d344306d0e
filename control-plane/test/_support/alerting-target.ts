import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/** A site whose pages all break and are mended together. */
export interface AlertingTarget {
  page(path: string): string;
  break(): void;
  mend(): void;
}

/** Starts it on a free port of loopback; closed when `t` ends. */
export async function startAlertingTarget(t: Test): Promise<AlertingTarget> {
  let isBroken = false;
  const server = createServer((_request, response) => {
    response.writeHead(isBroken ? 503 : 200).end(isBroken ? 'closed' : 'open');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const { port } = server.address() as AddressInfo;
  return {
    page: (path) => `http://127.0.0.1:${port}${path}`,
    break: () => {
      isBroken = true;
    },
    mend: () => {
      isBroken = false;
    },
  };
}
