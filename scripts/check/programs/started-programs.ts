import { basename } from 'node:path';
import type { Node } from 'oxc-parser';
import { lineAt } from '../masked-code.js';
import type { SourceFile } from '../source-files.js';
import { shellCommands, UNKNOWN_WORD } from './shell-commands.js';
import { calledName, descendants, literalTexts, nodesOf } from './syntax-tree.js';

/** A program that a file starts, and the first line that does. */
export interface StartedProgram {
  readonly program: string;
  readonly line: number;
}

/** Programs that one file starts, and those that it declares. */
export interface ProgramUse {
  readonly started: readonly StartedProgram[];
  /** Names in the arguments of the functions that declare programs, and in lists called `programs`. */
  readonly declared: ReadonlySet<string>;
}

type Word = Node | null | undefined;

/** Functions of node:child_process that take a program; the other two take a text for a shell. */
const starters = new Set(['spawn', 'spawnSync', 'execFile', 'execFileSync']);
const shellStarters = new Set(['exec', 'execSync']);
/** Functions of scripts/lab/namespaces.ts: the position of the program, or of an array that begins with it. */
const labStarters: Readonly<Record<string, number>> = { run: 0, spawnIn: 1 };
/** Functions that declare programs: those of shared/src/_support/missing.ts, and those built on them. */
const declarers = new Set(['missing', 'demand', 'skipFileWithout', 'missingForLab']);
const shells = new Set(['sh', 'bash', 'dash']);
const shellFlag = /^-[a-z]*c$/;
/** Programs whose arguments name another one. */
const carriers = new Set(
  'env flock ip nice nsenter prlimit runuser setpriv setsid strace sudo taskset timeout unshare'.split(' '),
);

/**
 * Reads what a TypeScript or JavaScript file starts: literals and constants of the file, in calls that start programs, in
 * the arguments of programs that start others, and in texts for a shell. A text that is put together elsewhere is looked for
 * in the literals of the whole file, where only `known` programs count.
 */
export function readProgramUse(file: SourceFile, known: ReadonlySet<string>): ProgramUse {
  return new UseReader(file, known).read();
}

class UseReader {
  readonly #file: SourceFile;
  readonly #known: ReadonlySet<string>;
  readonly #nodes: readonly Node[];
  readonly #constants = new Map<string, Node[]>();
  /** Names for `promisify(execFile)`. */
  readonly #promisified = new Set<string>();
  readonly #fromLab: boolean;
  readonly #started = new Map<string, number>();
  readonly #declared = new Set<string>();

  constructor(file: SourceFile, known: ReadonlySet<string>) {
    this.#file = file;
    this.#known = known;
    this.#nodes = nodesOf(file);
    this.#fromLab = /\bfrom '[^']*\/namespaces\.js'/.test(file.text) || file.path.endsWith('/namespaces.ts');
  }

  read(): ProgramUse {
    for (const node of this.#nodes) this.#noteConstant(node);
    for (const node of this.#nodes) this.#look(node);
    const started = [...this.#started].map(([program, offset]) => ({ program, line: lineAt(this.#file.text, offset) }));
    return { started, declared: this.#declared };
  }

  #noteConstant(node: Node): void {
    if (node.type === 'ForOfStatement' && node.left.type === 'VariableDeclaration')
      for (const { id } of node.left.declarations)
        if (id.type === 'Identifier') this.#constants.set(id.name, [node.right]);
    if (node.type !== 'VariableDeclarator' || node.id.type !== 'Identifier' || node.init === null) return;
    const { name } = node.id;
    this.#constants.set(name, [...(this.#constants.get(name) ?? []), node.init]);
    if (isPromisified(node.init)) this.#promisified.add(name);
  }

  #look(node: Node): void {
    if (node.type === 'CallExpression') this.#lookAtCall(node);
    if (node.type === 'ArrayExpression') this.#lookAtArray(node.elements);
    if (node.type !== 'Property' || node.key.type !== 'Identifier') return;
    if (node.key.name === 'programs') this.#declare(node.value);
    // program of a server of the lab
    if (node.key.name === 'command' && node.value.type === 'ArrayExpression') this.#start(node.value.elements);
  }

  #lookAtCall(call: Node & { type: 'CallExpression' }): void {
    const { callee, arguments: args } = call;
    const name = calledName(call) ?? '';
    if (declarers.has(name)) for (const arg of args) this.#declare(arg);
    if (isPromisified(callee) || starters.has(name) || this.#promisified.has(name)) this.#startAt(args, 0);
    else if (shellStarters.has(name)) this.#startShell(args[0]);
    else if (this.#fromLab && name in labStarters) this.#startAt(args, labStarters[name] ?? 0);
    if (callee.type === 'MemberExpression' && callee.property.type === 'Identifier' && args.length > 1)
      this.#lookAtMethod(callee.property.name, callee.object, args);
  }

  /** `lab.exec(host, program, …words)`, `lab.spawn(host, words)`, and tap's `t.spawn(program, words)` */
  #lookAtMethod(method: string, object: Node, args: readonly Node[]): void {
    if (method === 'exec') this.#start(args.slice(1));
    if (method === 'spawn') this.#startAt(args, isTap(object) ? 0 : 1);
  }

  /** A command line that is kept for later: `['unshare', '--net', …]`. */
  #lookAtArray(words: readonly Word[]): void {
    const isCommand = this.#textsOf(words[0]).some((text) => carriers.has(basename(text)));
    const hasFlags = this.#textsOf(words[1]).some((text) => text.startsWith('-') || text === 'netns');
    if (isCommand && hasFlags) this.#start(words);
    else this.#lookForShell(words);
  }

  #startAt(args: readonly Word[], position: number): void {
    const wordsOf = (arg: Word): readonly Word[] => (arg?.type === 'ArrayExpression' ? arg.elements : [arg]);
    this.#start(args.slice(position).flatMap(wordsOf));
  }

