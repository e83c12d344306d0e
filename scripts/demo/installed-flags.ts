import { readFileSync } from 'node:fs';

/** Flags that the first line of an installed command gives Node.js. */
export function installedFlags(script: string): string[] {
  const [firstLine = ''] = readFileSync(script, 'utf8').split('\n');
  return firstLine.split(' ').filter((word) => word.startsWith('--'));
}
