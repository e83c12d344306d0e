import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';

/** A fresh 0700 directory that is removed when `t` ends. */
export function temporaryDirectory(t: Test): string {
  const directory = mkdtempSync(path.join(realpathSync(tmpdir()), 'vantage-test-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
