import { domainToASCII } from 'node:url';
import { Slices } from '../../runtime/slices.js';

const DEFAULT_CAP = 1_000;
const MAX_CAP = 5_000;
const SAMPLE = 10;
const MAX_LABEL_BYTES = 63;
const MAX_DOMAIN_BYTES = 253;
/** Steps of one combination and of one character of it, as `Slices` counts them; measured with labels that are too long. */
const STEPS_PER_COMBINATION = 2;
const STEPS_PER_CHARACTER = 0.5;
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/** Size of a set of combinations, and its beginning. */
export interface Preview {
  readonly total: bigint;
  readonly effective: number;
  readonly isCapped: boolean;
  /** The first valid domains among the effective ones, in Punycode. */
  readonly sample: readonly string[];
}

/**
 * Counts the combinations of one token of each list with one top-level domain, and generates the first of them: the last list
 * changes faster than those before it, the top-level domain fastest. `cap`: 1000 when absent, zero or negative; at most 5000.
 * @param signal aborts the work; the promise then rejects with its reason
 */
export async function previewOf(
  { lists, tlds }: { readonly lists: readonly (readonly string[])[]; readonly tlds: readonly string[] },
  cap: number | undefined,
  signal: AbortSignal,
): Promise<Preview> {
  const total = [...lists, tlds].reduce((product, { length }) => product * BigInt(length), 1n);
  const most = cap === undefined || cap <= 0 ? DEFAULT_CAP : Math.min(cap, MAX_CAP);
  const isCapped = total > BigInt(most);
  const effective = isCapped ? most : Number(total);
  const slices = new Slices(signal);
  const sample: string[] = [];
  for (let index = 0; index < effective && sample.length < SAMPLE; index += 1) {
    const written = combinationAt(index, lists, tlds);
    const domain = toDomain(written);
    if (domain !== null) sample.push(domain);
    await slices.spend(STEPS_PER_COMBINATION + STEPS_PER_CHARACTER * (written.label.length + written.tld.length));
  }
  return { total, effective, isCapped, sample };
}

/** A combination as it is written. */
interface Combination {
  readonly label: string;
  readonly tld: string;
}

function combinationAt(index: number, lists: readonly (readonly string[])[], tlds: readonly string[]): Combination {
  let rest = index;
  const digit = (length: number) => {
    const at = rest % length;
    rest = Math.floor(rest / length);
    return at;
  };
  const tld = tlds[digit(tlds.length)] ?? '';
  const label = lists.toReversed().reduce((text, tokens) => `${tokens[digit(tokens.length)] ?? ''}${text}`, '');
  return { label, tld };
}

/** A combination in Punycode; null if it is not a valid domain (RFC 1035 section 2.3.1, RFC 5891). */
function toDomain({ label, tld }: Combination): string | null {
  const ascii = label.includes('.') ? '' : domainToASCII(`${label}.${tld}`);
  const isValid =
    ascii !== '' &&
    ascii.length <= MAX_DOMAIN_BYTES &&
    ascii.split('.').every((part) => part.length <= MAX_LABEL_BYTES && LABEL.test(part));
  return isValid ? ascii : null;
}

/** Parses a top-level domain or public suffix into Punycode; null if the text is neither. */
export function parseTld(text: string): string | null {
  const ascii = domainToASCII(text.trim().toLowerCase());
  return ascii !== '' && ascii.split('.').every((part) => LABEL.test(part)) ? ascii : null;
}
