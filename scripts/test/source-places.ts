import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, relative, resolve } from 'node:path';

const compiledPlace = /(?:file:\/\/)?((?:[\w.@-]*\/)*dist\/(?:[\w.@-]+\/)*[\w.@-]+\.js):(\d+)(?::(\d+))?/g;
/** Beyond the end of any line: the last place of a line stands for one that is reported without a column. */
const lineEnd = 1_000_000;

/**
 * `text` with places in compiled files replaced by those they were compiled from, paths relative to `root`:
 * `agent/dist/src/agent.js:30:5` becomes `agent/src/agent.ts:41:7`. What has no source map stays as it is. Tests run
 * without source maps, which cost each of them a tenth of its time; only what a person reads is translated.
 */
export function withSourcePlaces(text: string, root: string): string {
  const maps = new Map<string, SourceMap | null>();
  return text.replace(compiledPlace, (place, file: string, line: string, column?: string) => {
    const path = resolve(root, file);
    if (!maps.has(path)) maps.set(path, readMap(path));
    const entry = maps.get(path)?.findEntry(Number(line) - 1, column === undefined ? lineEnd : Number(column) - 1);
    if (entry === undefined || !('originalSource' in entry)) return place;
    const source = relative(root, resolve(dirname(path), entry.originalSource));
    const originalColumn = column === undefined ? '' : `:${entry.originalColumn + 1}`;
    return `${source}:${entry.originalLine + 1}${originalColumn}`;
  });
}

function readMap(path: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
  } catch {
    return null;
  }
}
