import { type ChildProcess, fork } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { browser as measurement } from '@vantage/shared/probe-types/browser.js';
import type { ProbeResults, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { roundMs } from '@vantage/shared/probe-types/statistics.js';
import { parseHttpUrl } from '@vantage/shared/target-policy/url.js';
import { abortable } from '../../net/abortable.js';
import { within } from '../../net/deadline.js';
import type { ProbeContext, ProbeEngine } from '../engine.js';
import { ProbeFailure, refusing, toProbeError } from '../failure.js';
import {
  type ChromiumLack,
  type ChromiumWish,
  findChromium,
  isUsable,
  NOBODY,
  type UsableChromium,
} from './chromium.js';
import { EgressProxy } from './egress-proxy.js';
import { codeOfNetError } from './net-errors.js';
import type { PageFailure, PageJob, PageReport } from './page-messages.js';

//   measuring child                          page process                    Chromium
//   engine --fork, one job, IPC-->           playwright --pipe-->            as nobody, in its sandbox
//   egress proxy <-----------------------------------------HTTP proxy------- its only way out
//
//   the engine kills the page process, or ends: its end of the pipe closes, and the kernel kills Chromium (pdeathsig)

type BrowserSpec = ProbeSpecs['browser'];
type BrowserResult = ProbeResults['browser'];

const PAGE_PROCESS = fileURLToPath(new URL('./page-process.js', import.meta.url));
const MAX_URL_LENGTH = 2048;
/** Time that a page process has for its report after the deadline, in milliseconds. */
const GRACE_MS = 2000;

/** Loads pages in headless Chromium, one at a time, each in processes of its own that end with it. */
export class BrowserEngine implements ProbeEngine<'browser'> {
  // Chromium loads the machine fully, and measures its own timing
  readonly load = { units: () => 25, maxConcurrent: 1 };
  #found: UsableChromium | ChromiumLack | null = null;

  constructor(private readonly wish: ChromiumWish) {}

  async run(spec: BrowserSpec, context: ProbeContext): Promise<BrowserResult> {
    const { clock } = context;
    const reason = () => new ProbeFailure('timeout', `the page did not load within ${spec.params.timeout_ms} ms`);
    const proxy = new EgressProxy(context);
    try {
      const limit = { clock, ms: spec.params.timeout_ms + GRACE_MS, reason };
      const report = await within(limit, context.signal, (signal) => this.#load(spec, { ...context, signal }, proxy));
      return describe(report, proxy);
    } catch (error) {
      if (!(error instanceof ProbeFailure)) throw error;
      return {
        ...measurement.blank(),
        success: false,
        error: toProbeError(error),
        refused: proxy.refused,
      };
    } finally {
      proxy.close();
    }
  }

  async #load(spec: BrowserSpec, context: ProbeContext, proxy: EgressProxy): Promise<PageReport> {
    const { signal, policy, resolver, userAgent, clock } = context;
    const endsAtMs = clock.now() + spec.params.timeout_ms;
    const { host } = refusing(() => parseHttpUrl(spec.target));
    // before a browser is started: a refused target, or one without an address, gets our own error message
    await resolver.resolve({ host, ipVersion: 'auto', policy, signal });
    const chromium = this.#chromium();
    const directory = await makeDirectory(chromium);
    try {
      const server = await proxy.open();
      const { selector = null, text = null, verify_tls: verifiesTls } = spec.params;
      return await loadInProcess(signal, {
        url: spec.target,
        selector,
        text,
        verifiesTls,
        endsAtMs,
        userAgent,
        directory,
        program: join(directory, 'chromium'),
        hasSandbox: chromium.hasSandbox,
        pidFile: join(directory, 'pid'),
        proxy: { server, username: proxy.username, password: proxy.password },
      });
    } finally {
      // a killed process may still write for a moment
      void rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }).catch(() => undefined);
    }
  }

  #chromium(): UsableChromium {
    this.#found ??= findChromium(this.wish);
    if (isUsable(this.#found)) return this.#found;
    const { reason, remedy } = this.#found;
    this.#found = null;
    throw new ProbeFailure('not_supported', `this node has no browser: ${reason} (${remedy})`);
  }
}

