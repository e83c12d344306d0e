import { delay } from '@vantage/shared/clock.js';
import type { Lane } from '@vantage/shared/protocol/lanes.js';
import { acceptableUrls, ControlUrls } from './control-urls.js';
import { type AgentAbout, Handshake } from './handshake.js';
import type { LinkEnd, LinkEndKind } from './link-end.js';
import { type FinalEnd, type NextTry, planReconnect } from './reconnect.js';
import { Session } from './session.js';
import type { SessionOptions } from './session-options.js';

//   idle --start--> connecting --> open --> waiting --delay--> connecting ...
//                       +----------------------^   \
//                                                   +-- banned, deleted, upgrade required, stop() --> down

/** Reason why a link stays down without having been stopped. */

/** State of the link as `status` shows it. */
export interface LinkStatus {
  readonly state: 'idle' | 'connecting' | 'open' | 'waiting' | 'down';
  /** The control plane this state speaks of. */
  readonly url: string | null;
  /** Time at which the state began, milliseconds since the epoch. */
  readonly since: number;
  /** Time of the next dial, by this machine's clock; null unless the link is waiting. */
  readonly nextTryAt: number | null;
  /** Generation of the newest dial; 0 before the first. */
  readonly generation: number;
  /** End of the last link; null before that. */
  readonly lastEnd: { readonly kind: LinkEndKind; readonly message: string; readonly at: number } | null;
}

export interface LinkOptions extends Omit<SessionOptions, 'controlUrl' | 'handshake' | 'onOpen' | 'onControlUrls'> {
  readonly about: () => Promise<AgentAbout>;
  readonly onStatus: (status: LinkStatus) => void;
}

