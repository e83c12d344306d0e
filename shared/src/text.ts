/**
 * Finds text that PostgreSQL cannot store: U+0000 and surrogates without a partner (RFC 8259 section 8.2 allows both
 * in JSON). Returns the dotted path of the first such string or key (`body` for the value itself), else null; in the
 * path what cannot be stored stands as U+FFFD. The value must be plain JSON data, of any depth.
 */
export function findUnstorableText(value: unknown): string | null {
  const pending: { readonly value: unknown; readonly path: string }[] = [{ value, path: '' }];
  // an explicit stack: JSON.parse accepts nesting that would overflow recursion
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next.value === 'string' && !isStorableText(next.value)) return next.path === '' ? 'body' : next.path;
    if (typeof next.value !== 'object' || next.value === null) continue;
    const children: typeof pending = [];
    for (const [key, child] of Object.entries(next.value)) {
      const path = joinPath(next.path, key);
      children.push({ value: isStorableText(key) ? child : key, path });
    }
    pending.push(...children.reverse());
  }
  return null;
}

/** True if a string can be stored: it has no U+0000 and no unpaired surrogate. */
export function isStorableText(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text);
}

/** Text that can be stored: U+FFFD in place of U+0000 and unpaired surrogates. */
export function toStorableText(text: string): string {
  return text.replaceAll(/[\0\p{Surrogate}]/gu, '\ufffd');
}

function joinPath(parent: string, key: string): string {
  const printable = toStorableText(key);
  return parent === '' ? printable : `${parent}.${printable}`;
}
