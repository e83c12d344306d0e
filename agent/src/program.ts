import { helpLayout, helpOutput } from '@vantage/shared/terminal/help-output.js';
import { Command, InvalidArgumentError } from 'commander';
import { helpText } from './commands/help-texts.js';
import { type AgentConfig, ConfigError, parseConfig, readEnv } from './config.js';
import { CommandError, type ExitName } from './exit-codes.js';
import { AGENT_VERSION } from './version.js';

/** Runs a command and keeps the code it ends with. */
type Finish = (exit: ExitName) => void;

/**
 * The command line. What a command needs is loaded when it runs: help is quick, and `run` keeps the engines out of its
 * process. Each action reports its exit through `finish`; usage errors are thrown as commander's.
 */
export function buildProgram(finish: Finish): Command {
  const program = new Command('vantage-agent')
    .description(
      'Measuring agent of Vantage: enrolls with a one-time token, runs probes, delivers every result exactly once.',
    )
    .version(AGENT_VERSION, '--version', 'print the version')
    .exitOverride()
    .showHelpAfterError('(--help shows more)')
    .configureHelp(helpLayout)
    .configureOutput(helpOutput(readEnv(), process));
  addEnroll(program, finish);
  addRun(program, finish);
  addStatus(program, finish);
  addHealth(program, finish);
  addSpool(program, finish);
  addDoctor(program, finish);
  addCheckRelease(program, finish);
  addProbe(program, finish);
  addSpeedtestServer(program, finish);
  return program;
}

function addEnroll(program: Command, finish: Finish): void {
  withStateDir(program.command('enroll'))
    .summary('enroll this machine as a node of a control plane')
    .description(
      'Enrolls this machine as a node: generates its key, sends the one-time token with proof of the key, and pins the control plane’s key.',
    )
    .requiredOption('--url <url>', 'URL of the control plane, for example https://vantage.example')
    .option(
      '--token <token>',
      'enrollment token (ent_…); - reads it from standard input, so that it is not in the process list',
    )
    .option('--token-file <file>', 'file that holds the enrollment token')
    .option('--name <name>', 'name of the node (default: the host name)')
    .option('--country <code>', 'country of the node: ISO 3166-1 alpha-2, for example DE')
    .option('--province <code>', 'province of the node: ISO 3166-2, for example DE-BE')
    .option('--city <city>', 'city of the node')
    .option('--asn <number>', 'number of the autonomous system that the node is connected to', parseNumber)
    .option('--provider <name>', 'hosting or access provider')
    .option('--tag <tag>', 'tag of the node; may be repeated', collect, [])
    .option(
      '--tls-pin <pin>',
      'pin of the control plane’s TLS key: base64 of the SHA-256 of its SubjectPublicKeyInfo; may be repeated',
      collect,
      [],
    )
    .option('--insecure', 'allow http:// to a host that is not this machine', false)
    .option('--json', 'print JSON, also for a refusal', false)
    .addHelpText(
      'after',
      helpText({
        environment: ['VANTAGE_STATE_DIR', 'VANTAGE_AGENT_BIND', 'VANTAGE_AGENT_PROXY', 'VANTAGE_AGENT_TLS_PINS'],
        exits: ['ok', 'failed', 'usage', 'stateInUse', 'deleted'],
        examples: [
          'vantage-agent enroll --url https://vantage.example --token-file token.txt --country DE --asn 3320',
          'pass show vantage | vantage-agent enroll --url https://vantage.example --token -',
        ],
      }),
    )
    .action(async (options) => {
      const { enrollNode } = await import('./commands/enroll.js');
      finish(await enrollNode(configOf(options), options));
    });
}

function addRun(program: Command, finish: Finish): void {
  withStateDir(program.command('run'))
    .summary('run the agent')
    .description(
      'Runs the agent until SIGTERM or SIGINT. Logs go to standard error: JSON, or plain lines on a terminal.',
    )
    .addHelpText(
      'after',
      helpText({
        environment: [
          'VANTAGE_STATE_DIR',
          'VANTAGE_AGENT_BIND',
          'VANTAGE_AGENT_PROXY',
          'VANTAGE_AGENT_TLS_PINS',
          'VANTAGE_ALLOW_TARGETS',
          'VANTAGE_DNS_SERVERS',
          'VANTAGE_DNS_ROOT_HINTS',
          'VANTAGE_DNSBL_ZONES',
          'VANTAGE_DNSBL_SERVERS',
          'VANTAGE_RDAP_BOOTSTRAP',
          'VANTAGE_RDAP_BOOTSTRAP_IPV4',
          'VANTAGE_RDAP_BOOTSTRAP_IPV6',
          'VANTAGE_WHOIS_SERVERS',
          'VANTAGE_ICP_SOURCE',
          'VANTAGE_CHROMIUM',
          'VANTAGE_CHROMIUM_SANDBOX',
          'VANTAGE_AGENT_UPGRADE_COMMAND',
          'VANTAGE_LOG_LEVEL',
          'VANTAGE_EXIT_WITH_PARENT',
        ],
        exits: ['ok', 'failed', 'usage', 'banned', 'upgradeRequired', 'notEnrolled', 'stateInUse'],
        examples: ['vantage-agent run', 'VANTAGE_AGENT_BIND=192.0.2.7 vantage-agent run --state-dir /srv/vantage'],
      }),
    )
    .action(async (options) => {
      const { run } = await import('./commands/run.js');
      finish(await run(configOf(options)));
    });
}

