import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { dingtalkRobot, startDingtalk } from '@vantage/shared/_support/vendors/dingtalk.js';
import { startTelegram, telegramChats, telegramToken } from '@vantage/shared/_support/vendors/telegram.js';
import type { Vendor } from '@vantage/shared/_support/vendors/vendor-server.js';
import type { SeededRandom } from '../seeded-random.js';

const HOST = '127.0.0.1';
const HOOK = 'Hook';
/** Shares of the requests that the webhook receiver refuses, and accepts without ever responding. */
const REFUSED = 0.15;
const SILENT = 0.05;
/** Text of every message: its kind and the id of its delivery, the same for every attempt. */
const TEXT = '{{kind}} {{id}}';
const READ = /(firing|severity|reminder|resolved|digest) (ad_\w+)/;

/** A message as a receiver took it, or refused it. */
export interface TakenMessage {
  readonly channel: string;
  /** Id of the delivery. */
  readonly key: string;
  readonly about: 'begin' | 'end';
  readonly isAccepted: boolean;
  readonly at: number;
}

/** A channel as the API creates it. */
export interface ChannelBody {
  readonly name: string;
  readonly type: string;
  readonly config: object;
  readonly template: object;
}

/** Recipients of alerts: stand-ins of vendors, and a webhook receiver that fails now and then. */
export class AlertReceivers {
  readonly #hooked: TakenMessage[] = [];
  /** True if nothing fails any more. */
  isMended = false;

  private constructor(
    private readonly telegram: Vendor,
    private readonly dingtalk: Vendor,
    private readonly hook: Server,
    private readonly random: SeededRandom,
  ) {}

  /** Starts them on free ports of loopback. `random` decides which requests the webhook receiver does not accept. */
  static async start(random: SeededRandom): Promise<AlertReceivers> {
    const hook = createServer();
    const receivers = new AlertReceivers(await startTelegram(), await startDingtalk(), hook, random);
    hook.on('request', async (request, response) => receivers.#take(await text(request), response));
    hook.listen(0, HOST);
    await once(hook, 'listening');
    return receivers;
  }

  /** Settings with which the control planes send to the stand-ins. */
  get environment(): Readonly<Record<string, string>> {
    return {
      VANTAGE_CHANNEL_URLS: JSON.stringify({ telegram: this.telegram.origin, dingtalk: this.dingtalk.origin }),
    };
  }

  /** Texts that must appear nowhere. */
  get secrets(): readonly string[] {
    return [telegramToken, dingtalkRobot.token, dingtalkRobot.secret];
  }

  get channels(): readonly ChannelBody[] {
    const template = { title: TEXT, text: TEXT, resolved_title: TEXT, resolved_text: TEXT };
    const { token: access_token, secret, keyword } = dingtalkRobot;
    const url = `http://${HOST}:${(this.hook.address() as AddressInfo).port}/hook`;
    return [
      { name: HOOK, type: 'webhook', config: { url }, template: { body: TEXT } },
      { name: 'Group', type: 'telegram', config: { bot_token: telegramToken, chat_id: telegramChats.group }, template },
      { name: 'Robot', type: 'dingtalk', config: { access_token, secret, keyword }, template },
    ];
  }

  /** Messages so far. */
  get taken(): readonly TakenMessage[] {
    const ofVendor = (channel: string, { taken }: Vendor) =>
      taken.flatMap(({ text: shown, atMs: at }) => messageIn(shown, { channel, at, isAccepted: true }));
    return [...this.#hooked, ...ofVendor('Group', this.telegram), ...ofVendor('Robot', this.dingtalk)];
  }

  async stop(): Promise<void> {
    this.hook.closeAllConnections();
    const closed = new Promise((resolve) => this.hook.close(resolve));
    await Promise.all([this.telegram.close(), this.dingtalk.close(), closed]);
  }

  #take(body: string, response: ServerResponse): void {
    const dice = this.isMended ? 1 : this.random.next();
    const isAccepted = dice >= REFUSED;
    this.#hooked.push(...messageIn(body, { channel: HOOK, at: Date.now(), isAccepted }));
    if (dice >= REFUSED && dice < REFUSED + SILENT) return;
    response.writeHead(isAccepted ? 204 : 503).end();
  }
}

function messageIn(shown: string, fields: Pick<TakenMessage, 'channel' | 'at' | 'isAccepted'>): TakenMessage[] {
  // DingTalk's Markdown escapes underscores
  const [, kind, key] = READ.exec(shown.replaceAll('\\', '')) ?? [];
  return kind === undefined || key === undefined
    ? []
    : [{ ...fields, key, about: kind === 'resolved' ? 'end' : 'begin' }];
}
