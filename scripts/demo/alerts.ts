import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { startTelegram, telegramChats, telegramToken } from '@vantage/shared/_support/vendors/telegram.js';
import type { Vendor } from '@vantage/shared/_support/vendors/vendor-server.js';
import { Webhook } from 'standardwebhooks';
import type { ApiClient } from 'vantage-control/client/api-client.js';
import { HOST } from './names.js';

// People and machines that are notified:
//
//   Shop is down ──> a message on Telegram ──its link is opened and its button pressed──> acknowledged
//   Shop is up   ──> the end of it on Telegram           every event ──> a webhook, whose signature is verified
//
// Telegram is a stand-in on this machine that answers as Telegram documents.

/** A message that a person received. */
export interface DemoMessage {
  readonly at: string;
  readonly text: string;
}

/** An alert as the demo shows it. */
interface DemoAlert {
  readonly id: string;
  readonly status: string;
  readonly acknowledged_by: string | null;
}

/** Everything that was received, for the document of `--json`. */
export interface AlertsShown {
  readonly messages: readonly DemoMessage[];
  readonly acknowledged_by: string | null;
  /** Kinds of the webhook events that came with a valid signature, in the order in which they came. */
  readonly webhooks: readonly string[];
}

/** Receivers of alerts and webhooks. */
export class AlertReceivers {
  readonly #verified: string[] = [];
  #forged = 0;
  #secret: Webhook | null = null;

  private constructor(
    private readonly telegram: Vendor,
    private readonly hook: { readonly url: string; stop(): Promise<void> },
  ) {}

  /** Starts them on free ports of loopback. */
  static async start(): Promise<AlertReceivers> {
    const telegram = await startTelegram();
    const receivers: AlertReceivers = new AlertReceivers(
      telegram,
      await startHook((body, headers) => receivers.#take(body, headers)),
    );
    return receivers;
  }

  /** Setting of the control plane that makes it use the stand-in. */
  get environment(): Readonly<Record<string, string>> {
    return { VANTAGE_CHANNEL_URLS: JSON.stringify({ telegram: this.telegram.origin }) };
  }

  async stop(): Promise<void> {
    await Promise.all([this.telegram.close(), this.hook.stop()]);
  }

  /** Creates a channel, a policy for a monitor that uses it, and a webhook endpoint. */
  async connect(client: ApiClient, monitorId: string): Promise<void> {
    const config = { bot_token: telegramToken, chat_id: telegramChats.group };
    const channel = { name: 'On-call group', type: 'telegram', use: 'none', config };
    const { id } = await client.call<{ id: string }>('POST', '/v1/alert-channels', channel);
    const policy = { name: 'Shop to the on-call group', monitor_id: monitorId, channel_ids: [id] };
    await client.call('POST', '/v1/alert-policies', policy);
    const endpoint = { url: this.hook.url, events: ['monitor.*', 'alert.*'], filter: { monitor_ids: [monitorId] } };
    const { secret } = await client.call<{ secret: string }>('POST', '/v1/webhooks', endpoint);
    this.#secret = new Webhook(secret);
  }

  /** Messages that a person received so far. */
  get messages(): DemoMessage[] {
    return this.telegram.taken.map(({ atMs, text }) => ({ at: new Date(atMs).toISOString(), text }));
  }

  /** Kinds of webhook events with a valid signature. @throws Error if one had none */
  get webhooks(): readonly string[] {
    if (this.#forged > 0) throw new Error(`${this.#forged} webhook requests had no valid signature`);
    return this.#verified;
  }

  /** Opens the link of the last message and presses its button. @throws Error without a link, or when it is refused */
  async acknowledge(): Promise<void> {
    const body = JSON.stringify(this.telegram.taken.at(-1)?.body ?? null);
    const link = /https?:[^"\\<> ]+\/a\/[\w.~-]+/.exec(body)?.[0];
    if (link === undefined) throw new Error('the message has no link that acknowledges the alert');
    for (const method of ['GET', 'POST']) {
      const response = await fetch(link, { method });
      await response.text();
      if (!response.ok)
        throw new Error(`the link that acknowledges the alert answers ${method} with ${response.status}`);
    }
  }

  /** The alert of a monitor. @throws Error if it has none */
  async alertOf(client: ApiClient, monitorId: string): Promise<DemoAlert> {
    const path = `/v1/alert-events?monitor_id=${monitorId}`;
    const { items } = await client.call<{ items: DemoAlert[] }>('GET', path);
    const [alert] = items;
    if (alert === undefined) throw new Error('the monitor has no alert');
    return alert;
  }

  #take(body: string, headers: Record<string, string>): boolean {
    try {
      if (this.#secret === null) throw new Error('no endpoint has been created yet');
      const { type } = this.#secret.verify(body, headers) as { type: string };
      this.#verified.push(type);
      return true;
    } catch {
      this.#forged += 1;
      return false;
    }
  }
}

/** A receiver of webhooks, as a user has one. */
async function startHook(take: (body: string, headers: Record<string, string>) => boolean) {
  const server = createServer(async (request, response) => {
    const isTaken = take(await text(request), request.headers as Record<string, string>);
    response.writeHead(isTaken ? 204 : 401).end();
  });
  server.listen(0, HOST);
  await once(server, 'listening');
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}/vantage`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
