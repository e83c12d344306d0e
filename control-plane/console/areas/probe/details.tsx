import type { Hop, HopStatistics } from '@vantage/shared/probe-types/hops.js';
import type { ProbeResults, ProbeType } from '@vantage/shared/probe-types/index.js';
import type { TlsReport } from '@vantage/shared/probe-types/tls-report.js';
import type { ComponentChildren, FunctionComponent } from 'preact';
import { countryName, formatMs, formatNumber, visible } from '../../texts/format.js';
import { Pill } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { lossOf, msOf, textOf } from './columns.js';
import { type Phase, Phases } from './phases.js';
import type { NodeResult } from './task.js';
import { probeTexts } from './texts.js';

type DetailsOf<T extends ProbeType> = FunctionComponent<{ readonly result: ProbeResults[T] }>;

/** Findings of a node, beside the columns of the table. */
const details: { readonly [T in ProbeType]: DetailsOf<T> } = {
  http: ({ result }) => {
    const text = probeTexts();
    const { dns_ms, tcp_ms, tls_ms, ttfb_ms, download_ms } = result.timing;
    return (
      <>
        <Phases
          phases={[
            { name: 'dns', ms: dns_ms },
            { name: 'connect', ms: tcp_ms },
            { name: 'tls', ms: tls_ms },
            { name: 'wait', ms: ttfb_ms },
            { name: 'load', ms: download_ms },
          ]}
        />
        <Facts
          facts={[
            [text.finalUrl, textOf(result.final_url)],
            [text.version, result.http_version === null ? '–' : `HTTP/${visible(result.http_version)}`],
            ...result.redirects.map((hop): Fact => [text.redirect, visible(`${hop.status_code} ${hop.url}`)]),
          ]}
        />
        <Findings result={result} />
        {result.tls !== null && <Tls tls={result.tls} />}
        <Content result={result} />
      </>
    );
  },
  ping: ({ result }) => {
    const text = probeTexts();
    return (
      <Table
        label={text.titles.replies}
        heads={['#', text.titles.total, 'TTL', text.titles.answer]}
        rows={result.replies.map(({ seq, rtt_ms, ttl, duplicate, late, icmp_error }) => [
          formatNumber(seq),
          msOf(rtt_ms),
          textOf(ttl),
          [duplicate && text.duplicate, late && text.late, icmp_error !== null && visible(JSON.stringify(icmp_error))]
            .filter((note) => note !== false)
            .join(', '),
        ])}
      />
    );
  },
  dns: ({ result }) => {
    const text = probeTexts();
    return (
      <>
        <Facts
          facts={[
            [text.titles.resolver, `${textOf(result.resolver)} ${result.transport}`],
            [text.flags, result.flags.join(' ') || '–'],
            [text.titles.bytes, textOf(result.size)],
            ...result.extended_errors.map(
              ({ code, text: words }): Fact => [text.extendedError, visible(`${code} ${words}`)],
            ),
          ]}
        />
        {result.trace !== undefined && (
          <Table
            label={text.trace}
            heads={[text.zone, text.server, text.titles.total, text.titles.answer]}
            rows={result.trace.map(({ zone, server, query_ms, rcode, outcome, message }) => [
              visible(zone),
              visible(server),
              msOf(query_ms),
              [rcode ?? outcome, message ?? ''].map(visible).join(' '),
            ])}
          />
        )}
        {result.tls !== null && <Tls tls={result.tls} />}
      </>
    );
  },
  tcp: ({ result }) => {
    const text = probeTexts();
    return (
      <>
        {result.banner !== undefined && <Facts facts={[[text.banner, visible(result.banner)]]} />}
        <Table
          label={text.attempts}
          heads={['#', text.titles.connect, text.error]}
          rows={result.attempts.map(({ connect_ms, error }, index) => [
            formatNumber(index + 1),
            msOf(connect_ms),
            error === null ? '' : visible(error),
          ])}
        />
      </>
    );
  },
  traceroute: ({ result }) => <Path hops={result.hops} />,
  mtr: ({ result }) => <Statistics hops={result.hops} />,
  smtp: ({ result }) => {
    const text = probeTexts();
    const { dns_ms, tcp_ms, tls_ms, banner_ms, ehlo_ms } = result.timing;
    const dialogue: Phase[] = [
      { name: 'wait', ms: banner_ms, title: text.titles.greeting },
      { name: 'load', ms: ehlo_ms, title: 'EHLO' },
    ];
    const tls: Phase = { name: 'tls', ms: tls_ms };
    const rest = result.starttls.done ? [...dialogue, tls] : [tls, ...dialogue];
    return (
      <>
        <Phases phases={[{ name: 'dns', ms: dns_ms }, { name: 'connect', ms: tcp_ms }, ...rest]} />
        <Facts
          facts={[
            [text.banner, textOf(result.banner)],
            ['EHLO', result.ehlo.map(visible).join(', ') || '–'],
          ]}
        />
        {result.tls !== null && <Tls tls={result.tls} />}
      </>
    );
  },
  ntp: ({ result }) => {
    const text = probeTexts();
    return (
      <Facts
        facts={[
          [text.titles.replies, `${result.packets_received}/${result.packets_sent}`],
          [text.reference, textOf(result.refid)],
          [text.leap, result.leap === null ? '–' : text.leaps[result.leap]],
          [text.uncertainty, msOf(result.offset_error_ms)],
          [text.rootDispersion, msOf(result.root_dispersion_ms)],
          ...(result.kiss_code === undefined ? [] : [['kiss-o’-death', visible(result.kiss_code)] as const]),
        ]}
      />
    );
  },
  ssl: ({ result }) => {
    const text = probeTexts();
    return (
      <>
        <Facts
          facts={[
            [text.names, result.san_domains.map(visible).join(', ') || '–'],
            [text.cipher, textOf(result.cipher_suite)],
            [
              text.versions,
              result.tls_versions
                .filter(({ supported }) => supported === true)
                .map(({ version }) => version)
                .join(', ') || '–',
            ],
          ]}
        />
        {result.findings.length > 0 && (
          <ul>
            {result.findings.map(({ code, message }) => (
              <li key={code} lang="en">
                {visible(message)}
              </li>
            ))}
          </ul>
        )}
        <Chain chain={result.chain} />
      </>
    );
  },
  speedtest: ({ result }) => {
    const text = probeTexts();
    return (
      <Table
        label={text.transfers}
        heads={['', text.titles.bytes, text.titles.total, text.titles.latency]}
        rows={(['download', 'upload'] as const).map((name) => [
          text.titles[name],
          formatNumber(result[name].bytes),
          msOf(result[name].ms),
          msOf(result[name].latency_ms),
        ])}
      />
    );
  },
};

