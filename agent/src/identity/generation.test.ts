import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { GenerationCounter } from './generation.js';

const COUNTER = fileURLToPath(new URL('./_support/generation-counter.js', import.meta.url));

t.test('every generation is higher than all before, across restarts', async (t) => {
  const stateDir = t.testdir();
  const counter = await GenerationCounter.open(stateDir);
  t.same([await counter.next(), await counter.next()], [1, 2]);
  t.same(await Promise.all([counter.next(), counter.next(), counter.next()]), [3, 4, 5], 'asked for at once');
  t.equal(await (await GenerationCounter.open(stateDir)).next(), 6);
  t.equal(statSync(join(stateDir, 'generation')).mode & 0o777, 0o600);
});

t.test('no generation comes twice after kill -9', async (t) => {
  const stateDir = t.testdir();
  let highest = 0;
  for (let round = 1; round <= 4; round += 1) {
    const child = spawn(process.execPath, [COUNTER, stateDir], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    const enough = highest + 1 + Math.floor(Math.random() * 100);
    for await (const line of createInterface(child.stdout)) {
      const generation = Number(line);
      if (generation <= highest) t.fail(`${generation} came after ${highest}`);
      highest = generation;
      if (generation >= enough) child.kill('SIGKILL');
    }
    await exited;
  }
  t.ok(highest >= 4);
  t.ok((await (await GenerationCounter.open(stateDir)).next()) > highest);
});

t.test('a damaged record is taken for a number that was used', async (t) => {
  const stateDir = t.testdir();
  const path = join(stateDir, 'generation');
  const counter = await GenerationCounter.open(stateDir);
  for (let i = 0; i < 7; i += 1) await counter.next();
  const intact = readFileSync(path, 'latin1');
  for (const offset of [3, 30]) {
    writeFileSync(path, `${intact.slice(0, offset)}x${intact.slice(offset + 1)}`);
    t.ok((await (await GenerationCounter.open(stateDir)).next()) >= 8, `at ${offset}`);
  }
  for (const text of ['', 'nonsense', intact.replaceAll(' ', '_')]) {
    writeFileSync(path, text);
    await t.rejects(GenerationCounter.open(stateDir), { name: 'StateFileError', message: /generation" is damaged/ });
  }
});
