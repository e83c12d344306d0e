export { columnTitle } from './task/column-titles.js';
export { resultDetailsHtml, resultRowsHtml, type ShownResults } from './task/task-html.js';

/** Facts about this installation, for pages. */
export interface Site {
  readonly version: string;
  readonly publicUrl: string;
  /** E-mail or http(s) address for complaints about probes; null if not configured. */
  readonly abuseContact: string | null;
}

declare module '../../http/route.js' {
  interface Services {
    readonly pages: Site;
  }
}
