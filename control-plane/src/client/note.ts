import { textCell } from '@vantage/shared/probe-types/cells.js';
import { withProgramCalls } from '@vantage/shared/terminal/program-call.js';
import { screenOf } from '@vantage/shared/terminal/screen.js';
import { wrapText } from '@vantage/shared/terminal/wrap-text.js';
import { readEnv } from '../config/config.js';

/** Prints notes for people on standard error, with the commands in backticks as they can be typed here, so that standard output has the result alone. */
export function noteLines(notes: readonly string[]): void {
  const env = readEnv();
  const { width } = screenOf(process.stderr, env);
  const lines = notes.flatMap((note) => wrapText(textCell(withProgramCalls(note, env)), width));
  process.stderr.write(`${lines.join('\n')}\n`);
}
