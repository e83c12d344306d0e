import { durationOption } from '../durations.js';

/** Option of the command line for a parameter: `record_type` is `--record-type`, `timeout_ms` is `--timeout`. */
export function flagOf(param: string): string {
  return `--${param.replace(/_ms$/, '').replaceAll('_', '-')}`;
}

/** True if the option of a parameter takes a duration such as `5s`. */
export function isDuration(param: string): boolean {
  return param.endsWith('_ms');
}

/** Words of the command line for a parameter with a value. */
export function flagWords(param: string, value: unknown): [flag: string, text: string][] {
  const flag = flagOf(param);
  if (isDuration(param)) return [[flag, durationOption(Number(value))]];
  if (typeof value === 'boolean') return [[flag, value ? 'yes' : 'no']];
  return Array.isArray(value) ? value.map((item) => [flag, String(item)]) : [[flag, String(value)]];
}
