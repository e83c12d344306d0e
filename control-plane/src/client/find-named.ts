import { nearestOf } from '@vantage/shared/nearest.js';
import { Mistake } from './mistake.js';

/** Greatest number of names in a message. */
const MAX_SHOWN = 10;

interface Named {
  readonly id: string;
  readonly name: string;
}

/**
 * Item with this id or name. Upper and lower case count only where names differ in nothing else.
 * @throws Mistake with the candidates if there are several or none
 */
export function findNamed<T extends Named>(word: string, kind: string, items: readonly T[]): T {
  const lower = word.toLowerCase();
  const exact = items.filter(({ id, name }) => id === word || name === word);
  const found = exact.length > 0 ? exact : items.filter(({ name }) => name.toLowerCase() === lower);
  const [first, ...others] = found;
  if (first !== undefined && others.length === 0) return first;
  if (first !== undefined) throw new Mistake(listed(`${found.length} ${kind}s are named "${word}": give an id`, found));
  const similar = items.filter(({ name }) => name.toLowerCase().includes(lower));
  const nearest = nearestOf(
    word,
    items.map(({ name }) => name),
  );
  const candidates = similar.length > 0 ? similar : items.filter(({ name }) => name === nearest);
  throw new Mistake(
    listed(`no ${kind} is named "${word}"${candidates.length > 0 ? '; similar names:' : ''}`, candidates),
  );
}

function listed(text: string, items: readonly Named[]): string {
  const lines = items.slice(0, MAX_SHOWN).map(({ id, name }) => `  ${name} (${id})`);
  return [text, ...lines, ...(items.length > MAX_SHOWN ? [`  and ${items.length - MAX_SHOWN} more`] : [])].join('\n');
}
