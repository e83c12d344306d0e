import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missing } from '@vantage/shared/_support/missing.js';
import t from 'tap';
import { works } from './chromium.js';

t.test(
  'a command that is tried has no variables of the agent, and a session of its own',
  { skip: missing('setsid', 'sh') },
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'vantage-chromium-'));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    const seen = join(folder, 'seen');
    t.ok(works(['sh', '-c', 'cat /proc/$$/stat /proc/$$/environ >"$0"', seen]));
    const [stat = '', environment] = (await readFile(seen, 'utf8')).split('\n');
    const sessionOf = (line: string) => line.split(') ')[1]?.split(' ')[3];
    t.not(sessionOf(stat), sessionOf(await readFile('/proc/self/stat', 'utf8')));
    t.equal(environment, 'PATH=/usr/local/bin:/usr/bin:/bin\0');
    t.notOk(works(['sh', '-c', 'exit 1']));
  },
);
