import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missing } from '@vantage/shared/_support/missing.js';
import { until } from '@vantage/shared/_support/until.js';
import type { Test } from 'tap';
import { defaultChromiumWish, findChromium, isUsable } from '../../src/probes/browser/chromium.js';

const found = findChromium(defaultChromiumWish);

/** True if an agent finds a browser here that it can use. */
export const hasBrowser = isUsable(found);
/** Reason why tests with a browser cannot run here; false when they can. Never a reason with CI=true. */
export const noBrowser: string | false =
  missing('chromium') || (isUsable(found) || process.env['CI'] === 'true' ? false : found.reason);

/** The pages that a test file and what it starts load from here on, apart from those of other files. */
export class OwnPages {
  readonly #directory = mkdtempSync(join(tmpdir(), 'vantage-pages-'));

  constructor(t: Test) {
    // Chromium of root runs as nobody
    chmodSync(this.#directory, 0o711);
    process.env['TMPDIR'] = this.#directory;
    t.teardown(() => rmSync(this.#directory, { recursive: true, force: true }));
  }

  /** Living processes that were begun for a page, Chromium's own among them. */
  get processes(): number {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return pids.filter((pid) => readOrEmpty(`/proc/${pid}/environ`).includes(`${this.#directory}/vantage-page-`))
      .length;
  }

  /** Waits until neither a process nor a file of a page is left. */
  async gone(): Promise<void> {
    await until('every process of the page is gone', () => this.processes === 0);
    await until('so is what it wrote', () => readdirSync(this.#directory).length === 0);
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
