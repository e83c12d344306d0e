import { readText, ValueError } from './setting-values.js';

/** File of settings that the server and the commands read in addition to their environment, unless another is named. */
export const usualSettingsFile = '/etc/vantage/control.env';

/** Content of a settings file. */
export interface SettingsFile {
  readonly path: string;
  readonly form: 'json' | 'lines';
  /** Parsed JSON, or the texts of variables by their names. */
  readonly content: unknown;
}

/** The file that was named. @throws ValueError if it cannot be read or parsed */
export function readNamedFile(path: string): SettingsFile {
  return parseFile(path, readText(path));
}

/** The usual file; a text: the reason why there is none. It may be for the service manager alone. @throws ValueError */
export function readUsualFile(path: string): SettingsFile | string {
  let text: string;
  try {
    text = readText(path);
  } catch (error) {
    if (error instanceof ValueError)
      return error.message.includes('ENOENT') ? `"${path}" does not exist` : error.message;
    throw error;
  }
  return parseFile(path, text);
}

/** A file that starts with a brace or a bracket is JSON, any other has a line for each variable. */
function parseFile(path: string, text: string): SettingsFile {
  if (!/^\s*[{[]/.test(text)) return { path, form: 'lines', content: linesOf(path, text) };
  try {
    return { path, form: 'json', content: JSON.parse(text) };
  } catch (error) {
    throw new ValueError(`"${path}" is not valid JSON: ${String(error)}`);
  }
}

/** Lines `NAME=value` as systemd and shells read them: `#` and `;` begin comments, a value may be quoted. @throws ValueError */
function linesOf(path: string, text: string): ReadonlyMap<string, string> {
  const entries = text.split('\n').flatMap((line, index): [string, string][] => {
    if (/^\s*([#;].*)?$/.test(line)) return [];
    const { name, value = '' } = /^\s*(?:export\s+)?(?<name>\w+)=(?<value>.*)$/.exec(line)?.groups ?? {};
    if (name === undefined) throw new ValueError(`line ${index + 1} of "${path}" is not NAME=value`);
    return [[name, /^(["'])(.*)\1$/.exec(value.trim())?.[2] ?? value.trim()]];
  });
  return new Map(entries);
}
