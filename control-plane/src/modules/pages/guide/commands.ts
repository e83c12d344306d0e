/** Steps of the guide, in their order. */
export const guideSteps = [
  'setUp',
  'register',
  'verify',
  'logIn',
  'refresh',
  'makeKey',
  'probe',
  'lookUp',
  'refused',
  'limits',
  'repeat',
  'lists',
  'languages',
  'caching',
  'leave',
] as const;

export type GuideStep = (typeof guideSteps)[number];

// a header has a line of its own: in a narrow window, a browser would break the line after the hyphen
const NEXT_LINE = '\\\n  ';
const JSON_TYPE = `${NEXT_LINE}-H 'Content-Type: application/json'`;
const AS_YOU = `${NEXT_LINE}-H "Authorization: Bearer $TOKEN"`;
const AS_KEY = `${NEXT_LINE}-H "Authorization: Bearer $KEY"`;

/**
 * Commands of each step, for sh and curl; each uses the variables of the steps before it. `publicUrl`: URL of this server,
 * without a final slash.
 */
export function guideCommands(publicUrl: string): Readonly<Record<GuideStep, string>> {
  return {
    setUp: `API=${publicUrl}
# prints one text field of a JSON response
field() { sed -n "s/.*\\"$1\\":\\"\\([^\\"]*\\)\\".*/\\1/p"; }`,

    register: `curl -s "$API/v1/auth/register" ${JSON_TYPE} \\
  -d '{"email": "ada@example.com", "password": "seven wet bridges at dusk"}'`,

    verify: `MAILED=svc_ch_…
curl -s "$API/v1/auth/verify-email" ${JSON_TYPE} \\
  -d "{\\"token\\": \\"$MAILED\\", \\"password\\": \\"seven wet bridges at dusk\\"}"`,

    logIn: `LOGIN=$(curl -s "$API/v1/auth/login" ${JSON_TYPE} \\
  -d '{"email": "ada@example.com", "password": "seven wet bridges at dusk"}')
TOKEN=$(echo "$LOGIN" | field access_token)
REFRESH=$(echo "$LOGIN" | field refresh_token)
curl -s "$API/v1/account/profile" ${AS_YOU}`,

    refresh: `LOGIN=$(curl -s "$API/v1/auth/refresh" ${JSON_TYPE} \\
  -d "{\\"refresh_token\\": \\"$REFRESH\\"}")
TOKEN=$(echo "$LOGIN" | field access_token)
REFRESH=$(echo "$LOGIN" | field refresh_token)`,

    makeKey: `KEY=$(curl -s "$API/v1/account/api-keys" ${AS_YOU} ${JSON_TYPE} \\
  -d '{"name": "dashboard", "scopes": ["read"], "expires_days": 30}' | field key)
echo "$KEY"`,

    probe: `TASK=$(curl -s "$API/v1/probe/http" ${AS_YOU} ${JSON_TYPE} \\
  -d '{"target": "https://example.com/"}' | field task_id)
curl -s "$API/v1/probe/tasks/$TASK?wait=30" ${AS_KEY}`,

    lookUp: `for time in 1 2; do
  curl -s "$API/v1/info/dns?q=example.com"
done`,

    refused: `curl -s "$API/v1/probe/http" ${AS_KEY} ${JSON_TYPE} \\
  -d '{"target": "https://example.com/"}'
curl -s "$API/v1/account/profile" ${AS_KEY}
curl -s "$API/v1/account/profile"`,

    limits: `curl -s -o /dev/null -D - "$API/v1/nodes"`,

    repeat: `KEY_OF_REQUEST=check-$(date +%s)
for attempt in 1 2; do
  curl -s -D - "$API/v1/probe/dns" ${AS_YOU} ${JSON_TYPE} \\
    -H "Idempotency-Key: $KEY_OF_REQUEST" -d '{"target": "example.com"}'
done`,

    lists: `curl -s "$API/v1/probe/tasks?page=1&page_size=1" ${AS_KEY}
CURSOR=$(curl -s "$API/v1/account/audit?limit=1" ${AS_YOU} | field next_cursor)
curl -s "$API/v1/account/audit?limit=1&cursor=$CURSOR" ${AS_YOU}`,

    languages: `curl -s "$API/v1/account/profile" ${NEXT_LINE}-H 'Accept-Language: zh-TW'
curl -s "$API/v1/probe/ping" ${JSON_TYPE} -d '{"params": {"count": 1000}}'`,

    caching: `ETAG=$(curl -s -o /dev/null -D - "$API/v1/nodes" | tr -d '\\r' | sed -n 's/^[Ee][Tt]ag: //p')
curl -s -o /dev/null -w '%{http_code}\\n' "$API/v1/nodes" ${NEXT_LINE}-H "If-None-Match: $ETAG"
curl -s -o /dev/null -w '%{size_download}\\n' "$API/v1/openapi.json"
curl -s -o /dev/null -w '%{size_download}\\n' --compressed "$API/v1/openapi.json"`,

    leave: `curl -s -X POST "$API/v1/auth/logout" ${AS_YOU}
curl -s "$API/v1/account/profile" ${AS_YOU}`,
  };
}
