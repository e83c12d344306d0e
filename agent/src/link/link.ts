import { delay } from '@vantage/shared/clock.js';
import type { NodeIdentity } from '../identity/identity.js';
import { type AgentAbout, Handshake } from './handshake.js';
import type { LinkEnd, LinkEndKind } from './link-end.js';
import { planReconnect } from './reconnect.js';
import { Session, type SessionOptions } from './session.js';

//   idle --start--> connecting --> open --> waiting --delay--> connecting ...
//                       +----------------------^   \
//                                                   +-- banned, upgrade required, stop() --> down

/** Why a link stays down although nobody stopped it. */
export type FinalEnd = Extract<LinkEndKind, 'banned' | 'upgrade_required'>;

/** What `status` shows of the link. */
export interface LinkStatus {
  readonly state: 'idle' | 'connecting' | 'open' | 'waiting' | 'down';
  /** The control plane this state speaks of. */
  readonly url: string | null;
  /** When the state began, milliseconds since the epoch. */
  readonly since: number;
  /** How the last link ended; null before that. */
  readonly lastEnd: { readonly kind: LinkEndKind; readonly message: string; readonly at: number } | null;
}

export interface LinkOptions extends Omit<SessionOptions, 'controlUrl' | 'handshake' | 'onOpen'> {
  readonly identity: NodeIdentity;
  readonly about: () => Promise<AgentAbout>;
  readonly onStatus: (status: LinkStatus) => void;
}

/** Keeps one link to the control plane, dialling again and again, and its addresses in turn. */
export class Link {
  readonly #options: LinkOptions;
  readonly #stopping = new AbortController();
  #status: LinkStatus = { state: 'idle', url: null, since: 0, lastEnd: null };
  #session: Session | null = null;
  #loop: Promise<FinalEnd | null> | null = null;
  #failures = 0;
  #dials = 0;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get status(): LinkStatus {
    return this.#status;
  }

  /** Dials until stopped (null) or told to stay away for good. */
  start(): Promise<FinalEnd | null> {
    this.#options.jobs.onResult = () => this.#session?.wake('task');
    this.#loop ??= this.#run();
    return this.#loop;
  }

  /** Ends the link; may be called twice. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#session?.stop();
    await this.#loop;
  }

  async #run(): Promise<FinalEnd | null> {
    while (!this.#stopping.signal.aborted) {
      const end = await this.#runSession(this.#nextUrl()).catch(endOfError);
      if (end.kind === 'stopped') break;
      const next = planReconnect(end, this.#failures, this.#options.random());
      this.#logEnd(end, next.kind === 'dial' ? next.delayMs : null);
      this.#enter(next.kind === 'dial' ? 'waiting' : 'down', end);
      if (next.kind === 'give-up') return end.kind === 'banned' ? 'banned' : 'upgrade_required';
      this.#failures = next.failures;
      await delay(this.#options.clock, next.delayMs, this.#stopping.signal).catch(() => undefined);
    }
    this.#enter('down');
    return null;
  }

  async #runSession(controlUrl: string): Promise<LinkEnd> {
    this.#enter('connecting', null, controlUrl);
    const { identity, about, jobs } = this.#options;
    const handshake = new Handshake(identity, await about(), await identity.nextGeneration());
    if (this.#stopping.signal.aborted) return { kind: 'stopped', message: '', retryAfterMs: 0, openMs: 0 };
    this.#session = new Session({
      ...this.#options,
      controlUrl,
      handshake,
      jobs,
      onOpen: (sessionId) => this.#opened(sessionId),
    });
    const end = await this.#session.ended();
    this.#session = null;
    return end;
  }

  #opened(sessionId: string): void {
    this.#enter('open');
    this.#options.log.info({ url: this.#status.url, sessionId }, 'link open');
  }

  #nextUrl(): string {
    const { controlUrls } = this.#options.identity;
    const url = controlUrls[this.#dials % controlUrls.length];
    this.#dials += 1;
    if (url === undefined) throw new RangeError('the identity names no control plane');
    return url;
  }

  #enter(state: LinkStatus['state'], end: LinkEnd | null = null, url = this.#status.url): void {
    const at = this.#options.clock.now();
    const lastEnd = end === null ? this.#status.lastEnd : { kind: end.kind, message: end.message, at };
    this.#status = { state, url, since: at, lastEnd };
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

/** No link without a new generation on the disk: a full one is waited for like a network that is down. */
function endOfError(error: unknown): LinkEnd {
  return { kind: 'unreachable', message: `cannot dial: ${String(error)}`, retryAfterMs: 0, openMs: 0 };
}

/** What a person can do about it. */
const advice: Partial<Record<LinkEndKind, string>> = {
  banned: 'this node is banned: ask the operator of the control plane, then start the agent again',
  upgrade_required: 'the control plane needs a newer agent: upgrade it, then start it again',
  unauthenticated: 'the control plane does not know this node: enroll it again with a new token if that stays so',
  wrong_server:
    'the control plane has another identity key than at enrollment: do not trust it until its operator confirms; then enroll again',
  cloned: 'this state directory was copied and is used elsewhere: enroll one of the two again with a new token',
  replaced: 'another agent with this identity took over: make sure that the state directory is not used twice',
};
