/** What pages say of this installation. */
export interface Site {
  readonly version: string;
  readonly publicUrl: string;
}

declare module '../../http/route.js' {
  interface Services {
    readonly site: Site;
  }
}
