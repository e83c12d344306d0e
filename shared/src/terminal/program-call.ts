import { realpathSync } from 'node:fs';
import { basename, join, relative } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** Commands in a text for people: in backticks or quotation marks, after a colon or a pipe, or at the beginning of an indented line, after settings. */
const COMMAND = /([`"]|: |\| |^ +(?:[A-Z_]+=\S+ )*)(vantage(?:-agent|-control)?)(?= [[\w-])/gm;

/**
 * Words that start a program of Vantage here: its name where a shell finds it; else the path of the running file, or of
 * the script of the checkout that runs. `script`: file that Node.js runs.
 */
export function programCall(program: string, env: Env, script = process.argv[1] ?? ''): string {
  const file = fileOf(program, script);
  if (file === null || isInPath(program, file, env)) return program;
  const path = relative(process.cwd(), file);
  return path.includes('/') ? file : `./${path}`;
}

/** A text with the commands in it as its reader can type them here. */
export function withProgramCalls(text: string, env: Env, script?: string): string {
  return text.replace(COMMAND, (_, before: string, program: string) => before + programCall(program, env, script));
}

/** Null: the program is of an installation, whose commands are in PATH. */
function fileOf(program: string, script: string): string | null {
  if (basename(script) === program) return script;
  const root = /^(.*)\/(?:agent|control-plane)\/(?:bin|dist\/program)\/[\w-]+\.js$/.exec(script)?.[1];
  return root === undefined ? null : join(root, program);
}

function isInPath(program: string, file: string, env: Env): boolean {
  const found = (env['PATH'] ?? '')
    .split(':')
    .filter((folder) => folder !== '')
    .map((folder) => realPath(join(folder, program)))
    .find((path) => path !== null);
  return found !== undefined && found === realPath(file);
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
