import type { View } from '../../shell/areas.js';
import { ChannelPage } from './channel.js';
import { NewChannel } from './channel-form.js';
import { ChannelList } from './channels.js';
import { DeliveryLog } from './deliveries.js';
import { AlertList, AlertPage } from './events.js';
import { PolicyList } from './policies.js';
import { EditPolicy, NewPolicy } from './policy-form.js';
import { SilenceList } from './silences.js';
import { WebhookPage } from './webhook.js';
import { WebhookList } from './webhooks.js';

export const views: readonly View[] = [
  { path: '/alerts', view: AlertList },
  { path: '/alerts/events', view: AlertList },
  { path: '/alerts/events/:id', view: AlertPage },
  { path: '/alerts/channels', view: ChannelList },
  { path: '/alerts/channels/new', view: NewChannel },
  { path: '/alerts/channels/:id', view: ChannelPage },
  { path: '/alerts/policies', view: PolicyList },
  { path: '/alerts/policies/new', view: NewPolicy },
  { path: '/alerts/policies/:id', view: EditPolicy },
  { path: '/alerts/silences', view: SilenceList },
  { path: '/alerts/deliveries', view: DeliveryLog },
  { path: '/alerts/webhooks', view: WebhookList },
  { path: '/alerts/webhooks/:id', view: WebhookPage },
];
