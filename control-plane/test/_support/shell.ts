import { spawn } from 'node:child_process';
import type { Test } from 'tap';

/** One sh as a person uses it: variables that a command sets exist for the next command. */
export interface Shell {
  /** Output of the commands, including errors. */
  type(commands: string): Promise<string>;
}

/** Starts sh in an environment without the product's settings; ended with `t`. */
export function openShell(t: Test): Shell {
  const { PATH = '/usr/bin:/bin' } = process.env;
  const shell = spawn('sh', { env: { PATH }, stdio: ['pipe', 'pipe', 'pipe'] });
  t.teardown(() => shell.kill());
  let printed = '';
  let look = () => {};
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      look();
    });
  }
  let count = 0;
  return {
    type: (commands) =>
      new Promise((resolve) => {
        count += 1;
        const end = `\n--- ${count} ---\n`;
        look = () => {
          if (!printed.endsWith(end)) return;
          resolve(printed.slice(0, -end.length));
          printed = '';
        };
        shell.stdin.write(`${commands}\nprintf '\\n--- ${count} ---\\n'\n`);
      }),
  };
}
