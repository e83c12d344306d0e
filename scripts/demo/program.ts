import { type ChildProcess, fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

/** A program of the demo. It ends with its parent: by an IPC channel whose closing means stop. */
export class Program {
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  readonly ended: Promise<number | null>;
  #onLine: ((line: string) => void) | null = null;

  constructor(
    private readonly name: string,
    script: string,
    args: readonly string[],
    environment: Readonly<Record<string, string>>,
    /** Flags of Node.js. Those of this process are its own: with `-e` among them, the child would be this program again. */
    flags: readonly string[] = [],
  ) {
    this.#child = fork(script, [...args], {
      env: { ...inheritedEnvironment(), ...environment },
      execArgv: [...flags],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => this.#take(line));
    }
    // not 'close', which is never emitted after disconnect()
    this.ended = new Promise((resolve) => {
      this.#child.once('exit', (code) => resolve(code));
      this.#child.once('error', () => resolve(null));
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The first output line for which `read` has an answer. @throws Error with the last lines when the program ends before */
  async waitForLine<T>(read: (line: string) => T | null): Promise<T> {
    const found = new Promise<T>((resolve) => {
      this.#onLine = (line) => {
        const value = read(line);
        if (value !== null) resolve(value);
      };
      for (const line of this.#lines) this.#onLine(line);
    });
    const died = this.ended.then((code) => {
      throw new Error(`${this.name} ended with ${code}:\n${this.#lines.slice(-5).join('\n')}`);
    });
    return Promise.race([found, died]);
  }

  /** Asks the program to end and waits; kills it after ten seconds. */
  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    const cut = setTimeout(() => this.#child.kill('SIGKILL'), 10_000);
    await this.ended;
    clearTimeout(cut);
  }

  #take(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > 200) this.#lines.shift();
    this.#onLine?.(line);
  }
}

/** Runs a command to its end; its standard output. @throws Error with what it said when it fails */
export async function runToEnd(
  script: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  input = '',
): Promise<string> {
  const child = fork(script, [...args], {
    env: { ...inheritedEnvironment(), ...environment },
    execArgv: [],
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  });
  child.stdin?.end(input);
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err] = await Promise.all([
    text(child.stdout as NodeJS.ReadableStream),
    text(child.stderr as NodeJS.ReadableStream),
  ]);
  if ((await code) !== 0) throw new Error(`${args.join(' ')} failed: ${err.trim() || out.trim()}`);
  return out;
}

/** The demo is its own world: settings of the person's own installation stay out. */
function inheritedEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name]) => !name.startsWith('VANTAGE_'));
  const inherited = Object.fromEntries(entries.map(([name, value]) => [name, value ?? '']));
  return { ...inherited, VANTAGE_CONFIG: '/dev/null' };
}
