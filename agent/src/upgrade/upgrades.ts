import { join } from 'node:path';
import type { Clock } from '@vantage/shared/clock.js';
import { type AgentFrame, type DecodedServerFrame, MalformedFrameError } from '@vantage/shared/protocol/codec.js';
import { isUpgradeVersion, type UpgradeStatusState } from '@vantage/shared/protocol/upgrade-version.js';
import type { Logger } from 'pino';
import { PendingUpgrade, type UpgradeRequest } from './pending-upgrade.js';
import { type RunningCommand, runUpgradeCommand } from './upgrade-command.js';

//   control plane                 agent
//   Upgrade(version, request) ->  no command configured, or one is running   <- UpgradeStatus refused
//                                 runs its operator's command                <- UpgradeStatus running
//                                 the command fails                          <- UpgradeStatus failed
//                                 it succeeds and leaves upgrade.failed,
//                                 now or when this agent is back             <- UpgradeStatus failed
//                                 something restarts the agent               <- the next hello, with the new version
//
// The outcome of a request is reported over the open link, and again over each later one, until there is another
// request: a repeated request is answered twice and carried out once. The operator decides how code gets onto this
// machine (decision 0012).

/** Characters of a reason at most. */
const MAX_DETAIL_LENGTH = 300;
/** Interval between looks for the failure of an upgrade that something else carries out, milliseconds. */
const LOOK_MS = 2_000;

/** Status of the newest requested upgrade. */
export interface UpgradeStatus {
  readonly version: string;
  readonly request: number;
  readonly state: UpgradeStatusState;
  /** One sentence for people; '' for one that runs. */
  readonly detail: string;
}

interface UpgradesOptions {
  /** Absolute path of the operator's command; null if this agent is not upgraded from afar. */
  readonly command: string | null;
  /** Place of upgrade.log, with what the command prints, kept until the next one runs, and of what outlives this process. */
  readonly stateDir: string;
  /** Version that runs now. */
  readonly version: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Upgrades of this agent, over all its links. */
export class Upgrades {
  readonly #options: UpgradesOptions;
  #latest: UpgradeStatus | null = null;
  #running: RunningCommand | null = null;
  #cancelLook: () => void = () => undefined;
  readonly #pending: PendingUpgrade;
  /** Called with every change of status; a link reports it to the control plane. */
  onStatus: (status: UpgradeStatus) => void = () => undefined;

  constructor(options: UpgradesOptions) {
    this.#options = options;
    this.#pending = new PendingUpgrade(options.stateDir);
  }

  /** Continues with what the previous process of this agent started. */
  start(): void {
    const request = this.#pending.load();
    // the version itself may be on trial: the previous one has to know of the request when it is back
    if (request !== null && request.version !== this.#options.version) this.#lookForFailure(request);
  }

  /** Status to send over a new link, or null. */
  get latest(): UpgradeStatus | null {
    return this.#latest;
  }

  /** Handles a request for a version. @throws MalformedFrameError for an invalid version */
  asked({ version, request }: NonNullable<DecodedServerFrame['upgrade']>): void {
    if (!isUpgradeVersion(version) || !Number.isSafeInteger(request))
      throw new MalformedFrameError('upgrade without a version');
    if (this.#latest?.request === request) return this.onStatus(this.#latest);
    const refused = this.#refusal(version);
    // a running upgrade keeps its place: its outcome has yet to be reported
    if (refused !== null)
      return this.#report({ version, request, state: 'refused', detail: refused }, this.#running === null);
    this.#run(version, request);
  }

  /** Leaves a command that runs to itself. */
  stop(): void {
    this.#cancelLook();
    this.#running?.abandon();
    this.#running = null;
  }

  #refusal(version: string): string | null {
    if (this.#options.command === null)
      return 'the operator of this node has not configured an upgrade command (VANTAGE_AGENT_UPGRADE_COMMAND)';
    if (this.#running !== null) return `an upgrade to ${this.#latest?.version} is running`;
    return version === this.#options.version ? 'this version is already running' : null;
  }

  #run(version: string, request: number): void {
    const { command, stateDir, clock } = this.#options;
    if (command === null) return;
    this.#cancelLook();
    this.#pending.begin({ version, request });
    const running = runUpgradeCommand({ path: command, version, outputPath: join(stateDir, 'upgrade.log'), clock });
    this.#running = running;
    this.#report({ version, request, state: 'running', detail: '' }, true);
    void running.ended.then((failure) => {
      if (this.#running !== running) return;
      this.#running = null;
      if (failure !== null) return this.#failed({ version, request }, failure);
      this.#options.log.info({ version }, 'upgrade command succeeded, waiting for the new version to connect');
      this.#lookForFailure({ version, request });
    });
  }

  #failed({ version, request }: UpgradeRequest, detail: string): void {
    this.#pending.end();
    this.#report({ version, request, state: 'failed', detail }, true);
  }

  #lookForFailure(request: UpgradeRequest): void {
    const failure = this.#pending.findFailure(request.version);
    if (failure !== null) return this.#failed(request, failure);
    this.#cancelLook = this.#options.clock.after(LOOK_MS, () => this.#lookForFailure(request), { unref: true });
  }

  #report(status: UpgradeStatus, isLatest: boolean): void {
    const reported = { ...status, detail: printable(status.detail) };
    if (isLatest) this.#latest = reported;
    const { version, state, detail } = reported;
    const { log } = this.#options;
    if (state === 'running') log.info({ version }, 'upgrade command started');
    else if (state === 'failed') log.warn({ version, reason: detail }, 'upgrade failed');
    else log.warn({ version, reason: detail }, 'upgrade refused');
    this.onStatus(reported);
  }
}

/** A status as it goes over the link. */
export function upgradeFrame({ version, request, state, detail }: UpgradeStatus): AgentFrame {
  return { upgradeStatus: { version, request, state, detail } };
}

function printable(text: string): string {
  return text.slice(0, MAX_DETAIL_LENGTH).replace(/[\p{Cc}\p{Cs}]/gu, ' ');
}
