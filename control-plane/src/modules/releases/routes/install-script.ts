import { Type } from 'typebox';
import { defineRoute } from '../../../http/route.js';

export const installScript = defineRoute({
  operationId: 'getInstallScript',
  method: 'GET',
  path: '/install.sh',
  summary: 'Script that installs an agent',
  tag: 'Pages',
  auth: { kind: 'none' },
  replies: { 200: Type.String() },
  replyKind: 'text',
  errors: [],
  isDocumented: false,
  async handle(_request, { releases }) {
    return { status: 200, raw: { contentType: 'text/x-shellscript; charset=utf-8', body: releases.script } };
  },
});
