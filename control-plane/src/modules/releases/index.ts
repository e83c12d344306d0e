import type { ClientFacts } from '../../client-file.js';
import type { ReleaseFolder } from './release-folder.js';

/** Parts of the module that routes use. */
export interface Releases {
  /** Null if this control plane serves no release. */
  readonly folder: ReleaseFolder | null;
  /** Script that installs an agent of this control plane. */
  readonly script: string;
  /** Command that runs it on the machine of a future node, and asks for the token; null if there is no release, or the URL is plain. */
  readonly command: string | null;
  /** Commands that enroll and start an agent which is installed already, with the token in token.txt; null: the URL is plain. */
  readonly agentCommands: string | null;
  /** Command that downloads the client; null: the URL is plain. */
  readonly clientCommand: string | null;
  /** Facts in the client that is served. */
  readonly clientFacts: ClientFacts;
  /** True if the public URL is plain http: others on the network could replace the script, which root runs, so no command is shown. */
  readonly isPlain: boolean;
}

declare module '../../http/route.js' {
  interface Services {
    readonly releases: Releases;
  }
}
