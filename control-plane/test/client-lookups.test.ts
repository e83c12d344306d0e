import { systemClock } from '@vantage/shared/clock.js';
import t from 'tap';
import { runInProcess } from './_support/command-in-process.js';
import { answerJob, joinNode, startLookups } from './_support/lookup-world.js';

t.test(
  'lookups are printed field by field with their age, as JSON on request, and a refusal ends with 2',
  async (t) => {
    const world = await startLookups(t, [systemClock]);
    const node = await joinNode(t, world);
    const [api] = world.apis;
    const env = { VANTAGE_URL: api.url, VANTAGE_TOKEN: api.token };
    const vantage = (...words: string[]) => runInProcess('vantage', words, { env });
    const asked = vantage('lookup', 'ssl', 'example.com', '--port', '8443');
    await answerJob(node, 1, { grade: 'A', domain: 'example.com', valid: true, port: 8_443 });
    t.match(node.jobs, [{ probeType: 'ssl' }]);
    const { code, stdout, stderr } = await asked;
    t.strictSame([code, stderr], [0, '']);
    t.match(stdout, /^domain +example\.com$/m);
    t.match(stdout, /^port +8443$/m);
    t.match(stdout, /^valid +yes$/m);
    t.match(stdout, /^asked just now$/m);
    const again = await vantage('lookup', 'ssl', 'example.com', '--port', '8443', '--max-age', '600');
    t.match(again.stdout, /^from memory, \d+ s old$/m);
    const json = await vantage('lookup', 'ssl', 'example.com', '--port', '8443', '--json');
    t.match(JSON.parse(json.stdout), { grade: 'A', port: 8_443 });
    t.equal(node.jobs.length, 1);
    t.match(await vantage('whois', '10.0.0.1'), { code: 2, stdout: '', stderr: /PROBE_TARGET_INVALID/ });
    t.match(await vantage('ip', 'example.com'), { code: 2, stderr: /argument: must be/ });
    t.match(await vantage('icp', 'example.cn', '--max-age', 'soon'), {
      code: 2,
      stderr: /--max-age.*must be a duration such as/,
    });
    t.match(await vantage('headers', '--help'), { code: 0, stdout: /vantage headers example\.com/ });
    t.match(await vantage('--help'), { code: 0, stdout: /^ {2}whois +Registration of a domain/m });
  },
);
