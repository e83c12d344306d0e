import { setTimeout as pause } from 'node:timers/promises';
import { findRecord, isAlive, removeLab, removeOrphans } from '../records.js';

const PATIENCE_MS = 15_000;

/** Ends a lab through the process that made it, and removes what killed labs have left. */
export async function down(name: string): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error('root is required to remove a lab');
  const record = findRecord(name);
  const removed = record !== null && isAlive(record) ? [await endLiving(name, record.pid)] : [];
  removed.push(...(await removeOrphans()));
  process.stdout.write(removed.length === 0 ? 'nothing to remove\n' : `removed ${removed.join(', ')}\n`);
}

async function endLiving(name: string, pid: number): Promise<string> {
  process.kill(pid, 'SIGTERM');
  const deadline = performance.now() + PATIENCE_MS;
  while (findRecord(name) !== null && performance.now() < deadline) await pause(20);
  await removeLab(name);
  return name;
}
