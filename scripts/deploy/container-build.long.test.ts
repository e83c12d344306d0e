import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { missing } from '@vantage/shared/_support/missing.js';
import t from 'tap';
import { instructionsOf, parseDockerfile } from './dockerfile.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));

t.test(
  'the build steps of the Dockerfile, run as plain commands, make programs that start, and its health check reports the server',
  { skip: missing('sh', 'tar', 'objdump') },
  async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'vantage-container-'));
    t.teardown(() => rm(directory, { recursive: true, force: true }));
    const placed = (text: string) => text.replace(/(?<=["\s=])\/(release|opt)\b/g, `${directory}/$1`);
    const stages = parseDockerfile(await readFile(join(root, 'deploy/container/Dockerfile'), 'utf8'));
    const [build] = stages;
    if (build === undefined) throw new Error('no stage');
    const [version = ''] = instructionsOf(build, 'ARG').map((text) => text.split('=')[1] ?? '');
    const { PATH = '', HOME = '' } = process.env;
    for (const command of instructionsOf(build, 'RUN').filter((text) => !text.startsWith('apt-get')))
      await run('sh', ['-e', '-c', placed(command)], { cwd: root, env: { PATH, HOME, VERSION: version } });
    for (const name of ['control', 'agent']) {
      const { stdout } = await run(join(directory, 'opt', `vantage-${name}`, 'bin', `vantage-${name}`), ['--version'], {
        env: { PATH: '/usr/bin:/bin', HOME: directory },
      });
      t.equal(stdout.trim(), version, name);
    }

    let status = 200;
    const server = createServer((_, response) => response.writeHead(status).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.teardown(() => server.close());
    const { port } = server.address() as AddressInfo;
    const control = stages.find(({ name }) => name === 'control');
    const [, json = ''] = /CMD (\[.*\])$/.exec((control && instructionsOf(control, 'HEALTHCHECK')[0]) ?? '') ?? [];
    const [program = '', ...args]: string[] = JSON.parse(json);
    const check = () =>
      run(
        join(directory, program),
        args.map((text) => text.replace('8080', String(port))),
      ).then(
        () => 0,
        ({ code }: { code: number }) => code,
      );
    t.equal(await check(), 0);
    status = 503;
    t.equal(await check(), 1);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    t.equal(await check(), 1);
  },
);
