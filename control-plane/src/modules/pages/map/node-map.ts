import type { Locale } from '../../../http/locale.js';
import { type Html, html } from '../../../http/pages/html.js';
import { COUNTRY_POINTS } from './country-points.js';
import { LAND } from './land.js';
import { MAP_HEIGHT, MAP_WIDTH, project } from './projection.js';

/** Public node, as the pages show it. */
export interface PageNode {
  readonly country: string | null;
  readonly city: string | null;
  readonly asn: number | null;
  readonly isOnline: boolean;
}

export interface CountryNodes {
  /** ISO 3166-1 alpha-2; null if unknown. */
  readonly country: string | null;
  readonly name: string;
  readonly online: number;
  readonly total: number;
}

const unknown: Readonly<Record<Locale, string>> = { en: 'unknown place', 'zh-CN': '未知位置', 'zh-TW': '未知位置' };

/** Name of a country in a language. */
export function countryName(code: string | null, locale: Locale): string {
  if (code === null) return unknown[locale];
  return new Intl.DisplayNames([locale], { type: 'region', fallback: 'code' }).of(code) ?? code;
}

/** Nodes by country, those with the most online nodes first. */
export function byCountry(nodes: readonly PageNode[], locale: Locale): CountryNodes[] {
  const codes = [...new Set(nodes.map(({ country }) => country))];
  const counted = codes.map((country) => {
    const there = nodes.filter((node) => node.country === country);
    const online = there.filter(({ isOnline }) => isOnline).length;
    return { country, name: countryName(country, locale), online, total: there.length };
  });
  return counted.sort((a, b) => b.online - a.online || b.total - a.total || a.name.localeCompare(b.name, locale));
}

/** Map with a point in each country that has nodes, larger where there are more; hollow where none is online. */
export function nodeMap(countries: readonly CountryNodes[], label: string): Html {
  const points = countries.flatMap((counted) => {
    const place = counted.country === null ? undefined : COUNTRY_POINTS[counted.country];
    return place === undefined ? [] : [circle(counted, place)];
  });
  return html`<svg class="map" viewBox="0 0 ${MAP_WIDTH} ${MAP_HEIGHT}" role="img" aria-label="${label}"><path class="land" d="${LAND}"/>${points}</svg>`;
}

function circle({ name, online, total }: CountryNodes, [latitude, longitude]: readonly [number, number]): Html {
  const { x, y } = project(latitude, longitude);
  const radius = (5 + 2.5 * Math.sqrt(Math.max(online, 1))).toFixed(1);
  return html`<circle class="${online > 0 ? 'online' : 'offline'}" cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${radius}"><title>${name}: ${online}/${total}</title></circle>`;
}
