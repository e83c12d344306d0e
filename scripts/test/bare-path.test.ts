import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { externalPrograms, isAlwaysThere } from '@vantage/shared/_support/external-programs.js';
import t from 'tap';
import { makeBarePath } from './bare-path.js';

const hasDpkg = (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'dpkg-query')));

t.test(
  'a bare PATH holds what README.md asks for and what every Debian has, and nothing else',
  {
    skip: !hasDpkg && 'needs dpkg: only Debian says what every Debian has',
  },
  async (t) => {
    const bare = await makeBarePath();
    const names = readdirSync(bare.path);
    for (const program of externalPrograms) t.equal(names.includes(program), isAlwaysThere(program), program);
    for (const name of ['node', 'npm', 'awk', 'c++', 'tar', 'perl']) t.ok(names.includes(name), name);
    t.ok(bare.leftOut.every((program) => bare.description.includes(program)));
    const env = { PATH: bare.path };
    const compiled = execFileSync(
      'sh',
      ['-c', 'echo "int main() { return 0; }" | g++ -x c++ -o /dev/null - && echo ok'],
      { env },
    );
    t.equal(String(compiled), 'ok\n', 'a compiler finds its own parts by a link');
    t.equal(String(execFileSync('python3', ['-c', 'import json; print(json.dumps(1))'], { env })), '1\n');
    await bare.remove();
    t.notOk(existsSync(bare.path), 'it is gone');
  },
);
