import { realpathSync } from 'node:fs';
import type { RawSocketFault } from './errors.js';

/** What an operator does about raw sockets that cannot be had; one line. */
export function rawSocketRemedy(fault: RawSocketFault): string {
  switch (fault) {
    case 'not_permitted':
      // a capability belongs to the file that runs, so a symbolic link would not do
      return `sudo setcap cap_net_raw+ep ${realpathSync(process.execPath)}`;
    case 'not_loadable':
      return 'npm rebuild raw-socket';
    case 'not_supported':
      return 'use a system with raw IPv4 sockets';
  }
}
