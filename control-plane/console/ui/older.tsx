import { useState } from 'preact/hooks';
import type { Answer } from '../api/call.js';
import { useQuery } from '../api/query.js';

/** A list that is read by cursor: its newest part is read again and again, older ones when the person asks. */
export function useOlder<T>(
  key: string,
  read: (cursor: string | null, signal?: AbortSignal) => Promise<Answer<unknown> & { readonly items: readonly T[] }>,
) {
  const newest = useQuery(key, (signal) => read(null, signal));
  const [older, setOlder] = useState<{ key: string; items: readonly T[]; cursor: string | null } | null>(null);
  const ours = older?.key === key ? older : null;
  const cursor = ours === null ? (newest.data?.pagination?.next_cursor ?? null) : ours.cursor;
  const readOlder = async () => {
    const next = await read(cursor);
    setOlder({ key, items: [...(ours?.items ?? []), ...next.items], cursor: next.pagination?.next_cursor ?? null });
  };
  return {
    newest,
    items: [...(newest.data?.items ?? []), ...(ours?.items ?? [])],
    hasOlder: cursor !== null,
    readOlder,
  };
}
