// A process with a measuring child that is in the middle of a probe: prints the child's process id to its own parent.
import { fileURLToPath } from 'node:url';
import { systemClock } from '@vantage/shared/clock.js';
import { pino } from 'pino';
import { MeasuringProcess } from '../../src/measuring/measuring-process.js';

const program = fileURLToPath(new URL('./fake-measuring-child.js', import.meta.url));
const measuring = new MeasuringProcess({ allow: [], clock: systemClock, log: pino({ enabled: false }), program });
measuring.start();
await measuring.ready();
const specJson = JSON.stringify({ target: 'hang.example:80', params: {} });
void measuring.measure({ id: 'pt_1', type: 'tcp', specJson, deadlineMs: 60_000 });
process.send?.(measuring.pid);
