import { createHash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import type { OutboundResponse } from '../../../deliver/index.js';
import { accepted, outcomeOfStatus, refused } from './answers.js';
import { type ChannelType, defineChannelType, type Outcome } from './channel-type.js';
import { byteLength, longestThatFits } from './formats/cut.js';
import { fitted, sentenceOf } from './lines.js';
import type { Message } from './message.js';
import { baseOf, type ChannelSettings, judgedUrls } from './settings.js';
import { isAboutEnd } from './tone.js';

// https://developer.pagerduty.com/docs/send-alert-event

const MAX_SUMMARY = 1_024;
const MAX_DEDUP_KEY = 255;
const MAX_BODY_BYTES = 256 * 1_024;
const WAIT_OF_LIMIT_MS = 30_000;

const Config = Type.Object(
  {
    routing_key: Type.String({
      pattern: '^[A-Za-z0-9]{32}$',
      description: 'Integration key of a service or of an event orchestration, for the Events API v2.',
      example: 'R0123456789ABCDEF0123456789ABCDE',
    }),
    region: Type.Optional(
      Type.Enum(['us', 'eu'], {
        type: 'string',
        description: 'Service region of the PagerDuty account. Default: us.',
        example: 'eu',
      }),
    ),
  },
  {
    additionalProperties: false,
    title: 'PagerdutyChannelConfig',
    description: 'Configuration of a channel of type pagerduty.',
  },
);
type Config = Static<typeof Config>;

/** Type `pagerduty`: the Events API v2, where acknowledging and resolving follow the alert. */
export function pagerduty(settings: ChannelSettings): ChannelType {
  const bases = {
    us: baseOf(settings, 'pagerduty', 'https://events.pagerduty.com'),
    eu: baseOf(settings, 'pagerduty', 'https://events.eu.pagerduty.com'),
  };
  const baseIn = ({ region = 'us' }: Config) => bases[region];
  return defineChannelType({
    name: 'pagerduty',
    keepsIncidents: true,
    config: Config,
    sealed: ['routing_key'],
    // the vendor takes 120
    buckets: [{ count: 100, perMs: 60_000, of: 'credential' }],
    credential: ({ routing_key }) => routing_key,
    urls: (config) => judgedUrls(baseIn(config)),
    deliver: async ({ message, config, nowMs, send }, isPlain) => {
      const response = await send({
        method: 'POST',
        url: `${baseIn(config).origin}/v2/enqueue`,
        isExempt: baseIn(config).isOwn,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(bodyOf(message, config.routing_key, isPlain)),
      });
      return outcomeOf(response, { message, nowMs });
    },
  });
}

function bodyOf(message: Message, routingKey: string, isPlain: boolean): object {
  const action = actionOf(message);
  const head = { routing_key: routingKey, event_action: action, dedup_key: dedupKey(message.thread) };
  if (action !== 'trigger') return head;
  return fitted(
    message,
    (shorter) => ({ ...head, ...eventOf(shorter, isPlain) }),
    (body) => byteLength(JSON.stringify(body)) <= MAX_BODY_BYTES,
  );
}

function actionOf(message: Message): 'trigger' | 'acknowledge' | 'resolve' {
  if (isAboutEnd(message)) return 'resolve';
  return message.kind === 'acknowledged' ? 'acknowledge' : 'trigger';
}

function eventOf(message: Message, isPlain: boolean): object {
  const { severity, source, atMs, links } = message;
  return {
    payload: {
      summary: longestThatFits(sentenceOf(message), (text) => [...text].length <= MAX_SUMMARY),
      severity,
      source: source === '' ? 'vantage' : longestThatFits(source, (text) => text.length <= MAX_SUMMARY),
      timestamp: new Date(atMs).toISOString(),
      ...(isPlain ? {} : { custom_details: detailsOf(message) }),
    },
    links: links.map(({ label, url }) => ({ href: url, text: label })),
  };
}

function detailsOf({ customText, facts, items, note }: Message): object {
  if (customText !== null) return { text: customText };
  return {
    ...Object.fromEntries(facts.map(({ label, value }) => [label, value])),
    ...(items.length === 0 ? {} : { monitors: items }),
    ...(note === null ? {} : { note }),
  };
}

/** Key of an incident: the thread, or a hash of it when it is longer than the vendor takes. */
function dedupKey(thread: string): string {
  if (thread.length <= MAX_DEDUP_KEY) return thread;
  return `sha256-${createHash('sha256').update(thread).digest('hex')}`;
}

function outcomeOf(response: OutboundResponse, { message, nowMs }: { message: Message; nowMs: number }): Outcome {
  const { status } = response;
  // the vendor has no ids of messages; the key of the incident is that of the thread
  if (status === 202) return accepted(dedupKey(message.thread));
  if (status === 413) return refused('message', response);
  if (status === 400 || status === 403) return refused('channel', response);
  return outcomeOfStatus(response, nowMs, status === 429 ? WAIT_OF_LIMIT_MS : null);
}
