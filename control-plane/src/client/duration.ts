import { parseDuration } from '@vantage/shared/durations.js';
import { InvalidArgumentError } from 'commander';

/** Seconds of a duration as an option has it: `90`, `30s`, `5m`, `1h30m`, `2d`. @throws InvalidArgumentError */
export function parseSeconds(text: string): number {
  const ms = parseDuration(/^\d+$/.test(text) ? `${text}s` : text);
  if (ms === null || ms % 1_000 !== 0 || ms > Number.MAX_SAFE_INTEGER)
    throw new InvalidArgumentError('must be a duration such as 30s, 5m, 2h or 1d');
  return ms / 1_000;
}