function addStatus(program: Command, finish: Finish): void {
  withStateDir(program.command('status'))
    .summary('show the state of the running agent')
    .description(
      'Shows the link, the clock and the spool of the agent that runs with this state directory; if none runs, the contents of its spool.',
    )
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      helpText({
        environment: ['VANTAGE_STATE_DIR'],
        exits: ['ok', 'failed', 'usage', 'notEnrolled'],
        examples: [
          'vantage-agent status',
          'vantage-agent status --json',
          "vantage-agent status --json | jq '.agent.spool // .stored_spool'",
        ],
      }),
    )
    .action(async (options) => {
      const { status } = await import('./commands/status.js');
      finish(await status(configOf(options), options));
    });
}

function addHealth(program: Command, finish: Finish): void {
  withStateDir(program.command('health'))
    .summary('wait until the running agent is healthy')
    .description(
      'Waits until an agent of this version runs with this state directory, its link is open, its spool takes results and its self-test has ended; then exits with 0. Prints the first of these that is missing when the time is over.',
    )
    .option('--within <seconds>', 'seconds to wait; 0 looks once', parseNumber, 0)
    .addHelpText(
      'after',
      helpText({
        environment: ['VANTAGE_STATE_DIR'],
        exits: ['ok', 'failed', 'usage'],
        examples: ['vantage-agent health', 'vantage-agent health --within 60'],
      }),
    )
    .action(async (options) => {
      const { health } = await import('./commands/health.js');
      finish(await health(configOf(options), options));
    });
}

function addCheckRelease(program: Command, finish: Finish): void {
  withStateDir(program.command('check-release'))
    .summary('check that this version runs on this machine, before it replaces another')
    .description(
      'Loads the engines and native modules of this version and opens a copy of the spool of this state directory; prints what it can measure. Uses neither the identity nor the link: the agent that runs is not disturbed.',
    )
    .option(
      '--before <program>',
      'program of the version that is replaced: it has to be able to read the spool afterwards',
    )
    .addHelpText(
      'after',
      helpText({
        environment: ['VANTAGE_STATE_DIR'],
        exits: ['ok', 'failed', 'usage'],
        examples: ['/opt/vantage-agent/0.1.1/bin/vantage-agent check-release --state-dir /var/lib/vantage-agent'],
      }),
    )
    .action(async (options) => {
      const { checkRelease } = await import('./commands/check-release.js');
      finish(await checkRelease(configOf(options), options.before));
    });
}

function addSpool(program: Command, finish: Finish): void {
  const spool = program
    .command('spool')
    .summary('inspect the results that wait for delivery')
    .description('Reads the spool of this state directory without changing it, whether or not an agent is running.')
    .addHelpText(
      'after',
      helpText({
        environment: ['VANTAGE_STATE_DIR'],
        exits: ['ok', 'failed', 'usage'],
        examples: ['vantage-agent spool export --json', 'vantage-agent spool verify'],
      }),
    );
  addSpoolExport(spool, finish);
  addSpoolVerify(spool, finish);
}

function addSpoolExport(spool: Command, finish: Finish): void {
  withStateDir(spool.command('export'))
    .summary('print the waiting results')
    .description(
      'Prints every waiting result, one line each, and the numbers that were dropped. Damaged rows are reported on standard error and skipped; the command then exits with 1.',
    )
    .option('--lane <lane>', 'only this lane: task (one-shot probes) or check (monitors)')
    .option('--delivered', 'include results delivered in the last fifteen minutes', false)
    .option('--json', 'print whole results, one JSON document per line', false)
    .option('--output <file>', 'write to a new file that only you can read')
    .option('--file <file>', 'read this spool file, for example a damaged one that was moved aside')
    .addHelpText(
      'after',
      helpText({
        environment: ['VANTAGE_STATE_DIR'],
        exits: ['ok', 'failed', 'usage'],
        examples: [
          'vantage-agent spool export --lane task',
          'vantage-agent spool export --json --output results.jsonl',
          'vantage-agent spool export --json --file /var/lib/vantage-agent/spool/spool.db.corrupt-2026-11-20T120000.000Z',
        ],
      }),
    )
    .action(async (options) => {
      const { exportSpool } = await import('./commands/spool-export.js');
      finish(await exportSpool(configOf(options), options));
    });
}

