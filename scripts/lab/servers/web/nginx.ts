import { serviceAddresses } from '../../topology.js';
import type { CertificateFiles, Certificates } from '../certificates.js';

type Address = 'web' | 'legacy' | 'tls12' | 'tls13';
const statuses = [200, 201, 204, 301, 400, 401, 403, 404, 410, 418, 429, 500, 502, 503, 504];

/** The whole nginx.conf. `staple` is an OCSP answer about the good certificate. */
export function nginxConfiguration(options: {
  readonly directory: string;
  readonly certificates: Certificates;
  readonly staple: string;
}): string {
  const { directory, certificates, staple } = options;
  const { good, expired, future, selfSigned, wrongName } = certificates;
  const bad = { 'expired.lab.test': expired, 'future.lab.test': future, 'self-signed.lab.test': selfSigned };
  return `
daemon off;
user root;
worker_processes 1;
pid ${directory}/nginx.pid;
events { worker_connections 8192; }
http {
  access_log off;
  default_type text/html;
  keepalive_requests 100000;
  large_client_header_buffers 4 64k;
  client_body_temp_path ${directory}/body;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
  root ${directory}/pages;
  ssl_protocols TLSv1.2 TLSv1.3;
  ssl_session_tickets on;
${server('www.lab.test', `${listen('web', 80, 'default_server')} ${locations()}`)}
${server('other.lab.test', `${listen('web', 80)} index other.html;`)}
${server('www.lab.test', `${secure(good, 'default_server')} ssl_stapling on; ssl_stapling_file ${staple}; ${locations()}`)}
${server('other.lab.test', `${secure(good)} index other.html;`)}
${Object.entries(bad)
  .map(([name, files]) => server(name, secure(files)))
  .join('\n')}
${server('wrong-name.lab.test', secure(wrongName))}
${oneVersion('legacy', 'TLSv1 TLSv1.1', good)}
${oneVersion('tls12', 'TLSv1.2', good)}
${oneVersion('tls13', 'TLSv1.3', good)}
}
`;
}

function server(name: string, body: string): string {
  return `  server { server_name ${name}; ${body} }`;
}

function listen(address: Address, port: number, flags = ''): string {
  const { v4, v6 } = serviceAddresses(address);
  return `listen ${v4}:${port} ${flags}; listen [${v6}]:${port} ${flags};`;
}

function secure({ cert, key }: CertificateFiles, flags = ''): string {
  return `${listen('web', 443, `ssl http2 ${flags}`)} ssl_certificate ${cert}; ssl_certificate_key ${key};`;
}

/** OpenSSL 3 speaks TLS 1.0 and 1.1 only at its lowest security level. */
function oneVersion(address: Address, protocols: string, { cert, key }: CertificateFiles): string {
  const ciphers = protocols.includes('TLSv1.1') ? 'ssl_ciphers DEFAULT:@SECLEVEL=0;' : '';
  const files = `ssl_certificate ${cert}; ssl_certificate_key ${key};`;
  return server(
    `${address}.lab.test`,
    `${listen(address, 443, 'ssl')} ${files} ssl_protocols ${protocols}; ${ciphers}`,
  );
}

function locations(): string {
  const redirects = Array.from({ length: 9 }, (_, index) => {
    const next = index === 0 ? '/' : `/redirect/${index}`;
    return `location = /redirect/${index + 1} { return 302 ${next}; }`;
  });
  return [
    ...redirects,
    'location = /redirect/loop { return 302 /redirect/loop; }',
    'location = /redirect/https { return 301 https://www.lab.test/; }',
    'location = /redirect/private { return 302 http://127.0.0.1/; }',
    'location = /redirect/file { return 302 file:///etc/passwd; }',
    'location = /redirect/database { return 302 http://www.lab.test:5432/; }',
    ...statuses.map((status) => `location = /status/${status} { return ${status} "status ${status}\\n"; }`),
    'location = /echo { default_type text/plain; return 200 "$request_method $host $http_user_agent $http_x_lab\\n"; }',
    'location = /drop { return 444; }',
    'location = /empty { return 204; }',
    'location = /text { default_type text/plain; charset utf-8; gzip on; gzip_types text/plain; gzip_min_length 1; }',
    'location = /json { default_type application/json; }',
    'location = /latin1 { default_type text/plain; charset iso-8859-1; }',
    'location ~ ^/[0-9]+[km]$ { default_type application/octet-stream; }',
  ].join('\n    ');
}
