import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { DoctorCheck } from '@vantage/shared/terminal/check-lines.js';
import { isUntrusted } from '@vantage/shared/tls-failures.js';
import { compareVersions } from '@vantage/shared/version-order.js';
import type { MigrationState } from '../db/migrate.js';

// Decisions of `vantage-control doctor`: values in, lines out. Collecting them is in examine.ts.

const DAY_MS = 86_400_000;
const GIB = 1024 ** 3;
/** Difference between two clocks that says nothing: `Date` has whole seconds. */
const CLOCK_TOLERANCE_MS = 2_000;
/** Links of agents need a descriptor each. */
const ENOUGH_FILES = 65_536;

const ok = (name: string, detail: string, remedy: string | null = null): DoctorCheck => ({
  name,
  status: 'ok',
  detail,
  remedy,
});
const warning = (name: string, detail: string, remedy: string): DoctorCheck => ({
  name,
  status: 'warning',
  detail,
  remedy,
});
const failed = (name: string, detail: string, remedy: string): DoctorCheck => ({
  name,
  status: 'failed',
  detail,
  remedy,
});

/** Judges settings that no part of the program reads. */
export function judgeSettings(warnings: readonly string[]): DoctorCheck {
  const name = 'settings';
  if (warnings.length === 0) return ok(name, 'all are known');
  return warning(
    name,
    warnings.join(', '),
    'correct the name, or remove it: `vantage-control help settings` lists all settings',
  );
}

/** Judges the database. `error`: why it cannot be used, null if it can. */
export function judgeDatabase(error: string | null, answered: { version: string; tookMs: number } | null): DoctorCheck {
  const name = 'database';
  if (error !== null || answered === null)
    return failed(
      name,
      error ?? 'does not respond',
      'check VANTAGE_DATABASE_URL, and that PostgreSQL runs and accepts writes',
    );
  const { version, tookMs } = answered;
  const detail = `PostgreSQL ${version} responds in ${tookMs.toFixed(1)} ms`;
  if (Number.parseInt(version, 10) < 14) return failed(name, detail, 'upgrade PostgreSQL to version 14 or newer');
  if (tookMs > 20) return warning(name, detail, 'move the database nearer to the replicas, or look for its load');
  return ok(name, detail);
}

/** Judges the migrations that this version would apply, or those that it does not know. */
export function judgeMigrations({ pending, ahead }: MigrationState, refused: string | null): DoctorCheck {
  const name = 'migrations';
  if (refused !== null) return failed(name, refused, 'install the newer version, or restore a backup');
  if (ahead.length > 0) {
    const detail = `migrated by a newer version, next to which this one works: ${ahead.join(', ')}`;
    return warning(name, detail, 'finish the upgrade: install the newer version here, too');
  }
  if (pending.length === 0) return ok(name, 'the database has the tables of this version');
  return warning(name, `not applied: ${pending.join(', ')}`, '`vantage-control migrate`, or restart a replica');
}

/** Judges the replicas that have been heard of within ten seconds. */
export function judgeReplicas(alive: number): DoctorCheck {
  const name = 'replicas';
  if (alive > 0) return ok(name, `${alive} running`);
  return warning(name, 'none is running', '`vantage-control serve`, or `systemctl start vantage-control`');
}

/** Judges the bus. `error`: why it cannot be used. */
export function judgeBus(kind: string, error: string | null): DoctorCheck {
  if (error === null) return ok('bus', `${kind} accepts connections`);
  return warning(
    'bus',
    error,
    'check VANTAGE_BUS_URL; meanwhile replicas read changes from the database within two seconds',
  );
}

/** Judges the mail server. `directory`: mails are written to files there. */
export function judgeMail(directory: string | null, error: string | null): DoctorCheck {
  const name = 'mail';
  if (directory !== null)
    return warning(name, `mails are written to files in ${directory}`, 'set VANTAGE_SMTP_URL, so that users get them');
  if (error !== null) return failed(name, error, 'check VANTAGE_SMTP_URL; mails wait and are sent later');
  return ok(name, 'the mail server accepts this sign-in');
}

/** Judges the difference between this clock and another one, in milliseconds; null if unknown. */
export function judgeClock(aheadMs: number | null, of: string): DoctorCheck {
  const name = 'clock';
  if (aheadMs === null) return warning(name, 'nothing to compare with', 'repair the database first');
  if (Math.abs(aheadMs) <= CLOCK_TOLERANCE_MS) return ok(name, `agrees with ${of}`);
  const side = aheadMs > 0 ? 'ahead of' : 'behind';
  const detail = `${Math.round(Math.abs(aheadMs) / 1_000)} s ${side} ${of}`;
  return failed(name, detail, 'turn on time synchronisation on both: timedatectl set-ntp true');
}

