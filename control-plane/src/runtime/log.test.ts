import { spawnSync } from 'node:child_process';
import { Writable } from 'node:stream';
import t from 'tap';
import { createLogger, describeError, terminalStream } from './log.js';

function capture() {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  return { lines, stream };
}

t.test('a line is one JSON object with level by name and ISO time', async (t) => {
  const { lines, stream } = capture();
  createLogger('info', stream).child({ part: 'links' }).warn({ nodeId: 'n_1' }, 'batch refused');
  const line = JSON.parse(lines[0] ?? '');
  t.match(line, { level: 'warn', part: 'links', nodeId: 'n_1', msg: 'batch refused' });
  t.equal(new Date(line.time).toISOString(), line.time);
});

t.test(
  'a terminal gets readable lines at once, coloured unless the environment says otherwise; a pipe gets JSON',
  async (t) => {
    const lines: string[] = [];
    const terminal = { isTTY: true, write: (text: string) => lines.push(text) };
    createLogger('info', terminalStream(terminal, { NO_COLOR: '1' })).info({ url: 'http://127.0.0.1:8080' }, 'ready');
    t.match(lines, [/^\d\d:\d\d:\d\d info {2}ready {2}url=http:\/\/127\.0\.0\.1:8080\n$/]);
    createLogger('info', terminalStream(terminal, {})).warn('late');
    t.match(lines[1], '\u001b[33m');
    t.equal(terminalStream({ ...terminal, isTTY: false }, {}), undefined);
  },
);

t.test('fields that hold secrets are never written', async (t) => {
  const { lines, stream } = capture();
  const log = createLogger('info', stream);
  log.info({ token: 'hush', secret: 'hush', password: 'hush', authorization: 'hush', databaseUrl: 'hush' }, 'made');
  log.child({ token: 'hush' }).info('child');
  t.notMatch(lines.join(''), 'hush');
});

t.test('of an error the row that a database repeats in it is left out', async (t) => {
  const error = Object.assign(new Error('duplicate key'), {
    code: '23505',
    detail: 'Key (email)=(hush) exists',
    parameters: ['hush'],
  });
  const wrapped = new Error('cannot store', { cause: error });
  t.match(describeError(wrapped), {
    type: 'Error',
    message: 'cannot store',
    cause: { code: '23505', message: 'duplicate key' },
  });
  t.notMatch(JSON.stringify(describeError(wrapped)), 'hush');
  t.strictSame(describeError('thrown text'), { message: 'thrown text' });
});

t.test(
  'lines that were not written yet are written when the program ends, by itself, by exit or by a crash, and fatal ones at once',
  async (t) => {
    const module = JSON.stringify(new URL('./log.js', import.meta.url).href);
    const line = "log.info('last words');";
    const endings = [
      line,
      `${line} process.exit(3);`,
      `${line} throw new Error("crash");`,
      "log.fatal('last words'); process.kill(process.pid, 'SIGKILL');",
    ];
    for (const ending of endings) {
      const program = `import { createLogger } from ${module}; const log = createLogger('info'); ${ending}`;
      const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
      t.equal(JSON.parse(stdout || 'null')?.msg, 'last words', ending);
    }
  },
);