/** Creates its home, profile and temporary directories and the start script, which writes its process id there. */
async function makeDirectory({ path, prefix }: UsableChromium): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'vantage-page-'));
  const profile = join(directory, 'profile');
  const program = join(directory, 'chromium');
  await mkdir(profile, { mode: 0o700 });
  const words = [...prefix, path].map(quoted).join(' ');
  const ownFiles = `export HOME=${quoted(profile)} TMPDIR=${quoted(profile)}`;
  const script = ['#!/bin/sh', `echo $$ > ${quoted(join(directory, 'pid'))}`, ownFiles];
  await writeFile(program, `${script.join('\n')}\nexec ${words} "$@" --user-data-dir=${quoted(profile)}\n`);
  await chmod(program, 0o755);
  if (process.getuid?.() === 0) {
    await chown(profile, NOBODY, NOBODY);
    await chmod(directory, 0o711);
  }
  return directory;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** One page in its own process, which has ended before this returns. @throws ProbeFailure; or the signal's reason */
function loadInProcess(signal: AbortSignal, job: PageJob): Promise<PageReport> {
  return abortable(signal, ({ resolve, reject }) => {
    const child = forkPageProcess(job);
    let report: PageReport | null = null;
    child.once('message', (message) => {
      report = message as PageReport;
    });
    child.once('error', () => reject(new ProbeFailure('internal', 'cannot start the page process')));
    child.once('exit', () => {
      if (report !== null) resolve(report);
      else reject(new ProbeFailure('internal', 'the page process ended unexpectedly'));
    });
    child.send(job, () => undefined);
    return () => child.kill('SIGKILL');
  });
}

function forkPageProcess({ directory }: PageJob): ChildProcess {
  // a page process gets nothing of the agent's environment
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: directory, TMPDIR: directory, LANG: 'C.UTF-8' };
  return fork(PAGE_PROCESS, [], { env, execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
}

function describe(report: PageReport, proxy: EgressProxy): BrowserResult {
  const failure = report.failure === null ? null : failureOf(report.failure, proxy);
  return {
    success: failure === null,
    error: failure === null ? null : toProbeError(failure),
    status_code: report.statusCode,
    final_url: report.finalUrl?.slice(0, MAX_URL_LENGTH) ?? null,
    title: storable(report.title),
    load_ms: roundMs(report.loadMs),
    timing: { ttfb_ms: roundMs(report.ttfbMs), dom_content_loaded_ms: roundMs(report.domContentLoadedMs) },
    selector_found: report.selectorFound,
    text_found: report.textFound,
    console_errors: report.consoleErrors.map((text) => storable(text)),
    requests: report.requests,
    refused: proxy.refused,
  };
}

function failureOf({ kind, message, url }: PageFailure, proxy: EgressProxy): ProbeFailure {
  switch (kind) {
    case 'navigation':
      return (
        proxy.failureOf(url ?? '') ?? new ProbeFailure(codeOfNetError(message), `the browser reported: ${message}`)
      );
    case 'timeout':
      return proxy.failureOf(url ?? '') ?? new ProbeFailure('http_timeout', `cannot load the page: ${message}`);
    case 'browser':
      return new ProbeFailure('internal', `cannot start Chromium: ${message}`);
    case 'selector':
      return new ProbeFailure('not_supported', `the selector is not valid CSS: ${message}`);
    case 'memory':
      return new ProbeFailure('body_too_large', 'the page uses more than 1 GiB of memory');
    case 'crash':
      return new ProbeFailure('http_protocol', 'the page crashed');
  }
}

function storable(text: string): string;
function storable(text: string | null): string | null;
function storable(text: string | null): string | null {
  return text?.replace(/[\p{Cc}\p{Surrogate}]/gu, ' ') ?? null;
}
