import { complaintText } from '@vantage/shared/terminal/complaint-text.js';
import { jsonText, plainText } from '@vantage/shared/terminal/plain-text.js';
import { withProgramCalls } from '@vantage/shared/terminal/program-call.js';
import { type Screen, screenOf } from '@vantage/shared/terminal/screen.js';
import { tableLines } from '@vantage/shared/terminal/table.js';
import { wrapLine, wrapText } from '@vantage/shared/terminal/wrap-text.js';
import { readEnv } from '../config/config.js';

/** Prints the resource of the API as JSON, without envelope. */
export function printJson(resource: unknown): void {
  process.stdout.write(`${jsonText(resource)}\n`);
}

/** Prints a text for people, which cannot control the terminal, with the commands in backticks as they can be typed here. */
export function printText(text: string): void {
  process.stdout.write(`${plainText(withProgramCalls(text, readEnv()))}\n`);
}

/** Prints the complaint of a program on standard error. */
export function printComplaint(program: string, text: string): void {
  process.stderr.write(complaintText(program, text, process.stderr, readEnv()));
}

/** Prints a secret that is shown only once below a note of one or more lines, and nothing else on standard output, so that it can be piped. */
export function printSecret(token: string, note: string): void {
  const { width } = screenOf(process.stderr, readEnv());
  process.stderr.write(
    `${plainText(note)
      .split('\n')
      .flatMap((line) => wrapText(line, width))
      .join('\n')}\n`,
  );
  process.stdout.write(`${token}\n`);
}

/** Prints lines on standard output; long ones continue below their beginning. */
export function printLines(text: string): void {
  const { width } = outputScreen();
  process.stdout.write(
    `${plainText(text)
      .split('\n')
      .flatMap((line) => wrapLine(line, width))
      .join('\n')}\n`,
  );
}

/** Rows under headings on standard output. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  process.stdout.write(`${tableText(head, rows, outputScreen())}\n`);
}

/** Rows under headings, for a screen. */
export function tableText(head: readonly string[], rows: readonly (readonly string[])[], screen: Screen): string {
  return tableLines({ columns: head.map((title) => ({ title })), rows }, screen).join('\n');
}

/** Screen of standard output. */
export function outputScreen(): Screen {
  return screenOf(process.stdout, readEnv());
}