/** Keeps one link to the control plane, dialling again and again, and its addresses in turn. */
export class Link {
  readonly #options: LinkOptions;
  readonly #stopping = new AbortController();
  #status: LinkStatus = {
    state: 'idle',
    url: null,
    since: 0,
    nextTryAt: null,
    generation: 0,
    lastEnd: null,
  };
  #session: Session | null = null;
  #loop: Promise<FinalEnd | null> | null = null;
  #failures = 0;
  /** Time at which a link was last open, monotonic milliseconds; before the first, the start of this object. */
  #openAt: number;
  readonly #urls: ControlUrls;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#openAt = options.clock.monotonicMs();
    this.#urls = new ControlUrls(options.identity.controlUrls);
  }

  get status(): LinkStatus {
    return this.#status;
  }

  /** Rows of each lane that the control plane lets be in flight; null while no link is open. */
  get credits(): Readonly<Record<Lane, number>> | null {
    return this.#status.state === 'open' && this.#session !== null ? this.#session.credits : null;
  }

  /** Dials until stopped (null) or refused for good. */
  start(): Promise<FinalEnd | null> {
    this.#options.jobs.onResult = () => this.wake('task');
    this.#options.upgrades.onStatus = (status) => this.#session?.reportUpgrade(status);
    this.#loop ??= this.#run();
    return this.#loop;
  }

  /** Rows of this lane can be read from the spool that could not before: those of checks once they are durable. */
  wake(lane: Lane): void {
    this.#session?.wake(lane);
  }

  /** Ends the link; may be called twice. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#session?.stop();
    await this.#loop;
  }

  async #run(): Promise<FinalEnd | null> {
    while (!this.#stopping.signal.aborted) {
      const url = this.#urls.next();
      const end = await this.#runSession(url).catch(endOfError);
      if (end.kind === 'stopped') break;
      const next = this.#plan(url, end);
      this.#logEnd(end, next.kind === 'dial' ? next.delayMs : null);
      if (next.kind === 'dial') this.#enter('waiting', { end, delayMs: next.delayMs });
      else this.#enter('down', { end });
      if (next.kind === 'give-up') return next.end;
      this.#failures = next.failures;
      await delay(this.#options.clock, next.delayMs, this.#stopping.signal).catch(() => undefined);
    }
    this.#enter('down');
    return null;
  }

  async #runSession(controlUrl: string): Promise<LinkEnd> {
    this.#enter('connecting', { url: controlUrl });
    const { identity, about, jobs } = this.#options;
    const generation = await identity.nextGeneration();
    this.#status = { ...this.#status, generation };
    const handshake = new Handshake(identity, await about(), generation);
    if (this.#stopping.signal.aborted)
      return { kind: 'stopped', message: '', retryAfterMs: 0, controlUrls: [], openMs: 0 };
    this.#session = new Session({
      ...this.#options,
      controlUrl,
      handshake,
      jobs,
      onOpen: (sessionId) => this.#opened(controlUrl, sessionId),
      onControlUrls: (urls) => this.#learn(urls, controlUrl),
    });
    const end = await this.#session.ended();
    this.#session = null;
    return end;
  }

  #plan(url: string, end: LinkEnd): NextTry {
    if (end.openMs === 0) this.#urls.failed(url);
    this.#urls.hint(acceptableUrls(this.#urls.known, end.controlUrls));
    const hasOther = end.openMs === 0 && this.#urls.hasUntried;
    const nowMs = this.#options.clock.monotonicMs();
    if (end.openMs > 0) this.#openAt = nowMs;
    const awayMs = nowMs - this.#openAt;
    return planReconnect(end, { failures: this.#failures, awayMs, hasOther, random: this.#options.random() });
  }

  #opened(url: string, sessionId: string): void {
    this.#urls.worked(url);
    this.#enter('open');
    this.#options.log.info({ url, sessionId }, 'link open');
  }

  /** The control plane says where it can be reached: that counts at once, and for the next process when the disk has it. */
  #learn(announced: readonly string[], inUse: string): void {
    const { identity, log } = this.#options;
    const urls = acceptableUrls(this.#urls.known, announced);
    if (urls.length < announced.length) log.warn({ announced }, 'control URLs without https are ignored');
    if (urls.length === 0 || urls.join() === this.#urls.known.join()) return;
    this.#urls.replace(urls, inUse);
    log.info({ urls }, 'control plane has new addresses');
    identity
      .keepControlUrls(urls)
      .catch((error: unknown) => log.warn({ err: error }, 'cannot store the new control URLs'));
  }

  #enter(
    state: LinkStatus['state'],
    { end, delayMs, ...place }: { end?: LinkEnd; delayMs?: number; url?: string } = {},
  ): void {
    const at = this.#options.clock.now();
    const lastEnd = end === undefined ? this.#status.lastEnd : { kind: end.kind, message: end.message, at };
    const nextTryAt = delayMs === undefined ? null : at + delayMs;
    this.#status = { ...this.#status, ...place, state, since: at, nextTryAt, lastEnd };
    this.#options.onStatus(this.#status);
  }

  #logEnd({ kind, message }: LinkEnd, retryInMs: number | null): void {
    const fields = { url: this.#status.url, reason: kind, detail: message, retryInMs };
    if (kind === 'draining' || kind === 'new_epoch') this.#options.log.info(fields, 'link closed');
    else if (kind === 'lost' || kind === 'unreachable' || kind === 'overloaded')
      this.#options.log.warn(fields, 'link closed');
    else this.#options.log.error(fields, advice[kind] ?? 'link closed');
  }
}

/**
 * Makes the end of a failed dial. Without a new generation on the disk there is no link: a full disk is waited for
 * like a network that is down.
 */
function endOfError(error: unknown): LinkEnd {
  return { kind: 'unreachable', message: `cannot dial: ${String(error)}`, retryAfterMs: 0, controlUrls: [], openMs: 0 };
}

/** Advice for the operator, by the end of the link. */
const advice: Partial<Record<LinkEndKind, string>> = {
  banned: 'this node is banned: ask the operator of the control plane, then start the agent again',
  deleted: 'this node was deleted by its owner: to connect it again, enroll it with a new token',
  upgrade_required: 'the control plane needs a newer agent: upgrade it, then start it again',
  no_common_version:
    'the agent and the control plane have no protocol version in common: upgrade the older one; the agent keeps trying',
  unauthenticated: 'the control plane does not know this node: if this persists, enroll it again with a new token',
  wrong_server:
    'this is not the control plane that the node enrolled with, or its TLS key is not pinned: do not trust it until its operator confirms another key; the agent keeps trying, slowly',
  cloned: 'this state directory was copied and is in use elsewhere: enroll one of the two again with a new token',
  replaced: 'another agent with this identity took over: make sure that the state directory is not used twice',
};
