import { mapText, readMap } from '../map.js';

/** Prints what a lab that is up has. */
export function map({ name, json }: { readonly name: string; readonly json?: true }): void {
  const content = readMap(name);
  process.stdout.write(json ? `${JSON.stringify(content, null, 2)}\n` : mapText(content));
}
