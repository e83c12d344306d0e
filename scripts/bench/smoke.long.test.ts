import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { missingForLab } from '../lab/_support/missing-for-lab.js';
import { benchmarks } from './index.js';

// Every benchmark in its smallest size, by one part (`BENCH_SMOKE=1 npm run bench -- NAME` runs all parts). Figures are not
// judged.

const runner = join(dirname(fileURLToPath(import.meta.url)), '_support', 'run-bench.js');
/** Parts that stand for a benchmark, where it is not the first one. */
const representatives: Readonly<Record<string, string>> = { 'main-road': 'http' };

const lab = await missingForLab({ servers: ['web'], programs: ['curl'] });

/** The steps of `install` take a minute, and are those of clean-root.long.test.ts. */
const small = Object.entries(benchmarks).filter(([name]) => name !== 'install');

for (const [name, { parts }] of small) {
  const skip = name === 'probes' ? lab : false;
  t.test(`the benchmark ${name} runs`, { skip }, async (t) => {
    const part = representatives[name] ?? parts[0]?.name;
    const only = part === undefined ? [] : ['--only', part];
    const child = spawn(process.execPath, [runner, name, ...only], {
      env: { ...process.env, BENCH_SMOKE: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    t.teardown(() => child.kill());
    const code = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const [report, said] = await Promise.all([text(child.stdout), text(child.stderr)]);
    t.equal(await code, 0, said.slice(-2_000));
    t.match(report, /^## /m, 'a report');
  });
}
