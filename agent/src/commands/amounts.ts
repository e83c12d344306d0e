const KIB = 1024;
const MINUTE_S = 60;

/** Bytes for people: `312 B`, `84.2 KiB`, `3.1 MiB`. */
export function sizeText(bytes: number): string {
  if (bytes < KIB) return `${bytes} B`;
  if (bytes < KIB * KIB) return `${(bytes / KIB).toFixed(1)} KiB`;
  return `${(bytes / KIB / KIB).toFixed(1)} MiB`;
}

/** A length of time for people, two units at most: `4 s`, `12 min 3 s`, `3 h 20 min`, `2 d 4 h`. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const units: [string, number][] = [
    ['d', 24 * 60 * MINUTE_S],
    ['h', 60 * MINUTE_S],
    ['min', MINUTE_S],
    ['s', 1],
  ];
  const start = units.findIndex(([, size]) => seconds >= size);
  if (start < 0) return '0 s';
  let rest = seconds;
  const parts = units.slice(start, start + 2).map(([name, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? '' : `${count} ${name}`;
  });
  return parts.filter((part) => part !== '').join(' ');
}