  /** The first word is a program, and so may be what it carries. */
  #start(words: readonly Word[]): void {
    const flat = words.flatMap((word) => this.#spread(word));
    const names = this.#textsOf(flat[0]).filter((text) => !text.includes(UNKNOWN_WORD));
    const programs = names.map((text) => basename(text));
    for (const program of programs) this.#note(program, flat[0]);
    if (programs.some((program) => carriers.has(program)))
      for (const word of flat.slice(1))
        for (const text of this.#textsOf(word)) if (this.#known.has(basename(text))) this.#note(basename(text), word);
    this.#lookForShell(flat);
  }

  /** `…, 'sh', '-ec', text, …` */
  #lookForShell(words: readonly Word[]): void {
    for (const [index, word] of words.entries()) {
      if (!this.#textsOf(word).some((text) => shells.has(basename(text)))) continue;
      const flag = words.findIndex(
        (next, at) => at > index && this.#textsOf(next).some((text) => shellFlag.test(text)),
      );
      if (flag > 0) this.#startShell(words[flag + 1]);
    }
  }

  #startShell(text: Word): void {
    if (!text) return;
    for (const whole of this.#textsOf(text))
      for (const command of shellCommands(whole)) this.#note(basename(command), text);
    const parts = [...this.#reachable(text)];
    const isFromElsewhere = parts.some((node) => node.type === 'Identifier' && !this.#constants.has(node.name));
    this.#lookForCommands(isFromElsewhere ? this.#nodes : parts);
  }

  /** Literals that begin as a command of a known program does. */
  #lookForCommands(nodes: readonly Node[]): void {
    const sentences = new Set(nodes.flatMap((node) => sentencesIn(node)));
    for (const node of nodes.filter((candidate) => !sentences.has(candidate)))
      for (const text of literalTexts(node).filter((candidate) => /\s/.test(candidate)))
        for (const command of shellCommands(text)) if (this.#known.has(command)) this.#note(command, node);
  }

  /** A node with all that is in it, and in the constants that it names. */
  *#reachable(node: Node, seen = new Set<Node>()): Generator<Node> {
    for (const child of descendants(node)) {
      if (seen.has(child)) continue;
      seen.add(child);
      yield child;
      if (child.type !== 'Identifier') continue;
      for (const init of this.#constants.get(child.name) ?? []) yield* this.#reachable(init, seen);
    }
  }

  #note(program: string, node: Word): void {
    if (program === '' || program.includes(UNKNOWN_WORD) || this.#started.has(program)) return;
    this.#started.set(program, node?.start ?? 0);
  }

  #declare(node: Node): void {
    for (const child of this.#reachable(node)) for (const text of literalTexts(child)) this.#declared.add(text);
  }

  /** `...words` as the words of that constant. */
  #spread(word: Word): Word[] {
    if (word?.type !== 'SpreadElement') return [word];
    const inits = word.argument.type === 'Identifier' ? this.#constants.get(word.argument.name) : [word.argument];
    const words = (inits ?? []).flatMap((init): Word[] => (init.type === 'ArrayExpression' ? [...init.elements] : []));
    return words.length === 0 ? [word] : words.flatMap((next) => this.#spread(next));
  }

  /** Possible values of an expression, as far as they are written in this file. */
  #textsOf(node: Word, depth = 0): string[] {
    if (!node || depth > 5) return [];
    if (node.type === 'Identifier')
      return (this.#constants.get(node.name) ?? []).flatMap((init) => this.#textsOf(init, depth + 1));
    if (node.type === 'ConditionalExpression')
      return [node.consequent, node.alternate].flatMap((branch) => this.#textsOf(branch, depth + 1));
    return literalTexts(node.type === 'TSAsExpression' ? node.expression : node);
  }
}

/** `promisify(execFile)` */
function isPromisified(node: Node): boolean {
  if (node.type !== 'CallExpression' || calledName(node) !== 'promisify') return false;
  const [wrapped] = node.arguments;
  return wrapped?.type === 'Identifier' && starters.has(wrapped.name);
}

function isTap(node: Node): boolean {
  return node.type === 'Identifier' && node.name === 't';
}

/** Titles of tests, and what assertions say. */
function sentencesIn(node: Node): Node[] {
  const isOfTap =
    node.type === 'CallExpression' && node.callee.type === 'MemberExpression' && isTap(node.callee.object);
  return isOfTap ? [...node.arguments] : [];
}
