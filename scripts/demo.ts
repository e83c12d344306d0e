import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { definitionOf } from '@vantage/shared/probe-types/index.js';
import type { Screen } from '@vantage/shared/terminal/screen.js';
import { Command } from 'commander';
import { isTaskDisturbed, taskTableText, taskText } from 'vantage-control/client/result-text.js';
import { runProbe } from 'vantage-control/client/run-probe.js';
import type { ReportView } from 'vantage-control/modules/diagnose/index.js';
import type { TaskView } from 'vantage-control/modules/probes/view.js';
import { startBreakable } from './demo/breakable.js';
import type { Answered } from './demo/lookup-text.js';
import { showLookups } from './demo/lookups.js';
import { type MonitorsShown, showMonitors } from './demo/monitors.js';
import { DOMAIN } from './demo/names.js';
import { changeText, demoProgress, demoScreen, indented, titleText } from './demo/output.js';
import { type SignInShown, showSignIn } from './demo/provider.js';
import { showReport } from './demo/report.js';
import { type CleanUps, type Stack, startStack } from './demo/stack.js';
import { type DemoProbe, probesOf, startTargets, type Targets } from './demo/targets.js';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

interface Options {
  readonly once?: true;
  readonly json?: true;
  readonly details?: true;
}

/** The whole product on this machine: a control plane, three agents, targets, a probe of every type, monitors, alerts. Exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const command = new Command('npm run demo --')
    .description('Run a control plane, three agents, one probe of every type and a few monitors on this machine.')
    .argument('[target]', 'probe this host or URL instead of the demo’s own small servers, without monitors')
    .option('--once', 'stop after the results')
    .option('--details', 'print the details of each node too, as `vantage` does')
    .option('--json', 'print one JSON document instead of tables')
    .exitOverride();
  try {
    command.parse(args, { from: 'user' });
  } catch (error) {
    return (error as { exitCode?: number }).exitCode === 0 ? 0 : 2;
  }
  return runDemo(command.args[0] ?? null, command.opts<Options>());
}

async function runDemo(target: string | null, options: Options): Promise<number> {
  const interrupted = interruption();
  const stops: CleanUps = [];
  try {
    const work = present(target, options, stops);
    return (await Promise.race([work, interrupted.then(() => null)])) ?? 130;
  } catch (error) {
    process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  } finally {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop().catch(() => {});
  }

  async function present(asked: string | null, { once, json, details }: Options, cleanUps: CleanUps): Promise<number> {
    const targets = asked === null ? await ownTargets(cleanUps) : null;
    const stack = await startStack({ root, servers: targets?.servers ?? null, cleanUps });
    const tasks = await runAll(stack, targets?.probes ?? probesOf(asked ?? ''));
    if (!json) (details ? printDetails : printTables)(stack, tasks);
    const examined = targets === null ? null : await examine(stack, targets, json === true);
    const watched = targets === null ? null : await watch(stack, targets, { isQuiet: json === true, cleanUps });
    if (json) printJson(stack, tasks, { watched, examined });
    const failed = tasks.filter((task) => !isGood(task));
    if (once) return failed.length === 0 ? 0 : 1;
    printAccess(stack, watched);
    await (watched?.printUntil(interrupted) ?? interrupted);
    return 0;
  }
}

async function ownTargets(cleanUps: CleanUps): Promise<Targets> {
  const targets = await startTargets(root);
  cleanUps.push(() => targets.stop());
  return targets;
}

/** Answers to lookups, a report and a sign-in that the demo produced. */
interface Examined {
  readonly lookups: readonly Answered[];
  readonly report: ReportView;
  readonly sign_in: SignInShown;
}

async function examine({ client, listenUrl }: Stack, { servers }: Targets, isQuiet: boolean): Promise<Examined> {
  const print = (text: string) => void (isQuiet || process.stdout.write(text));
  const screen = demoScreen();
  const say = (lines: string) => print(indented(lines, screen));
  print(titleText('A lookup of each kind; registries, databases and lists are stand-ins', screen));
  const lookups = await showLookups({ client, servers, say });
  print(titleText('A report about the web server, from all three nodes', screen));
  const report = await showReport({ client, servers, say });
  print(titleText('A sign-in through the pages of an external provider', screen));
  return { lookups, report, sign_in: await showSignIn(listenUrl, say) };
}

async function watch(
  { client, receivers }: Stack,
  { servers }: Targets,
  { isQuiet, cleanUps }: { readonly isQuiet: boolean; readonly cleanUps: CleanUps },
): Promise<MonitorsShown> {
  const shop = await startBreakable();
  cleanUps.push(() => shop.stop());
  const screen = demoScreen();
  const print = (text: string) => void (isQuiet || process.stdout.write(text));
  print(titleText('Monitors, checked by all three nodes, and a job that checks in', screen));
  const say = (line: string) => print(changeText(line, screen));
  return showMonitors({ client, servers, shop, receivers, say });
}

