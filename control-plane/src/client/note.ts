import { textCell } from '@vantage/shared/probe-types/cells.js';
import { withProgramCalls } from '@vantage/shared/terminal/program-call.js';
import { screenOf } from '@vantage/shared/terminal/screen.js';
import { wrapText } from '@vantage/shared/terminal/wrap-text.js';
import { readEnv } from '../config/config.js';

/** Prints notes for people, with commands that can be typed here, on standard error, so that standard output has the result alone. */
export function noteLines(notes: readonly string[]): void {
  const { width } = screenOf(process.stderr, readEnv());
  const lines = notes.flatMap((note) => wrapText(textCell(withProgramCalls(note, readEnv())), width));
  process.stderr.write(`${lines.join('\n')}\n`);
}
