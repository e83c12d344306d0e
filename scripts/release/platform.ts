/** Names of a processor architecture. */
export interface Platform {
  /** As archives and packages of npm have it. */
  readonly name: 'linux-x64' | 'linux-arm64';
  /** As Debian has it. */
  readonly debian: 'amd64' | 'arm64';
}

/** Platform of this machine: native modules and Node.js of a release are those of the machine that builds it. @throws Error on others */
export function platformOf(arch: string = process.arch): Platform {
  if (arch === 'x64') return { name: 'linux-x64', debian: 'amd64' };
  if (arch === 'arm64') return { name: 'linux-arm64', debian: 'arm64' };
  throw new Error(`this machine is ${arch}: a release is built on x64 or arm64`);
}
