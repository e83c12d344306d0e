import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';

/** Picture of a page in one of its views. */
export interface Shot {
  readonly title: string;
  readonly path: string;
}

/** Puts pictures next to each other, each with its title, into one. */
export async function contactSheet(browser: Browser, shots: readonly Shot[], path: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1_800, height: 900 } });
  const figures = shots.map(({ title, path: file }) => {
    const data = readFileSync(file).toString('base64');
    return `<figure><figcaption>${title}</figcaption><img src="data:image/png;base64,${data}"></figure>`;
  });
  await page.setContent(`<style>body { display: flex; flex-wrap: wrap; gap: 16px; margin: 16px; background: #888; font: 14px sans-serif }
    figure { margin: 0 } img { max-width: 560px; max-height: 1200px; border: 1px solid #444 }</style>${figures.join('')}`);
  await page.screenshot({ path, fullPage: true });
  await page.close();
}
