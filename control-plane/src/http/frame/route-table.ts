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

/** Paths that share their first segments. */
interface Branch<T> {
  readonly literals: Map<string, Branch<T>>;
  /** Branches of parameters by what follows the parameter in its segment, the longest first: `.svg`, and mostly ''. */
  parameters: ReadonlyMap<string, Branch<T>>;
  /** The path that ends here. */
  endpoint: Endpoint<T> | null;
  /** The path whose last parameter stands for all segments from here on. */
  rest: Endpoint<T> | null;
}

const PARAMETER = /^\{\w+\}([^{}]*)$/;
/** Parameter at the end of a path that stands for one or more segments, written as in RFC 6570 section 3.2.3. */
const REST = /\/\{\+\w+\}$/;

/**
 * Paths to values, as a tree of their segments. A literal segment wins over a parameter: `/v1/monitors/export` is found
 * before `/v1/monitors/{id}`, whatever was added first. A parameter stands for one segment, or its beginning, that is
 * not empty; `{+path}` at the end of a path for all segments that no other path has.
 */
export class RouteTable<T> {
  readonly #root: Branch<T> = newBranch();
  /** Paths without parameters, which are most of those that are asked for. */
  readonly #literals = new Map<string, PathMatch<T>>();

  /** @throws RangeError when the path already has a value for the method, or a parameter that does not begin its segment */
  add(method: string, path: string, value: T): void {
    const odd = path
      .replace(REST, '')
      .split('/')
      .find((segment) => segment.includes('{') && !PARAMETER.test(segment));
    if (odd !== undefined) throw new RangeError(`a parameter must begin its segment: "${odd}" of "${path}"`);
    const endpoint = this.#endpointAt(path);
    const { methods } = endpoint;
    if (methods.has(method)) throw new RangeError(`two routes for "${method} ${path}"`);
    methods.set(method, value);
    endpoint.allow = [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  }

  /** The endpoint of a path without its query; null when there is none. */
  find(path: string): PathMatch<T> | null {
    return this.#literals.get(path) ?? findBelow(this.#root, path.split('/'), 0, []);
  }

  #endpointAt(path: string): Endpoint<T> {
    const branch = path.replace(REST, '').split('/').reduce(branchOf, this.#root);
    if (REST.test(path)) return (branch.rest ??= { methods: new Map(), allow: '' });
    branch.endpoint ??= { methods: new Map(), allow: '' };
    if (!path.includes('{')) this.#literals.set(path, { endpoint: branch.endpoint, segments: [] });
    return branch.endpoint;
  }
}

function newBranch<T>(): Branch<T> {
  return { literals: new Map(), parameters: new Map(), endpoint: null, rest: null };
}

/** The branch of one more segment. Two paths that differ only in the name of a parameter are the same. */
function branchOf<T>(branch: Branch<T>, segment: string): Branch<T> {
  const suffix = PARAMETER.exec(segment)?.[1];
  const next = (suffix === undefined ? branch.literals.get(segment) : branch.parameters.get(suffix)) ?? newBranch<T>();
  if (suffix === undefined) branch.literals.set(segment, next);
  else branch.parameters = new Map([...branch.parameters, [suffix, next] as const].sort(longestFirst));
  return next;
}

function longestFirst([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return b.length - a.length;
}

/** The endpoint of the segments from `at` on; `taken`: those that stand for parameters before it. */
function findBelow<T>(
  { literals, parameters, endpoint, rest }: Branch<T>,
  segments: readonly string[],
  at: number,
  taken: readonly string[],
): PathMatch<T> | null {
  const segment = segments[at];
  if (segment === undefined) return endpoint === null ? null : { endpoint, segments: taken };
  const literal = literals.get(segment);
  const found = literal === undefined ? null : findBelow(literal, segments, at + 1, taken);
  if (found !== null) return found;
  for (const [suffix, branch] of parameters) {
    if (segment.length <= suffix.length || !segment.endsWith(suffix)) continue;
    const value = segment.slice(0, segment.length - suffix.length);
    const below = findBelow(branch, segments, at + 1, [...taken, value]);
    if (below !== null) return below;
  }
  return rest === null ? null : { endpoint: rest, segments: [...taken, segments.slice(at).join('/')] };
}
