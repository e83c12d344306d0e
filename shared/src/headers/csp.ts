/** One policy: directive name in lower case -> its values, the first of several alike. */
export interface CspPolicy {
  readonly directives: ReadonlyMap<string, readonly string[]>;
  /** Names of directives that occur again and are ignored. */
  readonly duplicates: readonly string[];
}

/** Weaknesses of all enforced policies together. */
export type CspWeakness =
  | 'csp_no_script_src'
  | 'csp_unsafe_inline'
  | 'csp_wildcard'
  | 'csp_unsafe_eval'
  | 'csp_no_object_src'
  | 'csp_no_base_uri';

/** Policies of a header, whose lines are joined by commas (CSP Level 3 section 2.2.2). Empty policies are dropped. */
export function parseCsp(value: string): CspPolicy[] {
  return value
    .split(',')
    .map(parsePolicy)
    .filter(({ directives }) => directives.size > 0);
}

/** Reads one serialized policy (CSP Level 3 section 2.2.1). */
function parsePolicy(text: string): CspPolicy {
  const directives = new Map<string, readonly string[]>();
  const duplicates: string[] = [];
  for (const part of text.split(';')) {
    const [written, ...values] = part.split(/[\t\n\f\r ]+/).filter((word) => word !== '');
    const name = written?.toLowerCase();
    if (name === undefined) continue;
    if (directives.has(name)) duplicates.push(name);
    else directives.set(name, values);
  }
  return { directives, duplicates };
}

/** Weaknesses that every policy has: a browser enforces all of them, so one strict policy is enough. */
export function cspWeaknesses(policies: readonly CspPolicy[]): CspWeakness[] {
  const [first, ...others] = policies.map((policy) => new Set(weaknessesOf(policy)));
  return first === undefined ? [] : [...first].filter((weakness) => others.every((other) => other.has(weakness)));
}

/** True if a policy limits by whom the page may be framed. */
export function limitsFrames(policies: readonly CspPolicy[]): boolean {
  return policies.some(({ directives }) => {
    const ancestors = directives.get('frame-ancestors');
    return ancestors !== undefined && !ancestors.some(isAnyHost);
  });
}

function weaknessesOf({ directives }: CspPolicy): CspWeakness[] {
  const fallback = directives.get('default-src');
  const scripts = directives.get('script-src') ?? fallback;
  const elements = directives.get('script-src-elem') ?? scripts;
  const attributes = directives.get('script-src-attr') ?? scripts;
  const objects = directives.get('object-src') ?? fallback;
  const found: CspWeakness[] = [];
  if (elements === undefined) found.push('csp_no_script_src');
  if ([elements, attributes].some(permitsInline)) found.push('csp_unsafe_inline');
  if (isWildcard(elements) || isWildcard(objects)) found.push('csp_wildcard');
  if (scripts?.some(is("'unsafe-eval'"))) found.push('csp_unsafe_eval');
  if (objects === undefined) found.push('csp_no_object_src');
  if (!directives.has('base-uri')) found.push('csp_no_base_uri');
  // scripts that nothing limits may be inline, from anywhere, and evaluate texts
  return elements === undefined ? [...new Set([...found, ...unlimited])] : found;
}

const unlimited = ['csp_unsafe_inline', 'csp_wildcard', 'csp_unsafe_eval'] as const;

/** A nonce, a hash or 'strict-dynamic' turns 'unsafe-inline' off (CSP Level 3 section 6.7.3.2). */
function permitsInline(sources: readonly string[] | undefined): boolean {
  if (!sources?.some(is("'unsafe-inline'"))) return false;
  return !sources.some((source) => isNonceOrHash(source) || is("'strict-dynamic'")(source));
}

/** With 'strict-dynamic' the hosts of the list play no part. */
function isWildcard(sources: readonly string[] | undefined): boolean {
  return sources !== undefined && !sources.some(is("'strict-dynamic'")) && sources.some(isAnyHost);
}

function isAnyHost(source: string): boolean {
  return /^(?:\*|https?:|data:|(?:https?:\/\/)?\*(?::(?:\*|\d+))?)$/i.test(source);
}

function isNonceOrHash(source: string): boolean {
  return /^'(?:nonce|sha256|sha384|sha512)-[A-Za-z0-9+/_-]+={0,2}'$/i.test(source);
}

const is = (keyword: string) => (source: string) => source.toLowerCase() === keyword;
