import { Router } from '@koa/router';

/** Methods of one path, each with its value. */
export interface Endpoint<T> {
  readonly methods: Map<string, T>;
  /** Value of the Allow header: HEAD wherever GET is, OPTIONS always. */
  allow: string;
}

/** Path that was found, with the raw (still percent-encoded) segments of its parameters, left to right. */
export interface PathMatch<T> {
  readonly endpoint: Endpoint<T>;
  readonly segments: readonly string[];
}

/**
 * Paths to values by @koa/router's matcher. A literal segment wins over a parameter: `/v1/monitors/export` is found
 * before `/v1/monitors/{id}`, whatever was added first. A parameter stands for one segment that is not empty.
 */
export class RouteTable<T> {
  /** By number of segments, so that few patterns are tried on a path. */
  readonly #routers = new Map<number, Router>();
  readonly #endpoints = new Map<string, Endpoint<T>>();

  /** @throws RangeError when the path already has a value for the method */
  add(method: string, path: string, value: T): void {
    // by position: two paths that differ only in the name of a parameter are the same
    let parameters = 0;
    const pattern = path.replaceAll(/\{\w+\}/g, () => `:p${(parameters += 1)}`);
    let endpoint = this.#endpoints.get(pattern);
    if (endpoint === undefined) {
      endpoint = { methods: new Map(), allow: '' };
      this.#endpoints.set(pattern, endpoint);
      this.#routerFor(pattern).register(pattern, [], () => undefined);
    }
    const { methods } = endpoint;
    if (methods.has(method)) throw new RangeError(`two routes for "${method} ${path}"`);
    methods.set(method, value);
    endpoint.allow = [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  }

  /** The endpoint of a path without its query; null when there is none. */
  find(path: string): PathMatch<T> | null {
    // a pattern without parameters is its own path, and wins over all others; one with them has a colon, and is no path
    const literal = path.includes(':') ? undefined : this.#endpoints.get(path);
    if (literal !== undefined) return { endpoint: literal, segments: [] };
    const matching = this.#routers.get(segmentCount(path))?.match(path, '').path ?? [];
    const [layer] = matching.sort((a, b) => compareRank(String(a.path), String(b.path)));
    const endpoint = layer && this.#endpoints.get(String(layer.path));
    return endpoint ? { endpoint, segments: layer.captures(path) } : null;
  }

  #routerFor(pattern: string): Router {
    const count = segmentCount(pattern);
    const known = this.#routers.get(count);
    if (known !== undefined) return known;
    const router = new Router({ sensitive: true, strict: true });
    this.#routers.set(count, router);
    return router;
  }
}

function segmentCount(path: string): number {
  return path.split('/').length;
}

/** Order of two patterns that match the same path: the one with the first literal segment comes first. */
function compareRank(a: string, b: string): number {
  return rank(a) < rank(b) ? -1 : 1;
}

function rank(pattern: string): string {
  return pattern.replaceAll(/[^/]+/g, (segment) => (segment.startsWith(':') ? '1' : '0'));
}