/** Details of the result of a node, of whatever type. */
export function Details({ type, result }: { readonly type: ProbeType; readonly result: NodeResult }) {
  const Found = details[type] as unknown as FunctionComponent<{ readonly result: NodeResult }>;
  return <Found result={result} />;
}

type Fact = readonly [name: string, value: string];

function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  if (facts.length === 0) return null;
  return <dl>{facts.map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={value}>{value}</dd>])}</dl>;
}

function Table(props: {
  readonly label: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
}) {
  if (props.rows.length === 0) return null;
  return (
    <div class="wide">
      <table aria-label={props.label}>
        <thead>
          <tr>
            {props.heads.map((head) => (
              <th key={head}>{head}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, column) => (
                <td key={column}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Findings of the keywords and JSONPaths of the request. */
function Findings({ result: { keywords = [], json_paths: paths = [] } }: { readonly result: ProbeResults['http'] }) {
  const text = probeTexts();
  return (
    <Facts
      facts={[
        ...keywords.map(
          ({ keyword, count, error }): Fact => [visible(keyword), count === null ? textOf(error) : text.found(count)],
        ),
        ...paths.map(
          ({ path, values, error }): Fact => [
            visible(path),
            error === null ? visible(values.map((value) => JSON.stringify(value)).join(', ')) : visible(error),
          ],
        ),
      ]}
    />
  );
}

/** Headers and body of a response. */
function Content({ result: { headers, body } }: { readonly result: ProbeResults['http'] }) {
  const text = probeTexts();
  return (
    <>
      {Object.keys(headers).length > 0 && (
        <details>
          <summary>{text.headers}</summary>
          <Facts facts={Object.entries(headers).map(([name, value]) => [visible(name), visible(value)])} />
        </details>
      )}
      {body !== undefined && body !== '' && (
        <details>
          <summary>{text.body}</summary>
          <pre class="body" tabIndex={0}>
            {body.split('\n').map(visible).join('\n')}
          </pre>
        </details>
      )}
    </>
  );
}

function Path({ hops }: { readonly hops: readonly Hop[] }) {
  const text = probeTexts();
  return (
    <Table
      label={text.titles.hops}
      heads={['#', text.titles.address, text.network, text.titles.total]}
      rows={hops.map(({ ttl, replies, asn, country }) => {
        const addresses = new Map(replies.flatMap(({ ip, hostname }) => (ip === null ? [] : [[ip, hostname ?? null]])));
        return [
          formatNumber(ttl),
          addresses.size === 0 ? '*' : <Hosts addresses={[...addresses]} />,
          whereOf(asn, country),
          replies.map(({ rtt_ms }) => (rtt_ms === null ? '*' : formatMs(rtt_ms))).join(' · '),
        ];
      })}
    />
  );
}

function Statistics({ hops }: { readonly hops: readonly HopStatistics[] }) {
  const text = probeTexts();
  const { titles } = text;
  return (
    <Table
      label={titles.hops}
      heads={[
        '#',
        titles.address,
        text.network,
        titles.loss,
        text.sent,
        titles.min,
        titles.avg,
        titles.max,
        titles.jitter,
      ]}
      rows={hops.map(({ ttl, ip, hostname, asn, country, loss_pct, sent, rtt, jitter_ms }) => [
        formatNumber(ttl),
        ip.length === 0 ? '*' : <Hosts addresses={ip.map((address, index) => [address, hostname[index] ?? null])} />,
        whereOf(asn, country),
        lossOf(loss_pct),
        formatNumber(sent),
        msOf(rtt.min_ms),
        msOf(rtt.avg_ms),
        msOf(rtt.max_ms),
        msOf(jitter_ms),
      ])}
    />
  );
}

function Hosts({ addresses }: { readonly addresses: readonly (readonly [ip: string, name: string | null])[] }) {
  return (
    <>
      {addresses.map(([ip, name]) => (
        <div key={ip}>
          {visible(ip)} {name !== null && <span class="muted">{visible(name)}</span>}
        </div>
      ))}
    </>
  );
}

function whereOf(asn: number | undefined, country: string | undefined): string {
  return [asn === undefined ? null : `AS${asn}`, country === undefined ? null : countryName(country)]
    .filter((part) => part !== null)
    .join(' ');
}

function Tls({ tls }: { readonly tls: TlsReport }) {
  const text = probeTexts();
  return (
    <>
      <p class="row">
        <strong>{visible(tls.protocol)}</strong>
        <span class="muted">{visible(tls.cipher)}</span>
        <Pill look={tls.authorized ? 'good' : 'warn'} word={tls.authorized ? text.trusted : text.untrusted} />
        {tls.authorization_error !== null && <span class="anywhere">{visible(tls.authorization_error)}</span>}
      </p>
      <Chain chain={tls.chain} />
    </>
  );
}

function Chain({
  chain,
}: {
  readonly chain: readonly Pick<TlsReport['chain'][number], 'subject' | 'issuer' | 'not_after'>[];
}) {
  const text = probeTexts();
  return (
    <Table
      label={text.chain}
      heads={[text.subject, text.titles.issuer, text.validUntil]}
      rows={chain.map(({ subject, issuer, not_after }) => [
        visible(subject),
        visible(issuer),
        <Time key={not_after} at={not_after} />,
      ])}
    />
  );
}