async function runAll(stack: Stack, probes: readonly DemoProbe[]): Promise<TaskView[]> {
  const progress = demoProgress();
  const answered = new Map<DemoProbe, number>();
  const nodeIds = stack.nodes.map(({ id }) => id);
  const show = () => {
    const left = probes.filter((probe) => (answered.get(probe) ?? 0) < nodeIds.length).length;
    progress.show(`${probes.length} probes from ${nodeIds.length} nodes`, `${left} to go`);
  };
  show();
  const run = (probe: DemoProbe) =>
    runProbe(stack.client, { ...probe, nodeIds }, (count) => {
      answered.set(probe, count);
      show();
    });
  // all nodes and targets share one machine: the heaviest probes come last
  const quiet = await Promise.all(probes.filter(({ type }) => type !== 'speedtest').map(run));
  const loud = await Promise.all(probes.filter(({ type }) => type === 'speedtest').map(run));
  progress.clear();
  return [...quiet, ...loud];
}

/** Every node succeeded, or lacks what the type needs and says so. */
function isGood({ node_results }: TaskView): boolean {
  return node_results.every(({ success, error }) => success || error?.code === 'not_supported');
}

interface Shown {
  readonly watched: MonitorsShown | null;
  readonly examined: Examined | null;
}

function printJson(stack: Stack, tasks: readonly TaskView[], { watched, examined }: Shown): void {
  const probes = tasks.map(({ probe_type, task_id, target, status, node_results }) => ({
    type: probe_type,
    task_id,
    target,
    status,
    node_results,
  }));
  const shown = watched === null ? {} : { monitors: watched.monitors, events: watched.events, alerts: watched.alerts };
  process.stdout.write(`${JSON.stringify({ nodes: stack.nodes, probes, ...examined, ...shown }, null, 2)}\n`);
}

function printTables({ nodes }: Stack, tasks: readonly TaskView[]): void {
  const screen = demoScreen();
  for (const task of tasks) {
    process.stdout.write(`${probeTitle(task, screen)}${taskTableText(task, screen, namesOf(nodes))}\n`);
  }
  const notes = ['`npm run demo -- --details` prints the details of each node too.'];
  if (tasks.some(isTaskDisturbed)) notes.unshift('Times may be too high: all nodes and targets share this machine.');
  process.stdout.write(`\n${indented(notes.join('\n'), screen)}`);
}

function printDetails({ nodes }: Stack, tasks: readonly TaskView[]): void {
  const screen = demoScreen();
  for (const task of tasks) {
    process.stdout.write(`${probeTitle(task, screen)}${taskText(task, screen, { nameOf: namesOf(nodes) })}\n`);
  }
}

function probeTitle({ probe_type, target }: TaskView, screen: Screen): string {
  return titleText(`${definitionOf(probe_type).title} ${target}`, screen);
}

function namesOf(nodes: Stack['nodes']): (id: string) => string | null {
  return (id) => nodes.find((node) => node.id === id)?.name ?? null;
}

function printAccess({ url, listenUrl, email, password, token }: Stack, watched: MonitorsShown | null): void {
  const lines = [
    '',
    `Page       ${url}/`,
    `API        ${url}/v1`,
    `Docs       ${url}/docs`,
    `Console    ${url}/console`,
    `Sign in    ${url}/sign-in?next=/console`,
    `Admin      ${email}  password ${password}`,
    `Token      ${token}`,
    '',
    'On the page to sign in, the Demo provider takes any name and password, and a new',
    'name gets an account. Signed in, add a passkey or an authenticator app.',
    '',
    'Try, in another terminal in this folder:',
    `  export VANTAGE_URL=${url}`,
    `  ./vantage http ${listenUrl}/healthz --from DE`,
    `  curl -s ${url}/v1/nodes`,
    '  # sign in by QR code: open its qr_url where you are signed in, type its code',
    `  curl -s -X POST ${url}/v1/auth/qr/start`,
    ...(watched === null
      ? []
      : [
          `  ./vantage whois ${DOMAIN}`,
          '  # the same as a page',
          `  ${url}/lookup/whois/${DOMAIN}`,
          '  # check in as the backup job: it is down after 30 s without a check-in',
          `  curl ${watched.checkInUrl}`,
        ]),
    '',
    'Ctrl-C stops the demo and removes everything it created.',
  ];
  // with --json standard output contains only the document
  process.stderr.write(`${lines.join('\n')}\n`);
}

function interruption(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}
