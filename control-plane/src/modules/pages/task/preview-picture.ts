import type { PhaseBar } from '@vantage/shared/probe-types/phase-bars.js';
import type { Verdict } from '@vantage/shared/probe-types/verdict.js';
import type { Colour, Picture } from './png.js';

// The size that readers of links show in full. Titles and descriptions say the rest: the picture has no text.
const WIDTH = 1_200;
const HEIGHT = 630;
const MARGIN = 60;
const MAX_ROWS = 6;

const colours = {
  ground: [255, 255, 255],
  raised: [238, 242, 246],
  brand: [11, 92, 173],
  white: [255, 255, 255],
  good: [23, 112, 58],
  warn: [138, 90, 0],
  bad: [180, 35, 24],
  dns_ms: [138, 99, 210],
  tcp_ms: [47, 129, 199],
  tls_ms: [31, 158, 143],
  ttfb_ms: [201, 138, 27],
  download_ms: [91, 154, 60],
} as const satisfies Readonly<Record<string, Colour>>;
type ColourName = keyof typeof colours;
const names = Object.keys(colours) as readonly ColourName[];

/** A result in a preview. */
export interface PreviewRow {
  readonly look: Verdict['look'];
  readonly bars: readonly PhaseBar[];
  /** Share of the longest result, 0 to 1. */
  readonly share: number;
}

/** Picture of results for previews of links: the sign of the service, and for each node the shape of its verdict and its bars. */
export function previewPicture(rows: readonly PreviewRow[]): Picture {
  const pixels = new Uint8Array(WIDTH * HEIGHT);
  paint(pixels, [MARGIN, MARGIN, 90, 90], 'brand');
  paint(pixels, [MARGIN, MARGIN, 90, 90], 'white', (x, y) => onStroke(x, y));
  const shown = rows.slice(0, MAX_ROWS);
  const height = Math.min(90, (HEIGHT - 3 * MARGIN - 90) / Math.max(1, shown.length));
  for (const [i, { look, bars, share }] of shown.entries()) {
    const top = Math.round(2 * MARGIN + 90 + i * height);
    const size = Math.round(height * 0.6);
    paint(pixels, [MARGIN, top, size, size], look, shapes[look]);
    const [left, room] = [MARGIN + size + 40, WIDTH - 2 * MARGIN - size - 40];
    paint(pixels, [left, top, room, size], 'raised');
    for (const { name, start, end, isUnfinished } of bars) {
      const box = [left + start * share * room, top, Math.max(3, (end - start) * share * room), size] as const;
      const hatch = isUnfinished ? (x: number) => (x * box[2]) % 16 < 10 : () => true;
      paint(pixels, box, isColour(name) ? name : 'tcp_ms', hatch);
    }
  }
  return { width: WIDTH, height: HEIGHT, palette: names.map((name) => colours[name]), pixels };
}

/** Shapes in a square of side 1: a circle, a triangle, a cross. */
const shapes: Readonly<Record<Verdict['look'], (x: number, y: number) => boolean>> = {
  good: (x, y) => Math.hypot(x - 0.5, y - 0.5) < 0.48,
  warn: (x, y) => Math.abs(x - 0.5) < y * 0.5,
  bad: (x, y) => Math.abs(x - y) < 0.2 || Math.abs(x + y - 1) < 0.2,
};

function isColour(name: string): name is ColourName {
  return Object.hasOwn(colours, name);
}

/** The V of the sign, as lines of the icon in a square of side 1. */
function onStroke(x: number, y: number): boolean {
  const along = (y - 0.28) / 0.47;
  if (along < 0 || along > 1) return false;
  return Math.abs(Math.abs(x - 0.5) - 0.28 * (1 - along)) < 0.07;
}

type Box = readonly [left: number, top: number, width: number, height: number];

/** Paints the part of a box that `isInside`, in coordinates from 0 to 1. */
function paint(pixels: Uint8Array, box: Box, colour: ColourName, isInside = (_x: number, _y: number) => true): void {
  // edges are rounded, not sizes: bars that meet have no gap
  const [left, top] = [Math.round(box[0]), Math.round(box[1])];
  const [width, height] = [Math.round(box[0] + box[2]) - left, Math.round(box[1] + box[3]) - top];
  const index = names.indexOf(colour);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if (isInside((x + 0.5) / width, (y + 0.5) / height)) pixels[(top + y) * WIDTH + left + x] = index;
    }
  }
}
