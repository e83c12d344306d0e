import type { MonitorHealth } from '@vantage/shared/monitor-state/quorum.js';
import type { ShownState } from '../heartbeats/heartbeat-state.js';

/** Type and state of a monitor, as its badge shows them. */
export interface Badge {
  readonly type: string;
  readonly state: ShownState | MonitorHealth;
}

const HEIGHT = 20;
/** Approximate widths of Verdana at 11 px; `textLength` corrects small errors. */
const LETTER_WIDTH = 6.5;
const PADDING = 6;

const colours: Readonly<Record<Badge['state'], string>> = {
  new: '#6b7280',
  up: '#2e7d32',
  started: '#1565c0',
  late: '#b26a00',
  degraded: '#b26a00',
  down: '#c62828',
  paused: '#6b7280',
  unknown: '#6b7280',
};

/** Badge as an image: SVG without scripts, fonts or external resources. */
export function renderBadge({ type, state }: Badge): string {
  const [left, right] = [widthOf(type), widthOf(state)];
  const width = left + right;
  const text = (value: string, x: number) =>
    `<text x="${x + PADDING}" y="14" textLength="${widthOf(value) - 2 * PADDING}">${value}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" role="img" aria-label="${type}: ${state}">`,
    `<title>${type}: ${state}</title>`,
    `<rect width="${width}" height="${HEIGHT}" rx="3" fill="#424242"/>`,
    `<path d="M${left} 0h${right - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1 -3 3h-${right - 3}z" fill="${colours[state]}"/>`,
    `<g fill="#fff" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">${text(type, 0)}${text(state, left)}</g>`,
    '</svg>',
  ].join('');
}

function widthOf(text: string): number {
  return Math.round(text.length * LETTER_WIDTH) + 2 * PADDING;
}
