import { missing } from '@vantage/shared/_support/missing.js';
import axe, { type AxeResults } from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { Test } from 'tap';

/** Reason why browser tests cannot run on this machine; false if they can. Never a reason with CI=true. */
export const noBrowser: string | false = missing('chromium-headless-shell');

/** Debian's Chromium without its own windows, which takes two thirds of the processor time; closed when `t` ends. */
export async function startBrowser(t: Test): Promise<Browser> {
  // root has no other sandbox available
  const executablePath = '/usr/bin/chromium-headless-shell';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'], timeout: 120_000 });
  t.teardown(() => browser.close());
  return browser;
}

/** A tab, with all errors it recorded. */
export interface Tab {
  readonly page: Page;
  /** Errors and warnings of the console, including violations of the content security policy, and exceptions. */
  readonly complaints: string[];
  /** Addresses of all requests. */
  readonly requests: string[];
}

/** Opens an address in a fresh profile, in a wide window with a light color scheme; `options` replaces some of the profile. */
export async function openTab(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Tab> {
  const wideAndLight = { viewport: { width: 1280, height: 900 }, colorScheme: 'light' } as const;
  const context = await browser.newContext({ ...wideAndLight, ...options });
  // a machine that runs many suites at once is slow, not wrong
  context.setDefaultTimeout(120_000);
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

/** Opens the same page on a phone with a dark color scheme. */
export async function narrowAndDarken(page: Page): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
}

/** Serious and critical findings of axe-core for the current page, each with the first elements. */
export async function accessibilityFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>("axe.run(document, { resultTypes: ['violations'] })");
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 150))}`);
}

/** Number of pixels by which a page is wider than its window; at most 0 if no horizontal scrolling is needed. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
}

/** Texts of our own pages, other than those in a fixed-width font, that are wider than their place. */
export function cutTexts(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(
    `[...document.querySelectorAll('main .wide, main .wide td, main dd, main p, main h1, main h2, main .pill, main button, main label, .site a')]
       .filter((element) => element.scrollWidth > element.clientWidth + 1)
       .map((element) => element.innerText.slice(0, 80))`,
  );
}

/** Passkey in the authenticator of a tab. */
interface KeptPasskey {
  readonly credentialId: string;
  readonly isResidentCredential: boolean;
  readonly privateKey: string;
  readonly signCount: number;
}

/** Authenticator of a tab. */
interface TabAuthenticator {
  passkeys(): Promise<KeptPasskey[]>;
  /** Replaces its passkeys by this one. */
  put(credential: KeptPasskey): Promise<void>;
}

/** Adds an authenticator that keeps passkeys and verifies its user to a tab. */
export async function addAuthenticator(page: Page): Promise<TabAuthenticator> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    passkeys: async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    put: async (credential) => {
      await cdp.send('WebAuthn.clearCredentials', { authenticatorId });
      await cdp.send('WebAuthn.addCredential', { authenticatorId, credential });
    },
  };
}
