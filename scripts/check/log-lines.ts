import { lineAt, maskCode } from './masked-code.js';
import { isTestCode, readSourceFiles, type SourceFile } from './source-files.js';

// Finds calls of a logger's method, `…log.warn(` or `…log[level](`, and the message in the last argument: a literal, a
// choice between literals, or one from a table of literals in the same file; and calls of `background(`, which logs what it is
// given as `failing`.

/** Levels of log lines: those that require a person to act, or those that inform. */
export type LogLevels = 'warnings' | 'infos';

const calls: Readonly<Record<LogLevels, RegExp>> = {
  // the level of a call by name is known only at run time: the worst is assumed
  warnings: /\blog\s*(?:\.\s*(?:warn|error|fatal)|\[.*?\])\s*\(|(?<!function |#)\bbackground\(/gi,
  infos: /\blog\s*\.\s*info\s*\(/gi,
};

/** The warnings and errors that the program in a folder (`agent`) logs, each once. @throws Error for one that can't be read */
export function readLogMessages(root: string, folder: string): string[] {
  const files = readSourceFiles(root).filter(({ path }) => path.startsWith(`${folder}/src/`) && !isTestCode(path));
  return [...new Set(files.flatMap((file) => findLogMessages(file, 'warnings')))];
}

/** The messages that one file logs at these levels. @throws Error for a message that is not written in the file */
export function findLogMessages(file: SourceFile, levels: LogLevels): string[] {
  const code = maskCode(file.text);
  return [...code.matchAll(calls[levels])].flatMap((call) => {
    const [from, to] = messageOf(code, call);
    // that of `background`
    if (code.slice(from, to).trim() === 'failing') return [];
    const messages = [...literalsIn(file.text, code, from, to), ...tableIn(file.text, code, from, to)];
    if (messages.length > 0) return messages;
    throw new Error(`${file.path}:${lineAt(code, call.index)}: a log line whose message is not a literal in this file`);
  });
}

/** Offsets of the part of a call that has its message. */
function messageOf(code: string, call: RegExpExecArray): [number, number] {
  const [from, to] = lastArgument(code, call.index + call[0].length - 1);
  if (!call[0].startsWith('background')) return [from, to];
  const failing = /\bfailing:[^,]*/.exec(code.slice(from, to));
  return failing === null ? [from, from] : [from + failing.index, from + failing.index + failing[0].length];
}

/** Offsets of the last argument of the call whose bracket opens at `open`. */
function lastArgument(code: string, open: number): [number, number] {
  const close = closingBracket(code, open);
  let from = open + 1;
  for (let at = from; at < close; at++) {
    if ('([{'.includes(code.charAt(at))) at = closingBracket(code, at);
    else if (code.charAt(at) === ',' && code.slice(at + 1, close).trim() !== '') from = at + 1;
  }
  return [from, close];
}

function closingBracket(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    if ('([{'.includes(code.charAt(at))) depth += 1;
    if (')]}'.includes(code.charAt(at))) depth -= 1;
    if (depth === 0) return at;
  }
  return code.length;
}

/** Strings without values between two offsets: masked, only their quotes are left. */
function literalsIn(text: string, code: string, from: number, to: number): string[] {
  return [...code.slice(from, to).matchAll(/(['"`])\s*\1/g)].map((match) =>
    text.slice(from + match.index + 1, from + match.index + match[0].length - 1).replace(/\\(.)/g, '$1'),
  );
}

/** `advice[kind]`: every value of the object `advice`. */
function tableIn(text: string, code: string, from: number, to: number): string[] {
  const name = /^\s*(\w+)\s*\[/.exec(code.slice(from, to))?.[1];
  const table = name === undefined ? null : new RegExp(`\\bconst ${name}\\b[^=;]*=\\s*\\{`).exec(code);
  if (table === null) return [];
  const open = table.index + table[0].length - 1;
  return literalsIn(text, code, open, closingBracket(code, open));
}
