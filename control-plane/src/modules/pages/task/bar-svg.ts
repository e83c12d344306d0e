import { msCell } from '@vantage/shared/probe-types/cells.js';
import type { PhaseBar } from '@vantage/shared/probe-types/phase-bars.js';
import type { Locale } from '../../../http/locale.js';
import { type Html, html } from '../../../http/pages/html.js';
import { columnTitle } from './column-titles.js';
import { durationOf } from './result-phases.js';
import { taskTexts } from './task-texts.js';

const WIDTH = 240;
const HEIGHT = 12;
/** Least width of a bar, so that a phase of a microsecond is seen. */
const LEAST = 1.5;

/** Colour of a phase, as a class of the style sheet, by its name. */
const colours: Readonly<Record<string, string>> = {
  dns_ms: 'phase-dns',
  tcp_ms: 'phase-connect',
  tls_ms: 'phase-tls',
  ttfb_ms: 'phase-wait',
  download_ms: 'phase-load',
};

/** Class of the colour of a phase. */
export function phaseColour(name: string): string {
  return colours[name] ?? 'phase-connect';
}

/**
 * Bars in one line, on a scale that ends at `scaleMs`. A phase that never ended is hatched, and named below the bars. Readers of
 * screens hear every phase with its time.
 */
export function barSvg(bars: readonly PhaseBar[], scaleMs: number, locale: Locale): Html {
  if (bars.length === 0) return html`<span class="muted">-</span>`;
  const share = scaleMs === 0 ? 0 : durationOf(bars) / scaleMs;
  const titleOf = ({ title }: PhaseBar) => columnTitle(title, locale) ?? title;
  const { neverEnded } = taskTexts[locale];
  const label = bars
    .map((bar) => `${bar.isUnfinished ? neverEnded(titleOf(bar)) : titleOf(bar)} ${msCell(bar.ms)}`)
    .join(', ');
  const cut = bars.find(({ isUnfinished }) => isUnfinished);
  return html`<svg class="bar" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}"><title>${label}</title>${bars.map(
    (bar) => rectangle(bar, share),
  )}</svg>${cut !== undefined && html`<span class="cut">${neverEnded(titleOf(cut))}</span>`}`;
}

function rectangle({ name, start, end, isUnfinished }: PhaseBar, share: number): Html {
  const x = start * share * (WIDTH - LEAST);
  const width = Math.max(LEAST, (end - start) * share * (WIDTH - LEAST));
  const [left, length] = [x.toFixed(2), width.toFixed(2)];
  if (!isUnfinished) return html`<rect class="${phaseColour(name)}" x="${left}" width="${length}" height="${HEIGHT}"/>`;
  const middle = HEIGHT / 2;
  return html`<path class="hatched ${phaseColour(name)}" d="M${left} ${middle}h${length}"/>`;
}
