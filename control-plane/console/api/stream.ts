import { effect, signal } from '@preact/signals';
import { failureOf } from './failure.js';
import { accessToken, person } from './session.js';

/** Topics of the stream of events. */
export type Topic = 'monitors' | 'alerts' | 'nodes' | 'account' | 'admin';

// One tab of a browser reads the stream for all: the one that holds the lock. It passes on what it reads, each message with
// the user it is for. Without locks every tab has a stream of its own.

const LOCK = 'vantage-stream';
/** Hidden for this long, a tab lets go of its stream, in milliseconds. */
const HIDDEN_MS = 300_000;
/** Without a byte for this long a stream is dead: comments come every 15 s. */
const SILENT_MS = 45_000;
const RETRY_MS = { first: 1_000, most: 30_000 };
/** Ids that are remembered, since frames may come twice. */
const REMEMBERED = 2_000;

const topicOf: Readonly<Record<string, Topic>> = {
  monitor: 'monitors',
  heartbeat: 'monitors',
  ssl: 'monitors',
  domain: 'monitors',
  maintenance: 'monitors',
  alert: 'alerts',
  node: 'nodes',
  enrollment: 'nodes',
  session: 'account',
  credential: 'account',
  job: 'admin',
};

interface Frame {
  readonly event: string;
  readonly id: string | null;
  readonly data: { readonly resource?: string; readonly reason?: string };
}

/** Message between tabs of one browser. */
type Message =
  | { readonly userId: string; readonly frame: Frame }
  | { readonly userId: string; readonly isLive: boolean };

/** True while there is no stream, though a person is signed in: what is shown is then read every 30 s. */
export const isWithoutStream = signal(false);

const listeners = new Set<{ readonly topics: ReadonlySet<Topic>; readonly changed: () => void }>();
const tabs = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('vantage-stream');
const seen = new Set<string>();
let lastId: string | null = null;

/** Calls back when something of these topics may have changed. @returns how to call it off */
export function onChanged(topics: readonly Topic[], changed: () => void): () => void {
  const listener = { topics: new Set(topics), changed };
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Follows the stream of whoever is signed in, from now on. */
export function followStream(): void {
  let ending = new AbortController();
  let isAway = false;
  const begin = () => {
    ending.abort();
    ending = new AbortController();
    const user = person.value;
    seen.clear();
    lastId = null;
    isWithoutStream.value = false;
    if (user && !isAway) void hold(user.id, ending.signal);
  };
  let before: string | null | undefined;
  effect(() => {
    const id = person.value?.id ?? null;
    if (id !== before) begin();
    before = id;
  });
  let hiding: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener('visibilitychange', () => {
    clearTimeout(hiding);
    if (document.visibilityState === 'hidden')
      hiding = setTimeout(() => {
        isAway = true;
        begin();
      }, HIDDEN_MS);
    else if (isAway) {
      isAway = false;
      begin();
      changed(null);
    }
  });
  tabs?.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.userId !== person.value?.id || isAway) return;
    if ('frame' in data) take(data.frame);
    else setLive(data.isLive);
  });
}

/** Reads the stream while this tab holds the lock. */
async function hold(userId: string, ending: AbortSignal): Promise<void> {
  if (navigator.locks === undefined) return follow(userId, ending);
  await navigator.locks.request(LOCK, { signal: ending }, () => follow(userId, ending)).catch(() => {});
}

async function follow(userId: string, ending: AbortSignal): Promise<void> {
  for (let pauseMs = RETRY_MS.first; !ending.aborted; ) {
    const isRead = await read(userId, ending).catch(() => false);
    if (ending.aborted) return;
    // a stream that ended in order is opened again at once
    if (!isRead) announce(userId, false);
    pauseMs = isRead ? RETRY_MS.first : Math.min(RETRY_MS.most, pauseMs * 2);
    await pause(pauseMs * (0.5 + Math.random() / 2), ending);
  }
}

/** Reads one stream to its end. @returns true if it was there */
async function read(userId: string, ending: AbortSignal): Promise<boolean> {
  const token = await accessToken();
  if (token === null) return false;
  const silence = new AbortController();
  const signals = AbortSignal.any([ending, silence.signal]);
  const response = await fetch('/v1/events/stream', {
    headers: {
      Accept: 'text/event-stream',
      Authorization: `Bearer ${token}`,
      ...(lastId === null ? {} : { 'Last-Event-ID': lastId }),
    },
    cache: 'no-store',
    credentials: 'omit',
    signal: signals,
  });
  if (!response.ok || response.body === null) {
    const { status } = await failureOf(response);
    if (status === 401) await accessToken(true);
    return false;
  }
  let bye: string | null = null;
  for await (const frame of framesOf(response.body, silence)) {
    if (frame.event === 'hello') announce(userId, true);
    if (frame.event === 'bye') bye = frame.data.reason ?? null;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin alone
    tabs?.postMessage({ userId, frame } satisfies Message);
    take(frame);
  }
  if (bye === 'expired') await accessToken(true);
  return bye !== null;
}

/** Announces to every tab whether there is a stream. */
function announce(userId: string, live: boolean): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin alone
  tabs?.postMessage({ userId, isLive: live } satisfies Message);
  setLive(live);
}

function setLive(live: boolean): void {
  // what happened in between is on no page yet
  if (live && isWithoutStream.value) changed(null);
  isWithoutStream.value = !live;
}

function take({ event, id, data }: Frame): void {
  if (id !== null) {
    if (seen.has(id)) return;
    seen.add(id);
    if (seen.size > REMEMBERED) for (const oldest of seen) if (seen.delete(oldest)) break;
    lastId = id;
  }
  if (event === 'reset') return changed(null);
  // the person has to sign in again, in every tab
  if (event === 'bye' && data.reason === 'revoked') void accessToken(true).catch(() => null);
  const topic = topicOf[event === 'state' ? (data.resource ?? '') : event.replace(/\..*/, '')];
  if (topic !== undefined) changed(topic);
}

/** Something of a topic may have changed; null: of any. */
function changed(topic: Topic | null): void {
  for (const listener of listeners) if (topic === null || listener.topics.has(topic)) listener.changed();
}

/** Server-Sent Events of a body (WHATWG HTML, section 9.2), as this API sends them. */
async function* framesOf(body: ReadableStream<Uint8Array>, silence: AbortController): AsyncGenerator<Frame> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let text = '';
  for (;;) {
    const timer = setTimeout(() => silence.abort(), SILENT_MS);
    const { done, value } = await reader.read().finally(() => clearTimeout(timer));
    if (done) return;
    text += value;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? null;
      const [event, data] = [field('event'), field('data')];
      if (event !== null && data !== null) yield { event, id: field('id'), data: JSON.parse(data) as Frame['data'] };
    }
  }
}

function pause(ms: number, ending: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    ending.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
