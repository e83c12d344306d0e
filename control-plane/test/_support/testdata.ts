import { readFileSync } from 'node:fs';

/** A file under test/testdata, which is not compiled. */
export function testdata(path: string): Buffer {
  return readFileSync(new URL(`../../../test/testdata/${path}`, import.meta.url));
}
