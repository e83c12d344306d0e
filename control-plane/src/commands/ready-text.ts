import type { Screen } from '@vantage/shared/terminal/screen.js';
import { wrapText } from '@vantage/shared/terminal/wrap-text.js';

interface Ready {
  readonly url: string;
  /** False if no account can administer the server yet. */
  readonly hasAdmin: boolean;
  /** Words that start the program of the commands. */
  readonly program: string;
}

/** Last words of a start, for people: the address, how to stop the server, and the command that comes next. */
export function readyText({ url, hasAdmin, program }: Ready, { width, paint }: Screen): string {
  const [about, command] = hasAdmin
    ? [`To add a node, in another terminal (${url}/docs has the API):`, 'enrollment-token create']
    : ['Next, in another terminal:', 'user create --email you@example.com --role admin'];
  const [first = '', ...more] = wrapText(`Vantage is ready at ${url}; Ctrl-C stops it. ${about}`, width);
  return ['', paint(first, 'strong'), ...more, `  ${program} ${command}`, ''].map((line) => `${line}\n`).join('');
}
