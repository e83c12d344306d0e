import { textCell } from '@vantage/shared/probe-types/cells.js';
import { screenOf } from '@vantage/shared/terminal/screen.js';
import { wrapText } from '@vantage/shared/terminal/wrap-text.js';
import { readEnv } from '../config/config.js';

/** Prints notes for people on standard error, so that standard output has the result alone. */
export function noteLines(notes: readonly string[]): void {
  const { width } = screenOf(process.stderr, readEnv());
  const lines = notes.flatMap((note) => wrapText(textCell(note), width));
  process.stderr.write(`${lines.join('\n')}\n`);
}
