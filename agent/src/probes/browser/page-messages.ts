/** What a page process is to do: the one message it gets. */
export interface PageJob {
  readonly url: string;
  readonly selector: string | null;
  readonly text: string | null;
  readonly verifiesTls: boolean;
  /** When the report is due: milliseconds since the epoch, this machine's clock. */
  readonly endsAtMs: number;
  /** The program to start as Chromium. */
  readonly program: string;
  readonly hasSandbox: boolean;
  /** Everything it writes is in here, and goes with the process. */
  readonly directory: string;
  /** Where its process id is written. */
  readonly pidFile: string;
  readonly proxy: { readonly server: string; readonly username: string; readonly password: string };
  /** What the browser's own name ends in. */
  readonly userAgent: string;
}

/** What it saw: the one message it sends. */
export interface PageReport {
  /** Null: the page was loaded. */
  readonly failure: PageFailure | null;
  readonly statusCode: number | null;
  readonly finalUrl: string | null;
  readonly title: string | null;
  readonly loadMs: number | null;
  readonly ttfbMs: number | null;
  readonly domContentLoadedMs: number | null;
  readonly selectorFound: boolean | null;
  readonly textFound: boolean | null;
  readonly consoleErrors: readonly string[];
  readonly requests: number;
}

/** Why a page was not loaded. */
export interface PageFailure {
  readonly kind: 'navigation' | 'timeout' | 'browser' | 'selector' | 'memory' | 'crash';
  /** Of Chromium or playwright. */
  readonly message: string;
  /** What it wanted to load; null where it was not about that. */
  readonly url: string | null;
}
