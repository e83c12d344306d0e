import { readFileSync, rmSync } from 'node:fs';
import { systemClock } from '@vantage/shared/clock.js';
import { MAX_CONSOLE_ERROR_LENGTH, MAX_CONSOLE_ERRORS } from '@vantage/shared/probe-types/browser.js';
import { type Browser, chromium, errors, type Page } from 'playwright-core';
import type { PageFailure, PageJob, PageReport } from './page-messages.js';
import { memoryOfGroup } from './process-memory.js';

// Entry point of a page process, forked by BrowserEngine for one page: leaks and failures of playwright and Chromium
// end with it.

const MEMORY_LOOK_MS = 500;
/** Greatest memory of all Chromium processes together, in bytes. */
const MAX_MEMORY_BYTES = 1024 ** 3;
const TEXT_LOOK_MS = 200;
/** Time that a page has to describe itself, in milliseconds. */
const REPORT_MS = 500;
/** Characters of errors and titles that are kept. */
const MAX_MESSAGE_LENGTH = 300;

/** The only way out is the proxy: names are not resolved here, UDP is not spoken, loopback is no exception. */
const containment = [
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--proxy-bypass-list=<-loopback>',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
];
const thrift = [
  '--js-flags=--max-old-space-size=512',
  '--disable-dev-shm-usage',
  '--disable-crash-reporter',
  '--disable-gpu',
];

process.once('message', (job: PageJob) => void run(job));
// playwright ends Chromium when this process exits
process.on('disconnect', () => process.exit(1));

/** Observations so far. */
interface Seen {
  statusCode: number | null;
  loadMs: number | null;
  selectorFound: boolean | null;
  textFound: boolean | null;
  /** A navigation of the page itself that failed last. */
  failedUrl: string | null;
  requests: number;
  readonly consoleErrors: string[];
}

async function run(job: PageJob): Promise<void> {
  const seen: Seen = {
    statusCode: null,
    loadMs: null,
    selectorFound: null,
    textFound: null,
    failedUrl: null,
    requests: 0,
    consoleErrors: [],
  };
  let page: Page | null = null;
  let failure: PageFailure | null = null;
  let browser: Browser | null = null;
  try {
    removeAtExit(job);
    browser = await launch(job);
    // removed again, after playwright has killed Chromium at exit, which writes until then
    removeAtExit(job);
    watchMemory(job, () => void end(reportOf(seen, null, { kind: 'memory', message: '', url: null })));
    page = await openPage(browser, job, seen);
    page.on('crash', () => void end(reportOf(seen, null, { kind: 'crash', message: '', url: null })));
    await visit(page, job, seen);
  } catch (error) {
    failure = failureOf(error, seen, browser !== null);
  }
  await end(reportOf(seen, await aboutPage(page, failure), failure));
}

