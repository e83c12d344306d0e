import type { Tone } from '@vantage/shared/terminal/colours.js';
import { Progress } from '@vantage/shared/terminal/progress.js';
import { type Screen, screenOf } from '@vantage/shared/terminal/screen.js';
import { wrapLine } from '@vantage/shared/terminal/wrap-text.js';

/** Words that begin a line about a change, and their meaning. */
const tones: Readonly<Record<string, Tone>> = { up: 'good', DOWN: 'bad', reported: 'strong', hook: 'strong' };

/** Screen of the demo's results. */
export function demoScreen(): Screen {
  return screenOf(process.stdout, process.env);
}

/** Status of the demo on standard error: one line on a terminal, a line for each step elsewhere. */
export function demoProgress(): Progress {
  return new Progress(process.stderr, 'lines');
}

/** A title between parts of the output. */
export function titleText(title: string, { paint }: Screen): string {
  return `\n${paint(title, 'strong')}\n`;
}

/** Lines indented by two, wrapped at the width. */
export function indented(lines: string, { width }: Screen): string {
  return lines
    .split('\n')
    .flatMap((line) => wrapLine(line, width - 2))
    .map((line) => `${`  ${line}`.trimEnd()}\n`)
    .join('');
}

/** A line about a monitor: indented, its first word coloured by its meaning. */
export function changeText(line: string, screen: Screen): string {
  return indented(line, screen).replace(/^ {2}\w+/, (word) => screen.paint(word, tones[word.trim()] ?? null));
}
