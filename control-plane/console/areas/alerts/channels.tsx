import { Link } from 'wouter-preact';
import type { listAlertChannels } from '../../../src/modules/alerts/routes/channels.js';
import { type DataOf, get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { Empty, Loaded } from '../../ui/states.js';
import { type Look, Pill } from '../../ui/status.js';
import { Head } from './head.js';
import { alertTexts } from './texts.js';

export type Channel = DataOf<typeof listAlertChannels>['items'][number];

const looks: Readonly<Record<Channel['health']['status'], Look>> = { unknown: 'none', ok: 'good', failing: 'bad' };

/** Names of the types, which are those of the vendors. */
const typeNames: Readonly<Record<string, string>> = {
  webhook: 'Webhook',
  slack: 'Slack',
  telegram: 'Telegram',
  wecom: '企业微信 WeCom',
  dingtalk: '钉钉 DingTalk',
  feishu: '飞书 Feishu',
  lark: 'Lark',
  wechat: '微信 WeChat',
  pagerduty: 'PagerDuty',
};

export function channelTypeName(type: string): string {
  const { mail, sms, voice } = alertTexts().channelTypes;
  return { email: mail, sms, voice }[type] ?? typeNames[type] ?? type;
}

/** The channels of the account. */
export function useChannels() {
  return useQuery(
    'channels',
    async (signal) =>
      (await get<typeof listAlertChannels>('/v1/alert-channels', { query: { page_size: 100 }, signal })).data.items,
  );
}

/** State of a channel: whether it works, and what keeps messages from it. */
export function ChannelState({ channel }: { readonly channel: Channel }) {
  const text = alertTexts();
  return (
    <span class="row tight">
      <Pill look={looks[channel.health.status]} word={text.healths[channel.health.status]} />
      {!channel.enabled && <span class="tag">{text.disabled}</span>}
      {!channel.verified && <span class="tag">{text.unverified}</span>}
    </span>
  );
}

export function ChannelList() {
  const text = alertTexts();
  const query = useChannels();
  const create = (
    <Link class="button" href="/alerts/channels/new">
      {text.newChannel}
    </Link>
  );
  return (
    <section>
      <Head part="channels" />
      <Loaded query={query}>
        {(channels) =>
          channels.length === 0 ? (
            <Empty>
              <p>{text.noChannels}</p>
              {create}
            </Empty>
          ) : (
            <>
              <p>{create}</p>
              <div class="wide">
                <table class="folding" aria-label={text.parts.channels}>
                  <thead>
                    <tr>
                      <th>{text.status}</th>
                      <th>{common().name}</th>
                      <th>{text.type}</th>
                      <th>{text.usedBy}</th>
                    </tr>
                  </thead>
                  <tbody>
                    {channels.map((channel) => (
                      <tr key={channel.id}>
                        <td class="whole">
                          <ChannelState channel={channel} />
                        </td>
                        <td>
                          <Link href={`/alerts/channels/${channel.id}`}>{visible(channel.name)}</Link>
                          {channel.health.last_error !== null && (
                            <div class="small muted">{visible(channel.health.last_error)}</div>
                          )}
                        </td>
                        <td>{channelTypeName(channel.type)}</td>
                        <td data-title={text.usedBy}>
                          {channel.used_by.length === 0
                            ? text.unused
                            : channel.used_by.map(({ name }) => visible(name)).join(', ')}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            </>
          )
        }
      </Loaded>
    </section>
  );
}
