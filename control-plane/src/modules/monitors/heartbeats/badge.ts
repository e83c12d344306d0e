import type { ShownState } from './heartbeat-state.js';

const LABEL = 'heartbeat';
const HEIGHT = 20;
/** Approximate widths of Verdana at 11 px; `textLength` corrects small errors. */
const LETTER_WIDTH = 6.5;
const PADDING = 6;

const colours: Readonly<Record<ShownState, string>> = {
  new: '#6b7280',
  up: '#2e7d32',
  started: '#1565c0',
  late: '#b26a00',
  down: '#c62828',
  paused: '#6b7280',
};

/** Badge of a state: SVG without scripts, fonts or external resources. */
export function renderBadge(state: ShownState): string {
  const [left, right] = [widthOf(LABEL), widthOf(state)];
  const width = left + right;
  const text = (value: string, x: number) =>
    `<text x="${x + PADDING}" y="14" textLength="${widthOf(value) - 2 * PADDING}">${value}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" role="img" aria-label="${LABEL}: ${state}">`,
    `<title>${LABEL}: ${state}</title>`,
    `<rect width="${width}" height="${HEIGHT}" rx="3" fill="#424242"/>`,
    `<path d="M${left} 0h${right - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1 -3 3h-${right - 3}z" fill="${colours[state]}"/>`,
    `<g fill="#fff" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">${text(LABEL, 0)}${text(state, left)}</g>`,
    '</svg>',
  ].join('');
}

function widthOf(text: string): number {
  return Math.round(text.length * LETTER_WIDTH) + 2 * PADDING;
}
