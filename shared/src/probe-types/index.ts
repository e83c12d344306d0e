import type { Static } from 'typebox';
import { browser } from './browser.js';
import type { MeasurementDefinition, ProbeTypeDefinition } from './definition.js';
import { dns } from './dns.js';
import { domain } from './domain.js';
import { http } from './http.js';
import { icp } from './icp.js';
import { mtr } from './mtr.js';
import { ntp } from './ntp.js';
import { ping } from './ping.js';
import { rbl } from './rbl.js';
import { records } from './records.js';
import { smtp } from './smtp.js';
import { speedtest } from './speedtest.js';
import { ssl } from './ssl.js';
import { tcp } from './tcp.js';
import { traceroute } from './traceroute.js';
import { zone_audit } from './zone-audit.js';

/** The one list of probe types. A new type is a file next to this one and a name here. */
export const probeTypes = { http, ping, dns, tcp, traceroute, mtr, smtp, ntp, ssl, speedtest };

/** Name of a probe type. */
export type ProbeType = keyof typeof probeTypes;

/**
 * Definitions of everything that agents measure: the probe types, and measurements that only monitors and lookups request
 * (docs/adding-a-probe-type.md).
 */
export const measurements = { ...probeTypes, rbl, domain, icp, browser, records, zone_audit };

/** Name of anything that agents measure. */
export type MeasurementType = keyof typeof measurements;

/** Target and parameters of each type, defaults filled in. */
export type ProbeSpecs = { [T in MeasurementType]: Static<(typeof measurements)[T]['Spec']> };

/** Result of a node for each type. */
export type ProbeResults = { [T in MeasurementType]: Static<(typeof measurements)[T]['Result']> };

/** Every type's name, in the order people read them. */
export const probeTypeNames = Object.keys(probeTypes) as readonly ProbeType[];

export function isProbeType(name: string): name is ProbeType {
  return Object.hasOwn(probeTypes, name);
}

/** True if a string names anything that agents measure. */
export function isMeasurementType(name: string): name is MeasurementType {
  return Object.hasOwn(measurements, name);
}

/** Common definition of any measurement, for code that treats all types alike. */
export function measurementOf(type: MeasurementType): MeasurementDefinition {
  return measurements[type];
}

/** The definition of any type, for code that treats all types alike. */
export function definitionOf(type: ProbeType): ProbeTypeDefinition {
  return probeTypes[type];
}
