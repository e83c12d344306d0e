import { isRounded } from '@vantage/shared/exact-number.js';
import { type Alias, isAlias, isMap, isScalar, isSeq, type Pair, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import { tooDeep, tooManyValues, tooMuchText, type YamlLimits, YamlMistake } from './yaml-limits.js';

/** Value and its size with aliases expanded. */
interface Built {
  readonly value: unknown;
  readonly values: number;
  readonly texts: number;
  readonly depth: number;
}

type Members = Record<string, unknown>;

/**
 * Plain value of a node. The library's own conversion searches all anchors for each alias, and the whole
 * document; this one visits each node once. @throws YamlMistake
 */
export function yamlValue(node: unknown, limits: YamlLimits): unknown {
  return new ValueBuilder(limits).build(node).value;
}

class ValueBuilder {
  /** An alias stands for what was anchored last before it; what it is in is not there yet. */
  readonly #anchored = new Map<string, Built>();
  #values = 0;
  #texts = 0;

  constructor(private readonly limits: YamlLimits) {}

  build(node: unknown): Built {
    if (isAlias(node)) return this.#aliased(node);
    const [values, texts] = [this.#values, this.#texts];
    const { value, depth } = this.#valueOf(node);
    const built = { value, depth, values: this.#values - values, texts: this.#texts - texts };
    const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
    if (anchor !== undefined) this.#anchored.set(anchor, built);
    return built;
  }

  #aliased({ source, range }: Alias): Built {
    const built = this.#anchored.get(source);
    if (built === undefined) throw new YamlMistake(`*${source} has no anchor that ends before it`, range?.[0] ?? null);
    this.#count(built.values, built.texts);
    return built;
  }

  #valueOf(node: unknown): Pick<Built, 'value' | 'depth'> {
    if (isMap(node)) return this.#mapping(node);
    if (isSeq(node)) return this.#sequence(node);
    const value = isScalar(node) ? scalarOf(node) : null;
    this.#count(1, String(value).length);
    return { value, depth: 0 };
  }

  #sequence({ items }: YAMLSeq): Pick<Built, 'value' | 'depth'> {
    this.#count(1, 0);
    let depth = 0;
    const value = items.map((item) => {
      const built = this.build(item);
      depth = Math.max(depth, built.depth);
      return built.value;
    });
    return { value, depth: this.#under(depth) };
  }

  #mapping({ items }: YAMLMap): Pick<Built, 'value' | 'depth'> {
    this.#count(1, 0);
    let depth = 0;
    const value: Members = {};
    const own = new Set<string>();
    for (const pair of items) {
      // the value may be an alias of the key
      const name = isMergeKey(pair) ? null : this.#nameOf(pair);
      if (name !== null && own.size === own.add(name).size)
        throw new YamlMistake('keys of a mapping must be unique', offsetOf(pair));
      const built = this.build(pair.value);
      depth = Math.max(depth, built.depth);
      if (name === null) merge(value, built.value, offsetOf(pair));
      else define(value, name, built.value);
    }
    return { value, depth: this.#under(depth) };
  }

  #nameOf(pair: Pair): string {
    const { value } = this.build(pair.key);
    if (typeof value === 'object' && value !== null)
      throw new YamlMistake('a key must be a string, not a list or mapping', offsetOf(pair));
    return value === null ? '' : String(value);
  }

  #under(depth: number): number {
    if (depth >= this.limits.depth) throw tooDeep(this.limits);
    return depth + 1;
  }

  #count(values: number, texts: number): void {
    this.#values += values;
    this.#texts += texts;
    if (this.#values > this.limits.values) throw tooManyValues(this.limits);
    if (this.#texts > this.limits.texts) throw tooMuchText(this.limits);
  }
}

/** A number that would be rounded is the text that was written. */
function scalarOf({ value, source }: Scalar): unknown {
  return typeof value === 'number' && source !== undefined && isRounded(source) ? source : value;
}

/** `<<` that is not in quotes. */
function isMergeKey({ key }: Pair): boolean {
  return isScalar(key) && typeof key.value === 'symbol';
}

function offsetOf({ key }: Pair): number | null {
  return (key as Scalar | null)?.range?.[0] ?? null;
}

/** Members that are there stay, and those of the first of several mappings. */
function merge(into: Members, source: unknown, offset: number | null): void {
  for (const members of Array.isArray(source) ? source : [source]) {
    if (typeof members !== 'object' || members === null || Array.isArray(members))
      throw new YamlMistake('only mappings can be merged', offset);
    for (const name of Object.keys(members)) if (!Object.hasOwn(into, name)) define(into, name, members[name]);
  }
}

/** `__proto__` too is a member like any other. */
function define(object: Members, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  else object[name] = value;
}
