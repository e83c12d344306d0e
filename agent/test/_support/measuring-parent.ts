// A process with a measuring child that is in the middle of a probe: prints the child's process id to its own parent.
import { fileURLToPath } from 'node:url';
import { systemClock } from '@vantage/shared/clock.js';
import { pino } from 'pino';
import { MeasuringProcess } from '../../src/measuring/measuring-process.js';
import { defaultEngineSettings } from '../../src/probes/default-settings.js';

const program = fileURLToPath(new URL('./fake-measuring-child.js', import.meta.url));
const measuring = new MeasuringProcess({
  settings: defaultEngineSettings,
  serviceUrl: 'https://vantage.example',
  clock: systemClock,
  log: pino({ enabled: false }),
  program,
});
measuring.start();
const job = (id: string, target: string) => {
  const specJson = JSON.stringify({ target: `${target}:80`, params: {} });
  return measuring.measure({ id, type: 'tcp', specJson, deadlineMs: 60_000, caller: '' });
};
void job('pt_1', 'hang.example');
await job('pt_2', 'ok.example');
process.send?.(measuring.pid);
