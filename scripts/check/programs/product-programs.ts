/** A program that the agent or the control plane starts itself, wherever it is installed. */
export interface ProductProgram {
  readonly program: string;
  /** The Debian package that has it. */
  readonly debianPackage: string;
  readonly use: string;
  /** Effect of the program's absence. */
  readonly without: string;
}

/** The one list of them; docs/settings.md repeats it. */
export const productPrograms: readonly ProductProgram[] = [
  {
    program: 'flock',
    debianPackage: 'util-linux',
    use: 'locking the directory of the embedded database',
    without: 'set `VANTAGE_DATABASE_URL`',
  },
  {
    program: 'unshare',
    debianPackage: 'util-linux',
    use: 'running the embedded PostgreSQL in a user namespace when started by root; testing the sandbox of Chromium',
    without: 'PostgreSQL runs as user id 65534; no monitors of type browser',
  },
  {
    program: 'test',
    debianPackage: 'coreutils',
    use: 'checking that the user of PostgreSQL can enter its directory',
    without: 'set `VANTAGE_DATABASE_URL`',
  },
  {
    program: 'setpriv',
    debianPackage: 'util-linux',
    use: 'running Chromium without the privileges of the agent; commands of root on the stopped database of a unit',
    without: 'no monitors of type browser; commands need the running server',
  },
  {
    program: 'setsid',
    debianPackage: 'util-linux',
    use: 'testing `setpriv` and user namespaces without the terminal of the agent',
    without: 'no monitors of type browser',
  },
  {
    program: 'true',
    debianPackage: 'coreutils',
    use: 'testing `setpriv` and user namespaces',
    without: 'no monitors of type browser',
  },
  {
    program: 'chromium',
    debianPackage: 'chromium',
    use: 'loading pages for monitors of type browser',
    without: 'no monitors of type browser',
  },
  {
    program: 'timedatectl',
    debianPackage: 'systemd',
    use: 'checking that the clock is synchronised',
    without: 'the agent does not report it',
  },
  {
    program: 'systemd-notify',
    debianPackage: 'systemd',
    use: 'reporting to systemd that the program serves and its event loop runs',
    without: 'only a unit with `Type=notify` waits for it',
  },
];
