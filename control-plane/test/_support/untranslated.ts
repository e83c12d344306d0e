import type { Page } from 'playwright-core';

/** Words that are the same in every language: names, protocols, units, and what a reader types. */
const COMMON =
  /\b(?:vantage(?:-agent)?|curl|token\.txt|task_id|api|url|json|openapi|natural earth|host:port|user-agent|linux)\b/gi;

/**
 * Phrases of two or more English words on a page in another language, in elements that do not say that they are in English. Values
 * that people and servers chose (targets, names of cities) are left out by `known`.
 */
export async function untranslatedTexts(page: Page, known: readonly string[]): Promise<string[]> {
  const texts = await page.evaluate<string[]>(`[...document.querySelectorAll('body *')]
    .filter((element) => element.closest('[lang]').lang !== 'en' && !element.closest('script, style, pre, code, option'))
    .flatMap((element) => [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim()))
    .concat([...document.querySelectorAll('[aria-label], [placeholder], [title]')]
      .filter((element) => element.closest('[lang]').lang !== 'en')
      .flatMap((element) => ['aria-label', 'placeholder', 'title'].map((name) => element.getAttribute(name) ?? '')))
    .concat([document.title])
    .filter((text) => text !== '')`);
  return texts.filter((text) => {
    const left = known.reduce((rest, value) => rest.replaceAll(value, ' '), text).replaceAll(COMMON, ' ');
    return /[a-z]{3,}[ ,]+[a-z]{2,}/i.test(left);
  });
}
