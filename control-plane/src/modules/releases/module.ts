import { readFileSync } from 'node:fs';
import { isPlainUrl } from '@vantage/shared/plain-url.js';
import { packageFolder } from '../../package-folder.js';
import { version } from '../../version.js';
import { defineModule } from '../module.js';
import { filledScript } from './install-script.js';
import { ReleaseFolder } from './release-folder.js';
import { releaseRoutes } from './routes.js';

/** Installing agents: the script that does it, and the files of a release. */
export const releasesModule = defineModule({
  name: 'releases',
  routes: releaseRoutes,
  open({ config, publicUrl }) {
    const { releaseFolder, releaseUrl, releaseKey } = config;
    const folder = releaseFolder === null ? null : new ReleaseFolder(releaseFolder);
    const release = releaseUrl ?? (folder === null ? null : `${publicUrl}/release`);
    const isPlain = isPlainUrl(new URL(publicUrl));
    const script = readFileSync(new URL('install/install-agent', packageFolder), 'utf8');
    return {
      service: {
        folder,
        script: filledScript(script, { url: publicUrl, release, key: releaseKey }),
        isPlain,
        clientCommand: isPlain ? null : `curl -fsSL ${publicUrl}/vantage \\\n  -o vantage && chmod +x vantage`,
        clientFacts: { version, url: publicUrl, key: releaseKey },
        agentCommands: isPlain
          ? null
          : `vantage-agent enroll --url ${publicUrl} \\\n  --token-file token.txt\nvantage-agent run`,
        command: release === null || isPlain ? null : `curl -fsSL ${publicUrl}/install.sh | sudo sh`,
      },
    };
  },
});
