import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../namespaces.js';
import { serviceAddresses } from '../topology.js';
import { startDaemon } from './daemon.js';
import type { ServerDefinition, ServerOptions } from './server.js';

const { v4, v6 } = serviceAddresses('web');

/** nginx with the pages that probes ask for. */
export const web: ServerDefinition = {
  summary: 'nginx',
  requirements: [
    { program: 'nginx', debianPackage: 'nginx', purpose: 'is the web server' },
    { program: 'curl', debianPackage: 'curl', purpose: 'sees whether it answers' },
  ],
  async start(options: ServerOptions) {
    const { directory, namespace } = options;
    mkdirSync(join(directory, 'pages'));
    writeFileSync(join(directory, 'pages', 'index.html'), '<!doctype html><title>lab</title><p>hello from the lab\n');
    writeFileSync(join(directory, 'nginx.conf'), configuration(directory));
    await startDaemon(options, {
      command: ['nginx', '-e', join(directory, 'error.log'), '-p', directory, '-c', join(directory, 'nginx.conf')],
      isReady: async () =>
        (await run('ip', ['netns', 'exec', namespace, 'curl', '-s', `http://${v4}/`])).includes('hello'),
    });
  },
  offers: [[`http://${v4}/ http://[${v6}]/`, 'a small page']],
};

function configuration(directory: string): string {
  return `
daemon off;
user root;
worker_processes 1;
pid ${directory}/nginx.pid;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path ${directory}/body;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
  server {
    listen ${v4}:80;
    listen [${v6}]:80;
    root ${directory}/pages;
  }
}
`;
}
