/** Scopes of the token with which a script sets up an installation of its own: it enrolls nodes, which hand out what these open. */
export const ADMINISTRATOR_SCOPES = 'probe,monitor:read,monitor:write,alert:read,alert:write,account,admin';
