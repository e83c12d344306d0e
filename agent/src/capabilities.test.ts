import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { capabilities } from '@vantage/shared/probe-types/definition.js';
import t from 'tap';
import { missingForRawSockets } from '../test/_support/raw-sockets.js';

const run = promisify(execFile);
const script = fileURLToPath(new URL('../test/_support/print-capabilities.js', import.meta.url));
// root without the one capability; anybody else does not have it in the first place
const dropRawSockets =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-net_raw', '--inh-caps=-net_raw'] : ['env'];

async function printed(...command: string[]): Promise<{ list: string[]; rows: object[]; hasEngine: boolean }> {
  const [program = '', ...args] = [...command, process.execPath, script];
  return JSON.parse((await run(program, args)).stdout);
}

t.test('with raw sockets icmp is there', { skip: missingForRawSockets() }, async (t) => {
  const report = await printed('env');
  t.same(report.list, ['icmp']);
  t.match(report, { hasEngine: true, rows: [{ name: 'icmp', isAvailable: true, remedy: null }] });
});

t.test('without permission icmp is not, and the line that grants it names the running node', async (t) => {
  const report = await printed(...dropRawSockets);
  t.same(report, {
    list: [],
    hasEngine: false,
    rows: [
      {
        name: 'icmp',
        isAvailable: false,
        reason: 'the system does not permit raw sockets',
        remedy: `sudo setcap cap_net_raw+ep ${realpathSync(process.execPath)}`,
      },
    ],
  });
});

t.test('every capability there is has a row', async (t) => {
  const { rows } = await printed(...dropRawSockets);
  t.match(
    rows,
    capabilities.map((name) => ({ name })),
  );
  t.equal(rows.length, capabilities.length);
});
