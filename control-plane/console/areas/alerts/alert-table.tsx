import { Link } from 'wouter-preact';
import type { listAlertEvents } from '../../../src/modules/alerts/routes/alert-events.js';
import type { DataOf } from '../../api/call.js';
import { visible } from '../../texts/format.js';
import { type Look, Pill } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { alertTexts } from './texts.js';

export type Alert = DataOf<typeof listAlertEvents>['items'][number];

const looks: Readonly<Record<Alert['status'], Look>> = { firing: 'bad', acknowledged: 'warn', resolved: 'good' };

export function AlertStatus({ status }: { readonly status: Alert['status'] }) {
  return <Pill look={looks[status]} word={alertTexts().statuses[status]} />;
}

/** Alerts, each with the way to its page. */
export function AlertTable({ alerts }: { readonly alerts: readonly Alert[] }) {
  const text = alertTexts();
  return (
    <div class="wide">
      <table class="folding" aria-label={text.parts.events}>
        <thead>
          <tr>
            <th>{text.status}</th>
            <th>{text.monitor}</th>
            <th>{text.severity}</th>
            <th>{text.opened}</th>
          </tr>
        </thead>
        <tbody>
          {alerts.map(({ id, status, type, started_at: at, metadata }) => (
            <tr key={id}>
              <td class="whole">
                <AlertStatus status={status} />
              </td>
              <td>
                <Link href={`/alerts/events/${id}`}>{visible(metadata.monitor.name)}</Link> {text.types[type]}
                {metadata.reason !== null && <div class="small muted">{visible(metadata.reason)}</div>}
              </td>
              <td data-title={text.severity}>{text.severities[metadata.severity]}</td>
              <td data-title={text.opened}>
                <Time at={at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
