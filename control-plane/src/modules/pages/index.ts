/** What pages say of this installation. */
export interface Site {
  readonly version: string;
  readonly publicUrl: string;
  /** E-mail or http(s) address for those who are bothered by probes; null: the operator named none. */
  readonly abuseContact: string | null;
}

declare module '../../http/route.js' {
  interface Services {
    readonly site: Site;
  }
}
