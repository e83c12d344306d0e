import type { AddNote } from './entry.js';

/** Shortest interval of a heartbeat, in seconds. */
const LEAST_INTERVAL_S = 30;
/** Pings of a job do not arrive to the second, least of all over the internet: without grace each that is late would be an outage. */
const LEAST_GRACE_S = 10;

/** Settings of a heartbeat for a job that reports at an interval, `graceSeconds` late at most; `field`: interval in the file. */
export function pushTiming(
  { intervalSeconds, graceSeconds }: { readonly intervalSeconds: number; readonly graceSeconds: number },
  field: string,
  note: AddNote,
): Readonly<Record<string, unknown>> {
  const interval = Math.max(LEAST_INTERVAL_S, Math.ceil(intervalSeconds));
  if (interval !== intervalSeconds)
    note(
      field,
      `${intervalSeconds} s was changed to ${interval} s: a heartbeat expects a ping every ${LEAST_INTERVAL_S} s at most`,
    );
  return { mode: 'interval', interval_s: interval, grace_s: Math.max(LEAST_GRACE_S, Math.ceil(graceSeconds)) };
}
