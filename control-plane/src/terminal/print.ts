import { type Screen, screenOf } from '@vantage/shared/terminal/screen.js';
import { tableLines } from '@vantage/shared/terminal/table.js';
import { wrapLine, wrapText } from '@vantage/shared/terminal/wrap-text.js';
import { readEnv } from '../config/config.js';

/** Prints the resource of the API as JSON, without envelope. */
export function printJson(resource: unknown): void {
  process.stdout.write(`${jsonText(resource)}\n`);
}

/**
 * JSON in which every character that could control a terminal is escaped; JSON itself requires that of U+0000 to U+001F
 * only.
 */
export function jsonText(resource: unknown): string {
  return JSON.stringify(resource, null, 2).replace(/[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => unicodeEscape(character.charCodeAt(index))).join(''),
  );
}

function unicodeEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

/** Prints a secret that is shown only once below a note of one or more lines, and nothing else on standard output, so that it can be piped. */
export function printSecret(token: string, note: string): void {
  const { width } = screenOf(process.stderr, readEnv());
  process.stderr.write(
    `${note
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
    `${text
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
