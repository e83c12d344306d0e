const unitMs = { ns: 1e-6, us: 1e-3, µs: 1e-3, μs: 1e-3, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** Milliseconds of a Go duration such as `1h30m` or `1.5s`; null if invalid. */
export function parseGoDuration(text: string): number | null {
  const written = text.trim();
  if (written === '0') return 0;
  if (!/^(?:\d+(?:\.\d+)?(?:ns|us|µs|μs|ms|s|m|h))+$/.test(written)) return null;
  const parts = [...written.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|μs|ms|s|m|h)/g)];
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * unitMs[unit as keyof typeof unitMs], 0);
}
