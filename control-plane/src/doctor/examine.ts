import { readdir, readFile, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { judgeSynchronisation, readKernelClock } from '@vantage/shared/kernel-clock.js';
import type { DoctorCheck } from '@vantage/shared/terminal/check-lines.js';
import type { Knex } from 'knex';
import { openBus } from '../bus/open-bus.js';
import type { Config } from '../config/config.js';
import { listenOrigin } from '../config/setting-values.js';
import { findSecretKey } from '../crypto/secret-key.js';
import { checkDatabase } from '../db/database.js';
import { listServers } from '../db/embedded/index.js';
import { NewerDatabaseError, readMigrationState } from '../db/migrate.js';
import { openStorage, type Storage } from '../db/storage.js';
import { findIdentityKey, loadServerIdentity } from '../links/index.js';
import { SmtpTransport } from '../mail/index.js';
import { DEAD_AFTER_MS } from '../replicas/replica-lease.js';
import { createLogger } from '../runtime/log.js';
import { version } from '../version.js';
import { countAgentVersions, countReplicas, readServer } from './doctor-store.js';
import {
  judgeAgents,
  judgeBus,
  judgeCertificate,
  judgeClock,
  judgeDatabase,
  judgeDisk,
  judgeFiles,
  judgeMail,
  judgeMigrations,
  judgePublicUrl,
  judgeReplicas,
  judgeSecretKey,
  judgeSettings,
} from './judgements.js';

const HTTP_MS = 10_000;
/** Looks at the database, of which the quickest counts. */
const LOOKS = 3;
/** Bytes of a key for the bus where there is none. */
const NO_KEY = Buffer.alloc(32);

/** Examines an installation: what each part needs, and what to do. Changes nothing. */
export async function examine(config: Config, warnings: readonly string[]): Promise<DoctorCheck[]> {
  const log = createLogger('silent');
  const opened = await openStorage({ config, log, mode: 'join-or-start', poolSize: 2 }).catch((error: Error) => error);
  try {
    const storage = opened instanceof Error ? null : opened;
    const reason = opened instanceof Error ? opened.message : null;
    return [
      judgeSettings(warnings),
      ...(storage === null ? [judgeDatabase(reason, null)] : await examineDatabase(storage, config)),
      await examineMail(config),
      judgeSynchronisation(await readKernelClock()),
      await examineDisk(config.dataDir),
      ...(await examineCertificate(config)),
      ...(await examineFiles()),
      await examinePublicUrl(config),
    ];
  } finally {
    if (!(opened instanceof Error)) await opened.close();
  }
}

async function examineDatabase(storage: Storage, config: Config): Promise<DoctorCheck[]> {
  const { db } = storage;
  try {
    await checkDatabase(db);
    const server = await lookAtServer(db);
    const checks = [judgeDatabase(null, server), judgeClock(server.aheadMs, 'the database')];
    const migrations = await examineMigrations(db);
    if (!migrations.isUsable) return [...checks, migrations.check];
    const { versions, refused } = await countAgentVersions(db);
    const key = await examineKey(db, config);
    return [
      ...checks,
      migrations.check,
      judgeReplicas(await countReplicas(db, DEAD_AFTER_MS)),
      await examineBus(storage, config, key.secretKey),
      key.check,
      judgeAgents(versions, refused, version),
    ];
  } catch (error) {
    return [judgeDatabase((error as Error).message || String(error), null)];
  }
}

/** The quickest of some looks at the server: one alone may have waited for something else on a busy machine. */
async function lookAtServer(db: Knex): Promise<{ version: string; tookMs: number; aheadMs: number }> {
  const looks = [];
  while (looks.length < LOOKS) {
    const startedAt = systemClock.monotonicMs();
    const { version, nowMs } = await readServer(db);
    const tookMs = systemClock.monotonicMs() - startedAt;
    looks.push({ version, tookMs, aheadMs: systemClock.now() - tookMs / 2 - nowMs });
  }
  return looks.reduce((best, look) => (look.tookMs < best.tookMs ? look : best));
}

/** `isUsable`: the database has the tables of this version. */
async function examineMigrations(db: Knex): Promise<{ check: DoctorCheck; isUsable: boolean }> {
  try {
    const state = await readMigrationState(db);
    return { check: judgeMigrations(state, null), isUsable: state.pending.length === 0 };
  } catch (error) {
    if (!(error instanceof NewerDatabaseError)) throw error;
    return { check: judgeMigrations({ pending: [], ahead: [] }, error.message), isUsable: false };
  }
}

async function examineKey(
  db: Knex,
  { secretKey: configured, dataDir }: Config,
): Promise<{ check: DoctorCheck; secretKey: Buffer | null }> {
  try {
    const secretKey = configured ?? (await findSecretKey(dataDir));
    const isUsed = (await findIdentityKey(db)) !== null;
    if (isUsed && secretKey === null)
      return { check: judgeSecretKey(`"${dataDir}" has no secret.key`, null, true), secretKey };
    if (isUsed && secretKey !== null) await loadServerIdentity(db, secretKey);
    const file = configured === null ? await stat(join(dataDir, 'secret.key')).catch(() => null) : null;
    return { check: judgeSecretKey(null, file?.mode ?? null, isUsed), secretKey };
  } catch (error) {
    return { check: judgeSecretKey((error as Error).message, null, true), secretKey: null };
  }
}

async function examineBus(
  { db, url }: Storage,
  { busUrl: address }: Config,
  secretKey: Buffer | null,
): Promise<DoctorCheck> {
  const bus = openBus({
    address,
    databaseUrl: url,
    identityKey: (await findIdentityKey(db)) ?? NO_KEY,
    secretKey: secretKey ?? NO_KEY,
    replicaId: newId(idPrefixes.replica),
    isListening: false,
    hasOthers: () => false,
    log: createLogger('silent'),
    clock: systemClock,
  });
  const kind = address.kind === 'postgres' ? 'PostgreSQL' : 'NATS';
  try {
    await bus.start();
    return judgeBus(kind, null);
  } catch (error) {
    return judgeBus(kind, (error as Error).message);
  } finally {
    await bus.stop();
  }
}

async function examineMail({ smtp, mailDir, dataDir }: Config): Promise<DoctorCheck> {
  if (smtp === null) return judgeMail(mailDir ?? join(dataDir, 'mail'), null);
  const error = await new SmtpTransport(smtp).verify().then(
    () => null,
    ({ message }: Error) => message,
  );
  return judgeMail(null, error);
}

async function examineDisk(directory: string): Promise<DoctorCheck> {
  const space = await statfs(directory).catch(() => null);
  return judgeDisk(directory, space && { free: space.bavail * space.bsize, total: space.blocks * space.bsize });
}

async function examineCertificate({ tlsCert, tlsKey, publicUrl, listen }: Config): Promise<DoctorCheck[]> {
  if (tlsCert === null || tlsKey === null) return [];
  const [certificate, key] = await Promise.all([readFile(tlsCert, 'utf8'), readFile(tlsKey, 'utf8')]);
  const host = new URL(publicUrl ?? listenOrigin(listen, 'https')).hostname;
  return [judgeCertificate({ certificate, key, host }, systemClock.now())];
}

/** Servers of this machine; without one, this process, which has the limits of the shell. */
async function examineFiles(): Promise<DoctorCheck[]> {
  const pids = (await listServers()).map(({ pid }) => pid);
  const checks = await Promise.all((pids.length === 0 ? [process.pid] : pids).map(examineFilesOf));
  return checks.flatMap((check) => (check === null ? [] : [check]));
}

async function examineFilesOf(pid: number): Promise<DoctorCheck | null> {
  const limits = await readFile(`/proc/${pid}/limits`, 'utf8').catch(() => '');
  const limit = /^Max open files\s+\S+\s+(\d+)/m.exec(limits)?.[1];
  if (limit === undefined) return null;
  const used = await readdir(`/proc/${pid}/fd`).then(
    ({ length }) => length,
    () => null,
  );
  return judgeFiles(pid === process.pid ? 'this shell' : `the server (process ${pid})`, Number(limit), used);
}

async function examinePublicUrl({ publicUrl, listen, tlsCert }: Config): Promise<DoctorCheck> {
  const url = publicUrl ?? listenOrigin(listen, tlsCert === null ? 'http' : 'https');
  const patience = new AbortController();
  const cancel = systemClock.after(HTTP_MS, () => patience.abort());
  const outcome = await fetch(new URL('/healthz', url), { signal: patience.signal, redirect: 'manual' }).then(
    async (response) => {
      await response.body?.cancel();
      return response.status;
    },
    (error: Error) => (patience.signal.aborted ? new Error('no response within 10 s') : causeOf(error)),
  );
  cancel();
  return judgePublicUrl(url, outcome, publicUrl !== null);
}

/** The cause of a failed request says more than `fetch failed`. */
function causeOf(error: Error): Error {
  return error.cause instanceof Error ? error.cause : error;
}
