/** Address at which the servers of the demo listen. */
export const HOST = '127.0.0.1';
/** Domain of the demo, as it is registered. */
export const DOMAIN = 'demo.example';
/** Name of its web server. */
export const WEB_DOMAIN = `www.${DOMAIN}`;
/** Name of its mail server. */
export const MAIL_DOMAIN = `mail.${DOMAIN}`;
/** Public address that lookups are about; nothing is sent to it. */
export const PUBLIC_ADDRESS = '81.2.69.142';
