import type { ReleaseFolder } from './release-folder.js';

/** Parts of the module that routes use. */
export interface Releases {
  /** Null: this control plane serves no release. */
  readonly folder: ReleaseFolder | null;
  /** Script that installs an agent of this control plane. */
  readonly script: string;
  /** Command that runs it on the machine of a future node, and asks for the token; null: there is no release. */
  readonly command: string | null;
}

declare module '../../http/route.js' {
  interface Services {
    readonly releases: Releases;
  }
}
