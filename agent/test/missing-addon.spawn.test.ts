import { execFile } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { missing } from '@vantage/shared/_support/missing.js';
import type { ProbeResults } from '@vantage/shared/probe-types/index.js';
import t, { type Test } from 'tap';
import { temporaryDirectory } from './_support/temporary-directory.js';

const run = promisify(execFile);
const agentDirectory = fileURLToPath(new URL('../..', import.meta.url));

/** The compiled agent as it is where its addon could not be built. @returns a way to run a program of test/_support */
function withoutAddon(t: Test): (script: string) => Promise<unknown> {
  const root = temporaryDirectory(t);
  const copy = join(root, 'agent');
  for (const part of ['package.json', 'dist/src', 'dist/test/_support'])
    cpSync(join(agentDirectory, part), join(copy, part), { recursive: true });
  symlinkSync(join(agentDirectory, '../node_modules'), join(root, 'node_modules'));
  return async (script) =>
    JSON.parse((await run(process.execPath, [join(copy, 'dist/test/_support', `${script}.js`)])).stdout);
}

t.test(
  'without its addon the agent measures by raw-socket, and doctor reports what is missing',
  {
    skip: missing('raw sockets'),
  },
  async (t) => {
    const runScript = withoutAddon(t);
    const row = { isAvailable: true, reason: /: the addon is not built/, remedy: /^npm rebuild$/ };
    t.match(await runScript('print-capabilities'), {
      kind: 'raw-socket',
      list: ['icmp', 'icmp_echo'],
      rows: [
        { name: 'icmp', ...row },
        { name: 'icmp_echo', ...row },
        { name: 'browser', isAvailable: false },
      ],
    });
    const { kind, results, trace } = (await runScript('print-pings')) as {
      kind: string;
      results: ProbeResults['ping'][];
      trace: ProbeResults['traceroute'];
    };
    t.equal(kind, 'raw-socket');
    t.equal(results.length, 22);
    for (const result of results) t.match(result, { success: true, packets_sent: 3, packets_received: 3 });
    t.match(trace, { success: true, reached: true });
  },
);