function removeAtExit({ directory }: PageJob): void {
  process.on('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
}

function leftMs({ endsAtMs }: PageJob): number {
  return Math.max(1, endsAtMs - systemClock.now());
}

function launch(job: PageJob): Promise<Browser> {
  return chromium.launch({
    executablePath: job.program,
    chromiumSandbox: job.hasSandbox,
    proxy: { ...job.proxy },
    args: [...containment, ...thrift],
    timeout: leftMs(job),
  });
}

async function openPage(browser: Browser, { verifiesTls, userAgent }: PageJob, seen: Seen): Promise<Page> {
  const [major = '0'] = browser.version().split('.');
  const name = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36 ${userAgent}`;
  const context = await browser.newContext({
    userAgent: name,
    ignoreHTTPSErrors: !verifiesTls,
    acceptDownloads: false,
  });
  const page = await context.newPage();
  const complain = (text: string) => {
    if (seen.consoleErrors.length < MAX_CONSOLE_ERRORS)
      seen.consoleErrors.push(text.slice(0, MAX_CONSOLE_ERROR_LENGTH));
  };
  page.on('console', (message) => {
    if (message.type() === 'error') complain(message.text());
  });
  page.on('pageerror', (error) => complain(String(error)));
  page.on('request', () => {
    seen.requests += 1;
  });
  page.on('requestfailed', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) seen.failedUrl = request.url();
  });
  return page;
}

async function visit(page: Page, job: PageJob, seen: Seen): Promise<void> {
  const beganAt = systemClock.monotonicMs();
  const response = await page.goto(job.url, { waitUntil: 'load', timeout: leftMs(job) });
  seen.loadMs = systemClock.monotonicMs() - beganAt;
  seen.statusCode = response?.status() ?? null;
  if (job.selector !== null) seen.selectorFound = await hasSelector(page, job.selector, job);
  if (job.text !== null) seen.textFound = await hasText(page, job.text, job);
}

/** Pages build themselves: it may come until the time is over. */
async function hasSelector(page: Page, selector: string, job: PageJob): Promise<boolean> {
  try {
    await page.waitForSelector(`css=${selector}`, { state: 'attached', timeout: reserved(job) });
    return true;
  } catch (error) {
    if (error instanceof errors.TimeoutError) return false;
    throw new SelectorError((error as Error).message);
  }
}

class SelectorError extends Error {}

async function hasText(page: Page, wanted: string, job: PageJob): Promise<boolean> {
  const text = plain(wanted);
  for (;;) {
    const timeout = Math.max(1, reserved(job));
    const shown = await page.innerText('body', { timeout }).catch(() => '');
    if (plain(shown).includes(text)) return true;
    if (reserved(job) <= TEXT_LOOK_MS) return false;
    await new Promise<void>((resolve) => systemClock.after(TEXT_LOOK_MS, resolve));
  }
}

/** Remaining time without the part reserved for the report, in milliseconds. */
function reserved(job: PageJob): number {
  return Math.max(1, leftMs(job) - REPORT_MS);
}

function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function failureOf(error: unknown, { failedUrl }: Seen, hasBrowser: boolean): PageFailure {
  const message =
    (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]?.slice(0, MAX_MESSAGE_LENGTH) ?? '';
  if (error instanceof SelectorError) return { kind: 'selector', message, url: null };
  if (!hasBrowser) return { kind: 'browser', message, url: null };
  if (error instanceof errors.TimeoutError) return { kind: 'timeout', message, url: failedUrl };
  return { kind: 'navigation', message, url: failedUrl };
}

/** Values that the page itself reports and may falsify. */
interface About {
  readonly url: string | null;
  readonly title: string | null;
  readonly ttfbMs: number | null;
  readonly domContentLoadedMs: number | null;
}

const navigationTiming = `(() => {
  const [entry] = performance.getEntriesByType('navigation');
  return [Number(entry.responseStart), Number(entry.domContentLoadedEventEnd)];
})()`;

async function aboutPage(page: Page | null, failure: PageFailure | null): Promise<About> {
  const nothing: About = { url: null, title: null, ttfbMs: null, domContentLoadedMs: null };
  if (page === null || (failure !== null && failure.kind !== 'selector')) return nothing;
  const ask = async (): Promise<About> => {
    const [ttfb, loaded] = await page.evaluate<[unknown, unknown]>(navigationTiming);
    const title = (await page.title()).slice(0, MAX_MESSAGE_LENGTH);
    return { url: page.url(), title, ttfbMs: timeOf(ttfb), domContentLoadedMs: timeOf(loaded) };
  };
  const late = new Promise<About>((resolve) => {
    systemClock.after(REPORT_MS, () => resolve({ ...nothing, url: page.url() }));
  });
  return Promise.race([ask().catch(() => nothing), late]);
}

function timeOf(value: unknown): number | null {
  return typeof value === 'number' && value > 0 && value < 1e6 ? value : null;
}

function reportOf(seen: Seen, about: About | null, failure: PageFailure | null): PageReport {
  const { failedUrl: _failedUrl, ...rest } = seen;
  const { url: finalUrl = null, title = null, ttfbMs = null, domContentLoadedMs = null } = about ?? {};
  return { ...rest, failure, finalUrl, title, ttfbMs, domContentLoadedMs };
}

function watchMemory({ pidFile }: PageJob, onTooMuch: () => void): void {
  const pid = Number(readFileSync(pidFile, 'utf8'));
  const look = () => {
    if (memoryOfGroup(pid) > MAX_MEMORY_BYTES) onTooMuch();
    else systemClock.after(MEMORY_LOOK_MS, look);
  };
  look();
}

let isEnding = false;

/** Exiting kills Chromium: a page that is closed in order could hold that up. */
async function end(report: PageReport): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  process.send?.(report, () => process.exit(0));
}
