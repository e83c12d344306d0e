import { type SectionName, sectionNames } from '@vantage/shared/diagnose/finding-table.js';
import type { ReportView, SectionView } from '../modules/diagnose/index.js';
import { type ApiClient, ApiUnreachable } from './api-client.js';

/** Section that has ended, and the number of those that have. */
export type OnSection = (
  name: SectionName,
  section: SectionView,
  counts: { readonly begun: ReportView; readonly ended: number },
) => void;

interface Listeners {
  readonly onBegun: (report: ReportView) => Promise<void>;
  readonly onSection: OnSection;
}

/**
 * Creates a report and follows it to its end; each section is given to `onSection` once.
 * @throws ApiRefusal, ApiUnreachable
 */
export async function runDiagnose(client: ApiClient, order: object, listeners: Listeners): Promise<ReportView> {
  const begun = await client.call<ReportView>('POST', '/v1/diagnose', order);
  await listeners.onBegun(begun);
  const shown = new Set<SectionName>();
  const show = (name: SectionName, section: SectionView) => {
    if (shown.has(name)) return;
    shown.add(name);
    listeners.onSection(name, section, { begun, ended: shown.size });
  };
  try {
    const report = (await followEvents(client, begun.id, show)) ?? (await waitForEnd(client, begun.id));
    for (const name of sectionNames) {
      const section = report.sections[name];
      if (section !== undefined) show(name, section);
    }
    return report;
  } catch (error) {
    if (!(error instanceof ApiUnreachable)) throw error;
    throw new ApiUnreachable(`${error.message}; the report continues as ${begun.id}`, { cause: error });
  }
}

/** Report that has ended; null if the stream was cut earlier, for example by a restart of the server. */
async function followEvents(
  client: ApiClient,
  id: string,
  show: (name: SectionName, section: SectionView) => void,
): Promise<ReportView | null> {
  try {
    for await (const { event, data } of client.events(`/v1/diagnose/${id}/events`)) {
      if (event === 'diagnose.done') return data as ReportView;
      if (event !== 'diagnose.section') continue;
      const { section, ...rest } = data as SectionView & { readonly section: SectionName };
      show(section, rest);
    }
  } catch (error) {
    if (!(error instanceof ApiUnreachable)) throw error;
  }
  return null;
}

async function waitForEnd(client: ApiClient, id: string): Promise<ReportView> {
  for (;;) {
    const report = await client.call<ReportView>('GET', `/v1/diagnose/${id}?wait=30`);
    if (report.status !== 'running') return report;
  }
}