/** Judges the free space of a file system, in bytes. */
export function judgeDisk(directory: string, space: { free: number; total: number } | null): DoctorCheck {
  const name = 'disk';
  if (space === null)
    return failed(name, `cannot read ${directory}`, 'check VANTAGE_DATA_DIR, and run this as the user of the server');
  const { free, total } = space;
  const detail = `${(free / GIB).toFixed(1)} of ${(total / GIB).toFixed(1)} GiB free in ${directory}`;
  if (free < GIB / 4) return failed(name, detail, 'free some space: PostgreSQL stops when the disk is full');
  if (free < 2 * GIB || free < total / 20) return warning(name, detail, 'free some space, or enlarge the disk');
  return ok(name, detail);
}

/** Judges the secret key. `mode`: of its file; null if it is configured. */
export function judgeSecretKey(error: string | null, mode: number | null, isUsed: boolean): DoctorCheck {
  const name = 'secret key';
  if (error !== null)
    return failed(
      name,
      error,
      'set VANTAGE_SECRET_KEY to the key of the other replicas, or restore secret.key from a backup',
    );
  if (mode !== null && (mode & 0o077) !== 0)
    return warning(name, 'secret.key is open to other users', 'chmod 600 secret.key in the data directory');
  return ok(name, isUsed ? 'decrypts the identity in the database' : 'no server has run with this database');
}

/** Judges the certificate that the server presents. */
export function judgeCertificate(
  { certificate, key, host }: { certificate: string; key: string; host: string },
  nowMs: number,
): DoctorCheck {
  const name = 'certificate';
  try {
    const parsed = new X509Certificate(certificate);
    const end = new Date(parsed.validTo);
    const day = end.toISOString().slice(0, 10);
    const days = Math.floor((end.getTime() - nowMs) / DAY_MS);
    const renew = 'renew VANTAGE_TLS_CERT, and restart the replicas one after another';
    if (!parsed.checkPrivateKey(createPrivateKey(key)))
      return failed(name, 'VANTAGE_TLS_KEY is not the key of VANTAGE_TLS_CERT', 'set both to files of one certificate');
    if (days < 0) return failed(name, `expired on ${day}`, renew);
    if (!isFor(parsed, host)) return failed(name, `is not for ${host}`, 'get one for the host of VANTAGE_PUBLIC_URL');
    return days < 14 ? warning(name, `valid until ${day}, ${days} days`, renew) : ok(name, `valid until ${day}`);
  } catch (error) {
    return failed(name, `cannot be read: ${(error as Error).message}`, 'check VANTAGE_TLS_CERT and VANTAGE_TLS_KEY');
  }
}

function isFor(certificate: X509Certificate, host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return (isIP(bare) === 0 ? certificate.checkHost(bare) : certificate.checkIP(bare)) !== undefined;
}

/** Judges the limit of open files of a process. `used`: open files now. */
export function judgeFiles(process: string, limit: number, used: number | null): DoctorCheck {
  const name = 'file descriptors';
  const detail = `${process} may open ${limit}${used === null ? '' : `, has ${used}`}`;
  const remedy = `LimitNOFILE=${ENOUGH_FILES} in the unit, or ulimit -n ${ENOUGH_FILES}: each link needs one`;
  if (used !== null && used > limit * 0.9) return failed(name, detail, remedy);
  return limit < 4_096 || (used !== null && used > limit / 2) ? warning(name, detail, remedy) : ok(name, detail);
}

/** Judges whether the public URL leads to a control plane. `outcome`: a status, or why there was no response. */
export function judgePublicUrl(url: string, outcome: number | Error, isConfigured: boolean): DoctorCheck {
  const name = 'public URL';
  if (outcome === 200)
    return ok(
      name,
      `${url} responds`,
      isConfigured ? null : 'set VANTAGE_PUBLIC_URL if agents or users are on other machines',
    );
  if (outcome instanceof Error && isUntrusted(outcome))
    return failed(
      name,
      `the certificate of ${url} is not trusted: ${outcome.message}`,
      'if it is the right one: put it, or that of its authority, into the file that NODE_EXTRA_CA_CERTS names, here and on every node',
    );
  const detail = typeof outcome === 'number' ? `responds with ${outcome}` : `does not respond: ${reasonOf(outcome)}`;
  return failed(
    name,
    `${url} ${detail}`,
    'check VANTAGE_PUBLIC_URL, DNS, the load balancer and its certificate, and that a replica runs',
  );
}

function reasonOf(error: Error): string {
  return 'code' in error ? String(error.code) : error.message;
}

/** Nodes by the version of their agents. */
export interface AgentVersion {
  readonly version: string;
  readonly nodes: number;
  readonly online: number;
}

/** Judges the versions of agents. `refused`: nodes that share no protocol version. */
export function judgeAgents(versions: readonly AgentVersion[], refused: number, own: string): DoctorCheck {
  const name = 'agents';
  if (versions.length === 0) return ok(name, 'no node is enrolled');
  const detail = versions.map(({ version, nodes, online }) => `${version}: ${online} of ${nodes} online`).join('; ');
  if (refused > 0)
    return failed(
      name,
      `${detail}; ${refused} share no protocol version`,
      'upgrade their agents: `vantage-control node list` shows them',
    );
  if (!versions.some(({ version }) => compareVersions(version, own) < 0)) return ok(name, detail);
  return ok(name, detail, `to upgrade: \`vantage-control rollout start --to ${own}\``);
}
