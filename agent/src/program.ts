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
      'The measuring agent of Vantage: enrolls with a one-time token, runs probes, delivers every result exactly once.',
    )
    .version(AGENT_VERSION, '--version', 'print the version')
    .exitOverride()
    .showHelpAfterError('(--help says more)');
  addEnroll(program, finish);
  addRun(program, finish);
  addStatus(program, finish);
  addSpool(program, finish);
  addDoctor(program, finish);
  addProbe(program, finish);
  addSpeedtestServer(program, finish);
  return program;
}

function addEnroll(program: Command, finish: Finish): void {
  withStateDir(program.command('enroll'))
    .summary('make this machine a node of a control plane')
    .description(
      'Makes this machine a node: generates its key, proves it with the one-time token, and pins the control plane’s key.',
    )
    .requiredOption('--url <url>', 'the control plane, for example https://vantage.example')
    .option('--token <token>', 'enrollment token (ent_…); - reads it from standard input, out of the process list')
    .option('--token-file <file>', 'file that holds the enrollment token')
    .option('--name <name>', 'name of the node (default: the host name)')
    .option('--country <code>', 'where it stands: ISO 3166-1 alpha-2, for example DE')
    .option('--province <code>', 'ISO 3166-2, for example DE-BE')
    .option('--city <city>', 'city')
    .option('--asn <number>', 'autonomous system it is connected to', parseNumber)
    .option('--provider <name>', 'hosting or access provider')
    .option('--tag <tag>', 'tag, may be repeated', collect, [])
    .option(
      '--tls-pin <pin>',
      'pin the control plane’s TLS key for good: base64 of the SHA-256 of its SubjectPublicKeyInfo; may be repeated',
      collect,
      [],
    )
    .option('--insecure', 'allow http:// to a host that is not this machine', false)
    .option('--json', 'print JSON, of a refusal too', false)
    .addHelpText(
      'after',
      helpText({
        environment: ['VANTAGE_STATE_DIR', 'VANTAGE_AGENT_BIND', 'VANTAGE_AGENT_PROXY', 'VANTAGE_AGENT_TLS_PINS'],
        exits: ['ok', 'failed', 'usage', 'stateInUse'],
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
          'VANTAGE_DNS_ROOT_HINTS',
          'VANTAGE_DNSBL_ZONES',
          'VANTAGE_DNSBL_SERVERS',
          'VANTAGE_RDAP_BOOTSTRAP',
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
    .summary('show what the running agent is doing')
    .description(
      'Shows the link, the clock and the spool of the agent that runs with this state directory; without one, what its spool holds.',
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

function addSpool(program: Command, finish: Finish): void {
  const spool = program
    .command('spool')
    .summary('look into the results that wait for delivery')
    .description('Reads the spool of this state directory, whether an agent runs or not, and changes nothing in it.')
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
    .summary('print the results that wait')
    .description(
      'Prints every result that waits, one line each, and the numbers that were dropped. Damaged rows are told on standard error and passed over; the command then ends with 1.',
    )
    .option('--lane <lane>', 'only this lane: task (one-shot probes) or check (monitors)')
    .option('--delivered', 'also what was delivered in the last fifteen minutes', false)
    .option('--json', 'whole results, one JSON document a line', false)
    .option('--output <file>', 'write to a new file, readable by you alone')
    .option('--file <file>', 'read this spool file, for example one that was put aside')
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
    .option('--file <file>', 'check this spool file, for example one that was put aside')
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
    .summary('check what this machine can do, and what to do about the rest')
    .description(
      'Tries raw sockets, the state directory, the control plane, the clock and DNS; says what is missing and how to mend it.',
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
    .summary('run one probe here')
    .description(
      'Runs one probe on this machine and prints its result. No control plane is asked; the target policy holds.',
    )
    .argument('<type>', 'type of probe, for example http; a wrong one names them all')
    .argument('<target>', 'a URL for http and speedtest, host:port for tcp, a name or address for the others')
    .option('--param <name=value>', 'parameter of the probe, may be repeated; objects as JSON', collect, [])
    .option('--json', 'print the result as the control plane gets it', false)
    .addHelpText(
      'after',
      helpText({
        environment: ['VANTAGE_ALLOW_TARGETS', 'VANTAGE_DNS_ROOT_HINTS'],
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
    .summary('answer speed tests of other nodes')
    .description(
      'Serves /speedtest over HTTP until SIGTERM or SIGINT: 25 MB each way, four at a time, twelve requests a minute from one address. Whoever reaches it can use that much of your line.',
    )
    .requiredOption('--listen <address:port>', 'where to listen, for example 192.0.2.7:8089 or [::]:8089')
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
