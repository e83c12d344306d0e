/** Job of a page process: the one message that it receives. */
export interface PageJob {
  readonly url: string;
  readonly selector: string | null;
  readonly text: string | null;
  readonly verifiesTls: boolean;
  /** Time at which the report is due: milliseconds since the epoch, this machine's clock. */
  readonly endsAtMs: number;
  /** The program to start as Chromium. */
  readonly program: string;
  readonly hasSandbox: boolean;
  /** Directory of everything that it writes, removed with the process. */
  readonly directory: string;
  /** File that its process id is written to. */
  readonly pidFile: string;
  readonly proxy: { readonly server: string; readonly username: string; readonly password: string };
  /** Suffix of the browser's user agent. */
  readonly userAgent: string;
}

/** Report of a page process: the one message that it sends. */
export interface PageReport {
  /** Failure to load the page; null if it was loaded. */
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

/** Reason why a page was not loaded. */
export interface PageFailure {
  readonly kind: 'navigation' | 'timeout' | 'browser' | 'selector' | 'memory' | 'crash';
  /** Error message of Chromium or playwright. */
  readonly message: string;
  /** URL that could not be loaded; null where the error is not about loading. */
  readonly url: string | null;
}
