import { writeSync } from 'node:fs';
import { GenerationCounter } from '../generation.js';

// Started as a process by generation.test.ts: counts and prints until it is killed.

const counter = await GenerationCounter.open(process.argv[2] ?? '');
for (;;) writeSync(1, `${await counter.next()}\n`);
