import { existsSync } from 'node:fs';
import axe, { type AxeResults } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Test } from 'tap';

const CHROMIUM = '/usr/bin/chromium';

/** Why tests with a browser cannot run here; false when they can. Never a reason with CI=true. */
export const noBrowser: string | false =
  existsSync(CHROMIUM) || process.env['CI'] === 'true' ? false : `needs ${CHROMIUM} (Debian package chromium)`;

/** Debian's Chromium, closed when `t` ends. */
export async function startBrowser(t: Test): Promise<Browser> {
  // whoever runs the tests as root has no other sandbox to offer
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  t.teardown(() => browser.close());
  return browser;
}

/** A tab, with everything that went wrong in it. */
export interface Tab {
  readonly page: Page;
  /** Errors and warnings of the console, breaches of the content policy among them, and exceptions. */
  readonly complaints: string[];
  /** Addresses of all requests. */
  readonly requests: string[];
}

/** Opens an address in a fresh profile, in a wide window of somebody who likes it light. */
export async function openTab(browser: Browser, url: string): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' });
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(url);
  return { page, complaints, requests };
}

/** The same page on a phone, of somebody who likes it dark. */
export async function narrowAndDarken(page: Page): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
}

/** Serious and critical findings of axe-core about a page as it is now, each with the first elements. */
export async function accessibilityFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>("axe.run(document, { resultTypes: ['violations'] })");
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 150))}`);
}

/** By how many pixels a page is wider than its window; at most 0 when nobody has to scroll sideways. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
}
