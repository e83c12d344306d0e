import { lineAt } from '../masked-code.js';

/** One statement of SQL inside of a source file. */
export interface SqlStatement {
  /** Without comments, in one line, single spaces. */
  readonly text: string;
  /** Line of the file where it begins, from 1. */
  readonly line: number;
  /** Reason of a comment `-- allowed: REASON` above it, or null. */
  readonly allowed: string | null;
}

/** Statements of all template strings of a file; bodies of functions are left out. */
export function findStatements(source: string): SqlStatement[] {
  return [...source.matchAll(/`((?:[^`\\]|\\.)*)`/g)].flatMap((match) =>
    splitStatements(match[1] ?? '', lineAt(source, match.index + 1)),
  );
}

function splitStatements(sql: string, firstLine: number): SqlStatement[] {
  const statements: SqlStatement[] = [];
  // parts that may contain a semicolon keep their length, so that lines stay right
  const masked = sql
    .replace(/\$(\w*)\$[^]*?\$\1\$/g, blank)
    .replace(/'(?:[^']|'')*'/g, (text) => `'${blank(text.slice(1, -1))}'`);
  for (let start = 0; start < masked.length; ) {
    const end = masked.indexOf(';', start);
    const stop = end === -1 ? masked.length : end;
    const piece = masked.slice(start, stop);
    const text = piece.replace(/--.*/g, '').replace(/\s+/g, ' ').trim();
    const code = piece.replace(/--.*/g, blank);
    const [, reason = null] = /--\s*allowed:\s*(\S.*)/.exec(piece) ?? [];
    const line = firstLine + lineAt(masked, start + Math.max(0, code.search(/\S/))) - 1;
    if (text !== '') statements.push({ text, line, allowed: reason });
    start = stop + 1;
  }
  return statements;
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}
