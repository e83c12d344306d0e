import type { Browser, Page } from 'playwright-core';
import type { Test } from 'tap';
import { accessibilityFindings, cutTexts, narrowAndDarken, openTab, overflowOf } from './browser.js';
import { untranslatedTexts } from './untranslated.js';

/** A page in some of its states, in one language. */
export interface PageLooks {
  /** Begins the names of pictures, which are taken into VANTAGE_TEST_PICTURES if that is set. */
  readonly name: string;
  readonly locale: string;
  /** Address of each state. */
  readonly states: Readonly<Record<string, string>>;
  /** Text of states in this language, by the element that has it. */
  readonly texts?: Readonly<Record<string, { readonly locator: string; readonly text: string }>>;
  /** Nothing may be loaded from elsewhere. */
  readonly origin: string;
  /** Status of a response that the browser itself reports, and that is meant; null if none is. */
  readonly expectedStatus: number | null;
}

/**
 * Asserts that each state is in its language, passes axe-core, does not scroll sideways and loads nothing from elsewhere, wide and
 * light, then narrow and dark; narrow, it cuts no value.
 */
export async function looksRight(t: Test, browser: Browser, looks: PageLooks): Promise<void> {
  const { name, locale, states, texts = {}, origin, expectedStatus } = looks;
  const directory = process.env['VANTAGE_TEST_PICTURES'];
  const { page, complaints, requests } = await openTab(browser, 'about:blank', { locale });
  for (const view of ['wide light', 'narrow dark']) {
    for (const [state, address] of Object.entries(states)) {
      await page.goto(address);
      const shown = texts[state];
      if (shown !== undefined) t.match(await page.locator(shown.locator).innerText(), shown.text, state);
      t.equal(await page.locator('html').getAttribute('lang'), locale, state);
      t.strictSame(await accessibilityFindings(page), [], `${state} ${view}`);
      t.ok((await overflowOf(page)) <= 0, `${state} ${view} does not scroll sideways`);
      if (view === 'narrow dark') t.strictSame(await cutTexts(page), [], `${state} ${view} cuts no text`);
      const file = `${name}-${locale}-${state}-${view}`.replaceAll(/[^\w-]+/g, '-');
      if (directory !== undefined) await page.screenshot({ path: `${directory}/${file}.png`, fullPage: true });
    }
    await narrowAndDarken(page);
  }
  t.strictSame(
    complaints.filter((complaint) => expectedStatus === null || !complaint.includes(String(expectedStatus))),
    [],
  );
  t.ok(
    requests.every((address) => address.startsWith(origin) || address.startsWith('data:')),
    'nothing is loaded from elsewhere',
  );
  await page.context().close();
}

/**
 * Asserts that the page of a tab, as it is, passes axe-core, does not scroll sideways, cuts no text and is in its language, light and
 * dark, wide and narrow. `chosen`: values on it that people and servers chose.
 */
export async function looksRightNow(t: Test, page: Page, state: string, chosen: readonly string[]): Promise<void> {
  const directory = process.env['VANTAGE_TEST_PICTURES'];
  const locale = await page.locator('html').getAttribute('lang');
  if (locale !== 'en') t.strictSame(await untranslatedTexts(page, chosen), [], `${state} ${locale} is translated`);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [390, 1_280]) {
      const view = `${state} ${locale} ${width} ${colorScheme}`;
      await page.setViewportSize({ width, height: 900 });
      t.ok((await overflowOf(page)) <= 0, `${view} does not scroll sideways`);
      t.strictSame(await cutTexts(page), [], `${view} cuts no text`);
      const path = `${directory}/${view.replaceAll(/[^\w-]+/g, '-')}.png`;
      if (directory !== undefined) await page.screenshot({ path, fullPage: true });
    }
    t.strictSame(await accessibilityFindings(page), [], `${state} ${locale} ${colorScheme}`);
  }
}
