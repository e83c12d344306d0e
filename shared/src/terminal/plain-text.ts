import { textCell } from '../probe-types/cells.js';

/** Text of lines for people, which only its line feeds control the terminal with: servers, files and variables choose parts of many texts. */
export function plainText(text: string): string {
  return text.split('\n').map(textCell).join('\n');
}

/**
 * JSON in which every character that could control a terminal is escaped; JSON itself requires that of U+0000 to U+001F
 * only.
 */
export function jsonText(resource: unknown): string {
  return escaped(JSON.stringify(resource, null, 2));
}

/** The same in one line. */
export function jsonLine(resource: unknown): string {
  return escaped(JSON.stringify(resource));
}

function escaped(json: string): string {
  return json.replace(/[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => unicodeEscape(character.charCodeAt(index))).join(''),
  );
}

function unicodeEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
