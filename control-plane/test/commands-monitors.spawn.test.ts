import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { CheckingNode } from './_support/checking-node.js';
import { runInProcess } from './_support/command-in-process.js';
import { runCommand } from './_support/command-line.js';
import { exportOf } from './_support/import-file.js';
import { lastingLeases } from './_support/lasting-lease.js';
import { SECRET_KEY, startStack } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

const gatus = fileURLToPath(new URL('../../test/testdata/monitors/gatus.yaml', import.meta.url));

async function start(t: Parameters<typeof startStack>[0]) {
  const stack = await startStack(t);
  // the ranges of a replica that missed some heartbeats would no longer apply
  await lastingLeases(stack.database.db);
  const node = await CheckingNode.join(t, stack.api);
  const directory = temporaryDirectory(t);
  const env = {
    VANTAGE_DATABASE_URL: stack.database.url,
    VANTAGE_DATA_DIR: directory,
    // the ranges of the running server apply, not those of the command
    VANTAGE_SECRET_KEY: SECRET_KEY,
  };
  const run = (line: string, input = '') => runInProcess('vantage-control', line.split(' '), { env, input });
  const runAlone = (line: string, input: string) => runCommand(t, 'vantage-control', line.split(' '), { env, input });
  const write = (value: object) => {
    const path = join(directory, 'file.json');
    writeFileSync(path, JSON.stringify(value));
    return path;
  };
  return { ...stack, node, run, runAlone, write };
}

t.test('monitors import creates monitors that nodes of the running server check, and export prints them', async (t) => {
  const { node, run, runAlone, write, api } = await start(t);
  const path = write(exportOf({ name: 'A', group: 'Web' }, { name: 'B' }));
  const dry = await run(`monitors import ${path} --user admin@test.example --dry-run`);
  t.match(dry, {
    code: 0,
    stdout:
      /^2 monitors of admin@test.example in a file of vantage \(detected\): 2 created \(dry run: nothing was changed\)\n\+ A\n\+ B\n$/,
  });
  t.equal((await api.call('GET', '/v1/monitors')).body.data.total, 0);
  const made = await run(`monitors import ${path} --json`);
  t.equal(made.code, 0, made.stderr);
  const { created } = JSON.parse(made.stdout);
  t.match(created, [{ name: 'A' }, { name: 'B' }]);
  await node.waitForAssignment(created[0].id);
  const [again, printed] = await Promise.all([
    run(`monitors import ${path}`),
    run('monitors export --user admin@test.example'),
  ]);
  t.match(again, { code: 0, stdout: /: 2 skipped\n= A: skipped, a monitor with this name exists\n= B/ });
  t.match(JSON.parse(printed.stdout), {
    kind: 'vantage.monitors',
    count: 2,
    monitors: [{ name: 'A', group: 'Web' }, {}],
  });
  const renamed = await runAlone('monitors import - --mode rename', printed.stdout);
  t.match(renamed, { code: 0, stdout: /~ A \(2\): renamed from "A"/ }, 'from standard input');
});

t.test(
  'monitors import of a file with bad entries imports the good ones, names the bad ones, and exits with 1',
  async (t) => {
    const { run, write } = await start(t);
    const [mixed, yaml, broken, nobody, mode, help] = await Promise.all([
      run(`monitors import ${write(exportOf({ name: 'Good' }, { name: 'Bad', target: '192.168.0.1:1' }))}`),
      run(`monitors import ${gatus} --format gatus --dry-run`),
      run('monitors import -', '{"kind": '),
      run('monitors import - --user nobody@example.com', '{}'),
      run('monitors import - --mode merge'),
      run('monitors import --help'),
    ]);
    t.match(mixed, {
      code: 1,
      stdout: /: 1 created, 1 not imported\n/,
      stderr: /1 of 2 monitors were not imported\n$/,
    });
    t.match(mixed.stdout, /x Bad: target .* \(MONITOR_INVALID_TARGET\)/);
    t.match(yaml, { code: 1, stdout: /in a file of gatus: .*\n! alerting alerts were not imported/s });
    t.match(broken, { code: 1, stdout: '', stderr: /cannot be read as JSON or YAML: line 1, column/ });
    t.match(nobody, { code: 1, stderr: /ACCOUNT_NOT_FOUND/ });
    t.match(mode, { code: 2, stderr: /merge/ });
    t.match(help, { code: 0, stdout: /--dry-run.*docs\/import\.md/s });
  },
);
