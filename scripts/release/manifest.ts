export interface ReleasedFile {
  readonly name: string;
  readonly bytes: number;
  /** SHA-256, in hexadecimal digits. */
  readonly sha256: string;
}

/** Contents of a release, as it is signed. */
export interface Manifest {
  readonly version: string;
  /** Version of the Node.js in the archives, and the SHA-256 of its program. */
  readonly node: { readonly version: string; readonly sha256: string };
  /** Oldest glibc that the programs start with. */
  readonly glibc: string;
  readonly files: readonly ReleasedFile[];
  /** Public key that signs from the next release on; absent: the same as this one. */
  readonly nextKey?: string;
}

const FIRST_LINE = 'vantage-release 1';

/**
 * The manifest as text: a line for each fact, words separated by a space, so that a shell can read it.
 *
 *     vantage-release 1
 *     version 0.1.0
 *     node 20.20.2 SHA256
 *     glibc 2.34
 *     file vantage-agent-0.1.0-linux-x64.tar.gz BYTES SHA256
 */
export function manifestText({ version, node, glibc, files, nextKey }: Manifest): string {
  const lines = [
    FIRST_LINE,
    `version ${version}`,
    `node ${node.version} ${node.sha256}`,
    `glibc ${glibc}`,
    ...files.map(({ name, bytes, sha256 }) => `file ${name} ${bytes} ${sha256}`),
    ...(nextKey === undefined ? [] : [`next-key ${nextKey}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** @throws Error when it is no manifest of this format */
export function parseManifest(text: string): Manifest {
  const [first, ...lines] = text.trimEnd().split('\n');
  if (first !== FIRST_LINE) throw new Error(`a manifest begins with "${FIRST_LINE}"`);
  const words = lines.map((line) => line.split(' '));
  const one = (name: string) => {
    const [, ...values] = words.find(([word]) => word === name) ?? [];
    if (values.length === 0) throw new Error(`the manifest has no ${name}`);
    return values;
  };
  const [nodeVersion = '', nodeSum = ''] = one('node');
  const files = words
    .filter(([word]) => word === 'file')
    .map(([, name = '', bytes = '', sha256 = '']) => ({ name, bytes: Number(bytes), sha256 }));
  const nextKey = words.find(([word]) => word === 'next-key')?.[1];
  return {
    version: one('version')[0] ?? '',
    node: { version: nodeVersion, sha256: nodeSum },
    glibc: one('glibc')[0] ?? '',
    files,
    ...(nextKey === undefined ? {} : { nextKey }),
  };
}
