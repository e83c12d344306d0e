import { pino } from 'pino';
import { type OpenOptions, openDataDirectory } from '../../src/db/embedded/index.js';

// A program that opens a data directory and holds it until its standard input ends. Its argument: the options in JSON.
// Its output: lines of JSON, those of its log and one with the result. Tests kill it, run it as another user, or in
// another namespace.

/** Result of opening the directory. */
export type OwnerLine =
  | { readonly url: string; readonly isOwner: boolean }
  | { readonly error: string; readonly name: string };

// signals that a terminal sends to the foreground group must not reach the database
process.on('SIGINT', () => {});

function say(line: OwnerLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const options: Omit<OpenOptions, 'log'> = JSON.parse(process.argv[2] ?? '');
try {
  const opened = await openDataDirectory({ ...options, log: pino(pino.destination({ fd: 1, sync: true })) });
  process.stdin.once('end', () => void opened.close()).resume();
  say({ url: opened.url, isOwner: opened.isOwner });
} catch (error) {
  say(error instanceof Error ? { error: error.message, name: error.name } : { error: String(error), name: '' });
}
