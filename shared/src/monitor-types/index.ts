import type { Static } from 'typebox';
import { browser } from './browser.js';
import type { MonitorTypeDefinition } from './definition.js';
import { dns } from './dns.js';
import { domain_expiry } from './domain-expiry.js';
import { http } from './http.js';
import { https } from './https.js';
import { icp } from './icp.js';
import { json } from './json.js';
import { keyword } from './keyword.js';
import { ping } from './ping.js';
import { rbl } from './rbl.js';
import { ssl_expiry } from './ssl-expiry.js';
import { tcp } from './tcp.js';
import { traceroute } from './traceroute.js';

/** The one list of monitor types that nodes check. A new type is a file next to this one and a name here. */
export const monitorTypes = {
  http,
  https,
  keyword,
  json,
  ping,
  tcp,
  dns,
  traceroute,
  ssl_expiry,
  domain_expiry,
  icp,
  rbl,
  browser,
};

/** Name of a type of monitor that nodes check. */
export type MonitorType = keyof typeof monitorTypes;

/** Settings of each type, defaults filled in. */
export type MonitorConfigs = { [T in MonitorType]: Static<(typeof monitorTypes)[T]['Config']> };

/** Every type's name, in the order people read them. */
export const monitorTypeNames = Object.keys(monitorTypes) as readonly MonitorType[];

/** True if a string names a monitor type that nodes check. */
export function isMonitorType(name: string): name is MonitorType {
  return Object.hasOwn(monitorTypes, name);
}

/** The definition of any type, for code that treats all types alike. */
export function monitorTypeOf(type: MonitorType): MonitorTypeDefinition {
  return monitorTypes[type] as unknown as MonitorTypeDefinition;
}
