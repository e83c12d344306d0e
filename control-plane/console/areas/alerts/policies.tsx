import { Link } from 'wouter-preact';
import type { listAlertPolicies } from '../../../src/modules/alerts/routes/policies.js';
import { type DataOf, get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { formatDuration, visible } from '../../texts/format.js';
import { Loaded } from '../../ui/states.js';
import { useMonitorNames } from '../monitors/names.js';
import { useChannels } from './channels.js';
import { Head } from './head.js';
import { alertTexts } from './texts.js';

export type Policy = DataOf<typeof listAlertPolicies>['items'][number];
type Choices = Policy['rules'][number]['channels'];

/** Policies, each as the sentences that it amounts to. */
export function PolicyList() {
  const text = alertTexts();
  const query = useQuery(
    'policies',
    async (signal) =>
      (await get<typeof listAlertPolicies>('/v1/alert-policies', { query: { page_size: 100 }, signal })).data.items,
  );
  return (
    <section>
      <Head part="policies" />
      <p class="muted">{text.policiesWhy}</p>
      <p>
        <Link class="button" href="/alerts/policies/new">
          {text.newPolicy}
        </Link>
      </p>
      <Loaded query={query}>
        {(policies) => (
          <>
            {policies.map((policy) => (
              <section key={policy.id} class="raised">
                <h2>
                  <Link href={`/alerts/policies/${policy.id}`}>{visible(policy.name)}</Link>{' '}
                  {policy.is_default && <span class="tag">{text.isDefault}</span>}{' '}
                  {!policy.enabled && <span class="tag">{text.disabled}</span>}
                </h2>
                <Sentences policy={policy} />
              </section>
            ))}
          </>
        )}
      </Loaded>
    </section>
  );
}

function Sentences({ policy }: { readonly policy: Policy }) {
  const text = alertTexts();
  const { data: channels } = useChannels();
  const { nameOf } = useMonitorNames();
  const names = (choices: Choices) =>
    choices
      .map(({ channel_id: id }) => visible(channels?.find((channel) => channel.id === id)?.name ?? id))
      .join(', ') || text.nobody;
  const after = (seconds: number) => (seconds === 0 ? text.atOnce : text.after(formatDuration(seconds)));
  const { rules, escalation, on_recovery: recovery, suppression, monitor_id: monitorId } = policy;
  const whose = monitorId === null ? (policy.is_default ? text.whenAny : text.whenNamed) : text.when(nameOf(monitorId));
  return (
    <>
      {rules.map(({ match, channels: choices, delay_sec: delay, repeat }, index) => (
        <p key={index}>
          {whose}
          {match.tags_any.length > 0 && text.tagged(match.tags_any.map(visible).join(', '))}
          {match.severity.length > 0 &&
            text.withSeverity(match.severity.map((severity) => text.severities[severity]).join(', '))}
          {match.time_window !== null &&
            text.within(
              `${match.time_window.days.map((day) => text.weekdays[day]).join(' ')} ${match.time_window.start}–${match.time_window.end} ${match.time_window.timezone}`,
            )}
          {text.notifies(after(delay + suppression.after_sec), names(choices))}
          {repeat.enabled && text.repeated(formatDuration(repeat.interval_sec))}
          {escalation.steps.map((step) => text.escalated(formatDuration(step.after_sec), names(step.channels)))}
        </p>
      ))}
      <p class="small muted">{recovery.notify ? text.recoveryNotified : text.recoveryQuiet}</p>
    </>
  );
}
