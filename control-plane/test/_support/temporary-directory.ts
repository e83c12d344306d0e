import { chmodSync, mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';

/** A fresh 0711 directory, which PostgreSQL of another user can traverse, removed when `t` ends. */
export function temporaryDirectory(t: Test): string {
  const directory = mkdtempSync(path.join(realpathSync(tmpdir()), 'vantage-test-'));
  chmodSync(directory, 0o711);
  // a process that was just killed may still be writing: the whole removal is tried again, which rmSync does not
  t.teardown(() => rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  return directory;
}
