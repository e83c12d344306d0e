import { parse } from 'unbash';

/** Builtins of the shell, and commands that only run another one. */
const builtins = new Set(
  '. : [ alias break cd command continue echo eval exec exit export false printf pwd read return set shift test trap true type ulimit umask unset wait'.split(
    ' ',
  ),
);
/** Builtins whose first word is a command in its own right. */
const passingOn = new Set(['exec', 'command']);

/** Placeholder for a value that is known only at run time; never the name of a program. */
export const UNKNOWN_WORD = '__unknown__';

/** Names of the programs that a shell text runs, `UNKNOWN_WORD` and variables left out. */
export function shellCommands(text: string): string[] {
  return [...commandNodes(wholeTree(text))].flatMap(({ name, suffix }) => {
    const words = [name, ...suffix].map((word) => (word?.parts === undefined ? word?.value : undefined));
    const [first, second] = words;
    const program = first !== undefined && passingOn.has(first) ? second : first;
    return program !== undefined && isProgramName(program) && !builtins.has(program) ? [program] : [];
  });
}

function isProgramName(word: string): boolean {
  return /^[\w./+-]+$/.test(word) && !word.includes(UNKNOWN_WORD) && !word.startsWith('-');
}

interface ShellWord {
  readonly value?: string;
  readonly parts?: readonly unknown[];
}

interface ShellCommand {
  readonly name?: ShellWord;
  readonly suffix: readonly ShellWord[];
}

/** The parser reads words when they are asked for; as JSON its tree has all of them. */
function wholeTree(text: string): unknown {
  return JSON.parse(JSON.stringify(parse(text)));
}

/** Every command of a parsed text, those in substitutions and functions too. */
function* commandNodes(node: unknown): Generator<ShellCommand> {
  if (Array.isArray(node)) for (const child of node) yield* commandNodes(child);
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return;
  if ('type' in node && node.type === 'Command') yield node as unknown as ShellCommand;
  for (const child of Object.values(node)) yield* commandNodes(child);
}
