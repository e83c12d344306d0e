// Loaded into each Node.js program by NODE_OPTIONS: SIGUSR2 starts a CPU profile of its main thread, and the next one writes
// it to the directory in BENCH_PROFILES. --cpu-prof would include start and warm-up, and is not allowed in NODE_OPTIONS.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { basename, join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

const directory = process.env['BENCH_PROFILES'];

function profileOnSignal(folder: string): void {
  const session = new Session();
  let isRunning = false;
  process.on('SIGUSR2', () => {
    isRunning = !isRunning;
    if (!isRunning) return session.post('Profiler.stop', (error, stopped) => !error && write(folder, stopped.profile));
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.start');
  });

  function write(path: string, profile: object): void {
    session.disconnect();
    const measured = readFileSync(join(path, 'current'), 'utf8');
    const file = join(path, `${measured}-${basename(process.argv[1] ?? 'node', '.js')}-${process.pid}.cpuprofile`);
    writeFileSync(`${file}.part`, JSON.stringify(profile));
    renameSync(`${file}.part`, file);
  }
}

if (directory !== undefined && isMainThread) profileOnSignal(directory);
