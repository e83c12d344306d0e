import { chown, mkdtemp, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { delay, systemClock } from '@vantage/shared/clock.js';
import { findPostgresBinaries } from './binaries.js';
import { type Cluster, databaseUser, prepareCluster } from './cluster.js';
import { EmbeddedPostgresError } from './errors.js';
import { reasonOf } from './failure-reason.js';
import type { GuardianOrders, GuardianReport } from './guardian-protocol.js';
import { type Postmaster, startPostmaster, stopOrphans } from './postmaster.js';
import { chooseRunAs, type RunAs } from './run-as.js';
import { removeRunningFile, writeRunningFile } from './running-file.js';

// Process between a database and its owner. It holds the data directory's lock for as long as it lives and a pipe whose
// other end dies with the owner, however that dies:
//
//   preparing ──► starting ──► running ──owner's end──► stopping ──► removing (ephemeral only) ──► exit
//                    ▲            │
//                    └────────────┘ the server died by itself, and not soon after it had been started again

const removeWithinMs = 10_000;
/** Shortest life of a restarted server: one that dies sooner would die again, and is not restarted. */
const stableMs = 10_000;
/** sockaddr_un.sun_path without its final NUL. unix(7) */
const socketPathBytes = 107;

const defaultSettings = {
  max_connections: '100',
  // a restore creates the partitions of a year, with their indexes, in one transaction
  max_locks_per_transaction: '512',
  log_destination: 'stderr',
  logging_collector: 'off',
  log_line_prefix: '',
  // log lines of the server itself; failed statements are reported by their sender, and may quote data
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
  timezone: 'UTC',
  jit: 'off',
};

async function main(orders: GuardianOrders): Promise<void> {
  const ownerGone = new AbortController();
  // the owner handles Ctrl-C and closing terminals; the end of the pipe shows the result
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  // reports to an owner that has ended
  process.stdout.on('error', () => {});
  process.stdin.on('error', () => ownerGone.abort()).on('close', () => ownerGone.abort());
  process.stdin.on('end', () => ownerGone.abort()).resume();
  try {
    await guard(orders, ownerGone.signal);
  } catch (error) {
    if (!ownerGone.signal.aborted) report({ kind: 'failed', message: oneLine(error) });
  } finally {
    if (orders.ephemeral !== null) await removeDirectory(orders.ephemeral);
  }
  process.exit();
}

async function guard(orders: GuardianOrders, ownerGone: AbortSignal): Promise<void> {
  await removeRunningFile(orders.dataDir);
  const runAs = await chooseRunAs(orders.dataDir, findPostgresBinaries());
  const isDurable = orders.settings['fsync'] !== 'off';
  const cluster = await prepareCluster(orders.dataDir, runAs, { isDurable, signal: ownerGone });
  const socket = await makeSocketDirectory(cluster, orders.temporaryDirectory, runAs);
  try {
    await keepRunning(orders, { runAs, cluster, socketDirectory: socket.directory, ownerGone });
  } finally {
    await removeRunningFile(orders.dataDir);
    if (socket.isTemporary) await rm(socket.directory, { recursive: true, force: true });
  }
}

interface Setting {
  readonly runAs: RunAs;
  readonly cluster: Cluster;
  readonly socketDirectory: string;
  readonly ownerGone: AbortSignal;
}

async function keepRunning(orders: GuardianOrders, setting: Setting): Promise<void> {
  const url = databaseUrl(setting.cluster, setting.socketDirectory);
  const ownerLeft = new Promise<null>((resolve) => {
    setting.ownerGone.addEventListener('abort', () => resolve(null), { once: true });
  });
  for (let isRestart = false; ; isRestart = true) {
    const postmaster = await start(orders, setting);
    const readyAt = systemClock.monotonicMs();
    let death: string | null = null;
    try {
      const running = { url, ownerPid: orders.ownerPid, purpose: orders.purpose };
      await writeRunningFile(orders.dataDir, running, setting.runAs.owner);
      report({ kind: 'ready', url });
      if (!setting.ownerGone.aborted) death = await Promise.race([ownerLeft, postmaster.ended]);
      await removeRunningFile(orders.dataDir);
    } finally {
      await postmaster.stop();
    }
    if (death === null) return;
    const isStable = systemClock.monotonicMs() - readyAt >= stableMs;
    if (isRestart && !isStable) return report({ kind: 'lost', message: death });
    report({ kind: 'restarting', message: death });
  }
}

async function start(orders: GuardianOrders, setting: Setting): Promise<Postmaster> {
  await stopOrphans(setting.cluster.directory);
  return startPostmaster(setting.runAs, {
    directory: setting.cluster.directory,
    socketDirectory: setting.socketDirectory,
    settings: { ...defaultSettings, ...orders.settings },
    onLine: (line) => report({ kind: 'log', line }),
    signal: setting.ownerGone,
  });
}

/** In the cluster's own directory, which is its owner's alone; elsewhere only when that path is too long. */
async function makeSocketDirectory(
  cluster: Cluster,
  temporaryDirectory: string,
  runAs: RunAs,
): Promise<{ directory: string; isTemporary: boolean }> {
  if (fitsSocket(cluster.directory)) return { directory: cluster.directory, isTemporary: false };
  const parent = fitsSocket(path.join(temporaryDirectory, 'vantage-XXXXXX')) ? temporaryDirectory : '/tmp';
  const directory = await mkdtemp(path.join(parent, 'vantage-'));
  if (runAs.owner !== null) await chown(directory, runAs.owner.uid, runAs.owner.gid);
  return { directory, isTemporary: true };
}

function fitsSocket(directory: string): boolean {
  return Buffer.byteLength(path.join(directory, '.s.PGSQL.5432')) <= socketPathBytes;
}

function databaseUrl(cluster: Cluster, socketDirectory: string): string {
  const query = new URLSearchParams({ host: socketDirectory });
  return `postgres://${databaseUser}:${cluster.password}@localhost/postgres?${query}`;
}

/**
 * Removes a directory; others may still write into it (an agent that is stopping), so it retries until nothing is
 * left.
 */
async function removeDirectory(directory: string): Promise<void> {
  const deadline = systemClock.monotonicMs() + removeWithinMs;
  for (;;) {
    await rm(directory, { recursive: true, force: true }).catch(() => {});
    const isGone = await stat(directory).then(
      () => false,
      () => true,
    );
    if (isGone || systemClock.monotonicMs() > deadline) return;
    await delay(systemClock, 50);
  }
}

function report(message: GuardianReport): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function oneLine(error: unknown): string {
  if (error instanceof EmbeddedPostgresError) return error.message;
  return `embedded PostgreSQL failed: ${reasonOf(String(error), null)}`;
}

await main(JSON.parse(process.argv[2] ?? ''));