function addSpoolVerify(spool: Command, finish: Finish): void {
  withStateDir(spool.command('verify'))
    .summary('check every row of the spool')
    .description(
      'Checks the structure of the spool file, its head, the checksum of every row, and that every number is either a row or dropped.',
    )
    .option('--json', 'print JSON', false)
    .option('--file <file>', 'check this spool file, for example a damaged one that was moved aside')
    .addHelpText(
      'after',
      helpText({
        environment: ['VANTAGE_STATE_DIR'],
        exits: ['ok', 'failed', 'usage'],
        examples: ['vantage-agent spool verify', 'vantage-agent spool verify --json'],
      }),
    )
    .action(async (options) => {
      const { verifySpoolFile } = await import('./commands/spool-verify.js');
      finish(await verifySpoolFile(configOf(options), options));
    });
}

function addDoctor(program: Command, finish: Finish): void {
  withStateDir(program.command('doctor'))
    .summary('check the capabilities of this machine, with remedies')
    .description(
      'Checks raw sockets, the state directory, the control plane, the clock and DNS; prints a remedy for each problem.',
    )
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      helpText({
        environment: [
          'VANTAGE_STATE_DIR',
          'VANTAGE_AGENT_BIND',
          'VANTAGE_AGENT_PROXY',
          'VANTAGE_AGENT_TLS_PINS',
          'VANTAGE_CHROMIUM',
          'VANTAGE_CHROMIUM_SANDBOX',
        ],
        exits: ['ok', 'failed', 'usage'],
        examples: ['vantage-agent doctor', 'vantage-agent doctor --json'],
      }),
    )
    .action(async (options) => {
      const { doctor } = await import('./commands/doctor.js');
      finish(await doctor(configOf(options), options));
    });
}

function addProbe(program: Command, finish: Finish): void {
  withStateDir(program.command('probe'))
    .summary('run one probe on this machine')
    .description(
      'Runs one probe on this machine and prints its result. The control plane is not involved; the target policy applies.',
    )
    .argument('<type>', 'type of probe, for example http; an unknown type prints the list')
    .argument('<target>', 'a URL for http and speedtest, host:port for tcp, a name or address for the others')
    .option('--param <name=value>', 'parameter of the probe; may be repeated; objects as JSON', collect, [])
    .option('--json', 'print the result as the control plane receives it', false)
    .addHelpText(
      'after',
      helpText({
        environment: ['VANTAGE_ALLOW_TARGETS', 'VANTAGE_DNS_SERVERS', 'VANTAGE_DNS_ROOT_HINTS'],
        exits: ['ok', 'failed', 'usage'],
        examples: [
          'vantage-agent probe http https://example.com',
          'vantage-agent probe ping example.com --param count=10 --param ip_version=v6',
          'vantage-agent probe dns example.com --param record_type=MX --json',
        ],
      }),
    )
    .action(async (type: string, target: string, options) => {
      const { probe } = await import('./commands/probe.js');
      finish(await probe(configOf(options), type, target, options));
    });
}

function addSpeedtestServer(program: Command, finish: Finish): void {
  program
    .command('speedtest-server')
    .summary('serve speed tests for other nodes')
    .description(
      'Serves /speedtest over HTTP until SIGTERM or SIGINT: 25 MB in each direction, four tests at a time, twelve requests a minute from one address. Anyone who can reach it can use that much of your bandwidth.',
    )
    .requiredOption('--listen <address:port>', 'address to listen on, for example 192.0.2.7:8089 or [::]:8089')
    .addHelpText(
      'after',
      helpText({
        environment: [],
        exits: ['ok', 'failed', 'usage'],
        examples: ['vantage-agent speedtest-server --listen [::]:8089'],
      }),
    )
    .action(async (options) => {
      const { speedtestServer } = await import('./commands/speedtest-server.js');
      finish(await speedtestServer(options));
    });
}

function withStateDir(command: Command): Command {
  return command.option('--state-dir <directory>', 'state directory, instead of VANTAGE_STATE_DIR');
}

function configOf(options: { readonly stateDir?: string }): AgentConfig {
  try {
    const config = parseConfig(readEnv());
    return options.stateDir === undefined ? config : { ...config, stateDir: options.stateDir };
  } catch (error) {
    if (error instanceof ConfigError) throw new CommandError('usage', error.complaints.join('\n'), { cause: error });
    throw error;
  }
}

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

function parseNumber(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new InvalidArgumentError('must be a number');
  return Number(text);
}
