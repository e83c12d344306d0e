import { type SpawnOptions, spawn } from 'node:child_process';
import { chmod, cp, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { binariesIn, type PostgresBinaries } from './binaries.js';
import { EmbeddedPostgresError } from './errors.js';

// PostgreSQL refuses to run as root. The user it runs as:
//
//   we are not root                          as we are
//   root, data directory of another user     as that user; where only root may enter the directories above (the unit's
//                                            DynamicUser=: /var/lib/private), with root's permission to pass
//   root, data directory of root             in a user namespace where root is called 65534: it still may enter what
//                                            only root may enter (a clone or a data directory under /root)
//   the same, user namespaces refused        as uid 65534, with the binaries copied into the data directory when it
//   (most containers)                        can't reach them where they are
//
// No system user is created in any case.

const nobody = 65_534;

/**
 * Environment of child processes, with nothing of this process: PGDATA, PGPORT and the like would change their
 * behaviour.
 */
export const childEnvironment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
};

/** User and files with which the PostgreSQL programs run. */
export interface RunAs {
  readonly binaries: PostgresBinaries;
  /** Owner that the database files must have; null for the user that creates them. */
  readonly owner: { readonly uid: number; readonly gid: number } | null;
  /** Command that runs `program` with `args`. */
  command(program: string, args: readonly string[]): Command;
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: Pick<SpawnOptions, 'uid' | 'gid' | 'env'>;
}

/** Finds a way that works by trying. @throws EmbeddedPostgresError if none does */
export async function chooseRunAs(dataDir: string, binaries: PostgresBinaries): Promise<RunAs> {
  if (process.getuid?.() !== 0) return asOurselves(binaries);
  const owner = (await ownerOf(path.join(dataDir, 'postgres'))) ?? (await ownerOf(dataDir));
  if (owner !== null && owner.uid !== 0) return asUser(dataDir, binaries, owner);
  const inNamespace = asNamespacedRoot(binaries);
  if ((await canEnter(inNamespace, dataDir)) && (await canRun(inNamespace))) return inNamespace;
  return asUser(dataDir, binaries, { uid: nobody, gid: nobody });
}

function asOurselves(binaries: PostgresBinaries): RunAs {
  return {
    binaries,
    owner: null,
    command: (file, args) => ({ file, args, options: { env: childEnvironment } }),
  };
}

function asNamespacedRoot(binaries: PostgresBinaries): RunAs {
  return {
    binaries,
    owner: null,
    command: (program, args) => ({
      file: 'unshare',
      args: ['--user', `--map-user=${nobody}`, program, ...args],
      options: { env: childEnvironment },
    }),
  };
}

async function asUser(
  dataDir: string,
  binaries: PostgresBinaries,
  owner: { readonly uid: number; readonly gid: number },
): Promise<RunAs> {
  if (owner.uid === nobody) await letOthersPass(dataDir);
  const reader = owner.uid === nobody ? [] : [droppedToReader(binaries, owner)];
  const inPlace = await firstToEnter(dataDir, [droppedTo(binaries, owner), ...reader]);
  if (inPlace === null) {
    throw new EmbeddedPostgresError(
      `data directory "${dataDir}" cannot be accessed by user id ${owner.uid}, as which PostgreSQL must run here: ` +
        'allow other users to traverse its parent directories (chmod o+x), or choose another VANTAGE_DATA_DIR',
    );
  }
  if (await canRun(inPlace)) return inPlace;
  const copied = { ...inPlace, binaries: await copyBinaries(binaries, dataDir) };
  if (await canRun(copied)) return copied;
  throw new EmbeddedPostgresError(
    `user id ${owner.uid} cannot run "${copied.binaries.postgres}" (mounted noexec?): choose another VANTAGE_DATA_DIR ` +
      'or set VANTAGE_DATABASE_URL',
  );
}

function droppedTo(binaries: PostgresBinaries, owner: { readonly uid: number; readonly gid: number }): RunAs {
  return {
    binaries,
    owner,
    command: (file, args) => ({ file, args, options: { env: childEnvironment, ...owner } }),
  };
}

/** The user, who in addition may search and read what root may (capabilities(7)). */
function droppedToReader(binaries: PostgresBinaries, owner: { readonly uid: number; readonly gid: number }): RunAs {
  const user = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'];
  const rights = ['--inh-caps=-all,+dac_read_search', '--ambient-caps=-all,+dac_read_search'];
  return {
    binaries,
    owner,
    command: (program, args) => ({
      file: 'setpriv',
      args: [...user, ...rights, program, ...args],
      options: { env: childEnvironment },
    }),
  };
}

async function firstToEnter(dataDir: string, ways: readonly RunAs[]): Promise<RunAs | null> {
  for (const way of ways) if (await canEnter(way, dataDir)) return way;
  return null;
}

async function letOthersPass(dataDir: string): Promise<void> {
  const { mode } = await stat(dataDir);
  await chmod(dataDir, (mode & 0o777) | 0o011);
}

/** 60 MB, once per version and data directory. */
async function copyBinaries(binaries: PostgresBinaries, dataDir: string): Promise<PostgresBinaries> {
  const copy = path.join(dataDir, `postgres-${binaries.version}`);
  if ((await ownerOf(copy)) === null) {
    const unfinished = `${copy}.new`;
    await rm(unfinished, { recursive: true, force: true });
    await cp(binaries.root, unfinished, { recursive: true, verbatimSymlinks: true });
    await rename(unfinished, copy);
  }
  return binariesIn(copy, binaries.version);
}

async function ownerOf(file: string): Promise<{ uid: number; gid: number } | null> {
  const found = await stat(file).catch(() => null);
  return found === null ? null : { uid: found.uid, gid: found.gid };
}

function canEnter(runAs: RunAs, directory: string): Promise<boolean> {
  // by entering: access(2), of `test -x`, leaves capabilities out
  return succeeds(runAs.command('test', ['-d', `${directory}/.`]));
}

function canRun(runAs: RunAs): Promise<boolean> {
  return succeeds(runAs.command(runAs.binaries.postgres, ['--version']));
}

function succeeds({ file, args, options }: Command): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { ...options, stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
  });
}
