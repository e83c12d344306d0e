import { useEffect, useState } from 'preact/hooks';
import { formatRelative, formatTime } from '../texts/format.js';

/** An instant in the zone of the person, and how long ago it was; in UTC while it is pointed at. */
export function Time({ at, isShort = false }: { readonly at: string; readonly isShort?: boolean }) {
  const now = useNow();
  const relative = formatRelative(at, now);
  return (
    <time dateTime={at} title={formatTime(at, 'UTC')}>
      {isShort ? relative : `${formatTime(at)} (${relative})`}
    </time>
  );
}

function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 10_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
