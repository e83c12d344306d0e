import http, { type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@vantage/shared/_support/until.js';
import type { Test } from 'tap';

/**
 * An HTTP server on loopback whose responses the test times. `/held` is answered when it is released, `/after/250`
 * after that many milliseconds. Every path may be followed by a query, which distinguishes the requests.
 */
export class SlowTarget {
  /** Path and query of every request, in order of arrival. */
  readonly requests: string[] = [];
  /** User agent of the last request. */
  userAgent: string | undefined;
  #held: ServerResponse[] = [];
  #isReleased = false;

  private constructor(
    private readonly server: http.Server,
    private readonly host: string,
  ) {}

  static async start(t: Test, host = '127.0.0.1'): Promise<SlowTarget> {
    const server = http.createServer();
    const target = new SlowTarget(server, host.includes(':') ? `[${host}]` : host);
    server.on('request', ({ url, headers }, response) => {
      target.userAgent = headers['user-agent'];
      target.#answer(url ?? '/', response);
    });
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    t.teardown(() => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    });
    return target;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  url(pathAndQuery: string): string {
    return `http://${this.host}:${this.port}${pathAndQuery}`;
  }

  /** Resolves when `count` requests have arrived. */
  waitForRequests(count: number): Promise<void> {
    return until(`${count} requests at the target`, () => this.requests.length >= count);
  }

  /** Answers all held requests, and later ones at once. */
  release(): void {
    this.#isReleased = true;
    for (const response of this.#held.splice(0)) response.end('released');
  }

  #answer(url: string, response: ServerResponse): void {
    this.requests.push(url);
    const afterMs = /^\/after\/(\d+)/.exec(url)?.[1];
    if (afterMs !== undefined) setTimeout(() => response.end('done'), Number(afterMs));
    else if (url.startsWith('/held') && !this.#isReleased) this.#held.push(response);
    else response.end('hello');
  }
}
