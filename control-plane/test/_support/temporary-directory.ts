import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';

/** A fresh 0711 directory, which PostgreSQL of another user can traverse, removed when `t` ends. */
export function temporaryDirectory(t: Test): string {
  const directory = mkdtempSync(path.join(realpathSync(tmpdir()), 'vantage-test-'));
  chmodSync(directory, 0o711);
  t.teardown(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
}
