import { type Html, html } from './html.js';

/** Judgment in a word: `warn` is not what one hopes for, `none` is no judgment. */
export interface Pill {
  readonly look: 'good' | 'warn' | 'bad' | 'none';
  readonly word: string;
}

const shapes: Readonly<Record<Pill['look'], Html>> = {
  good: html`<path d="M2.5 8.5 6 12l7.5-8" fill="none" stroke="currentColor" stroke-width="2.4"/>`,
  warn: html`<path d="M8 1.5 15 14H1zM8 6v4m0 1.5V13" fill="none" stroke="currentColor" stroke-width="1.8"/>`,
  bad: html`<path d="M3 3l10 10M13 3 3 13" fill="none" stroke="currentColor" stroke-width="2.4"/>`,
  none: html`<circle cx="8" cy="8" r="5.5" fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="3 2.6"/>`,
};

/** A judgment with its word and a shape, so that its colour is not all that says it. */
export function pillHtml({ look, word }: Pill): Html {
  return html`<span class="pill ${look}"><svg viewBox="0 0 16 16" aria-hidden="true">${shapes[look]}</svg>${word}</span>`;
}
