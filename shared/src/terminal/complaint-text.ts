import { textCell } from '../probe-types/cells.js';
import { withProgramCalls } from './program-call.js';
import { screenOf } from './screen.js';
import { wrapText } from './wrap-text.js';

/**
 * Complaint of a program, for its standard error: lines that fit a terminal, whole in a log, and commands that can be typed here. Servers,
 * files and variables choose parts of it.
 */
export function complaintText(
  program: string,
  message: string,
  stderr: { readonly isTTY?: boolean; readonly columns?: number },
  env: Readonly<Record<string, string | undefined>>,
): string {
  const { width } = screenOf(stderr, env);
  const lines = `${program}: ${withProgramCalls(message, env)}`.split('\n').flatMap((line) => {
    const [indent = ''] = /^ */.exec(line) ?? [];
    // what goes on is indented below its beginning
    const [first = '', ...more] = wrapText(textCell(line.trim()), width - indent.length - 2);
    return [`${indent}${first}`, ...more.map((part) => `${indent}  ${part}`)];
  });
  return `${lines.join('\n')}\n`;
}
