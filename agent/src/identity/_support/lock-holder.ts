import { writeSync } from 'node:fs';
import { lockStateDirectory } from '../state-directory.js';

// Started as a process by state-directory.test.ts: holds the lock until it is killed.

lockStateDirectory(process.argv[2] ?? '');
writeSync(1, 'locked\n');
setInterval(() => {}, 60_000);
