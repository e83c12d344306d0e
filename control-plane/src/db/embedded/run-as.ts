import { type SpawnOptions, spawn } from 'node:child_process';
import { chmod, cp, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { binariesIn, type PostgresBinaries } from './binaries.js';
import { EmbeddedPostgresError } from './errors.js';

// PostgreSQL refuses to run as root. Whom it runs as:
//
//   we are not root                          as we are
//   root, data directory of another user     as that user
//   root, data directory of root             in a user namespace where root is called 65534: it still may enter what
//                                            only root may enter (a clone or a data directory under /root)
//   the same, user namespaces refused        as uid 65534, with the binaries copied into the data directory when it
//   (most containers)                        can't reach them where they are
//
// No system user is made in any case.

const nobody = 65_534;

/** Children get this and nothing of our environment: PGDATA, PGPORT and the like would change what they do. */
export const childEnvironment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
};

/** As whom, and from where, the PostgreSQL programs run. */
export interface RunAs {
  readonly binaries: PostgresBinaries;
  /** Who must own the database files; null: whoever makes them. */
  readonly owner: { readonly uid: number; readonly gid: number } | null;
  /** How to spawn `program` with `args`. */
  command(program: string, args: readonly string[]): Command;
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: Pick<SpawnOptions, 'uid' | 'gid' | 'env'>;
}

/** Decides by trying. @throws EmbeddedPostgresError when no way works */
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
  const inPlace = droppedTo(binaries, owner);
  if (!(await canEnter(inPlace, dataDir))) {
    throw new EmbeddedPostgresError(
      `data directory "${dataDir}" can't be reached by user id ${owner.uid}, as which PostgreSQL must run here: ` +
        'let others pass through its parent directories (chmod o+x) or choose another VANTAGE_DATA_DIR',
    );
  }
  if (await canRun(inPlace)) return inPlace;
  const copied = droppedTo(await copyBinaries(binaries, dataDir), owner);
  if (await canRun(copied)) return copied;
  throw new EmbeddedPostgresError(
    `user id ${owner.uid} can't run "${copied.binaries.postgres}" (mounted noexec?): choose another VANTAGE_DATA_DIR ` +
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
  return succeeds(runAs.command('test', ['-x', directory]));
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
