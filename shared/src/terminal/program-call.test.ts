import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { programCall, withProgramCalls } from './program-call.js';

t.test('a command that a program shows can be typed where it is shown', async (t) => {
  const root = t.testdir({ bin: {}, 'vantage-control': '' });
  const bin = join(root, 'bin');
  const script = `${root}/control-plane/dist/program/vantage-control.js`;
  const call = (PATH: string, from = script) => programCall('vantage-control', { PATH }, from);
  t.equal(call('/usr/bin'), join(root, 'vantage-control'), 'a checkout');
  t.equal(
    call('/usr/bin', '/opt/x/lib/vantage-control/dist/program/vantage-control.js'),
    'vantage-control',
    'installed',
  );
  writeFileSync(join(bin, 'vantage-control'), '');
  t.not(call(bin), 'vantage-control', 'another program of this name is in PATH');
  mkdirSync(join(root, 'links'));
  symlinkSync(join(root, 'vantage-control'), join(root, 'links', 'vantage-control'));
  t.equal(call(join(root, 'links')), 'vantage-control', 'a link to the checkout is in PATH');
  t.equal(programCall('vantage', {}, '/home/ann/vantage'), '/home/ann/vantage', 'the client as one file');
  t.equal(programCall('vantage', {}, join(process.cwd(), 'vantage')), './vantage', 'in the folder of the shell');
});

t.test('commands in a text are changed, words about a program are not', async (t) => {
  const shown = (text: string) => withProgramCalls(text, {}, '/src/agent/bin/vantage-agent.js');
  t.equal(shown('run `vantage-agent enroll` first'), 'run `/src/vantage-agent enroll` first');
  t.equal(shown('\n  A=1 vantage-agent run'), '\n  A=1 /src/vantage-agent run');
  t.equal(shown('test it: vantage-agent doctor'), 'test it: /src/vantage-agent doctor');
  t.equal(shown('create it with "vantage-agent enroll"'), 'create it with "/src/vantage-agent enroll"');
  t.equal(shown('Usage: vantage-agent [options]'), 'Usage: /src/vantage-agent [options]');
  for (const text of ['another vantage-agent is using it', '  vantage-agents', '/opt/bin/vantage-agent run'])
    t.equal(shown(text), text);
});
