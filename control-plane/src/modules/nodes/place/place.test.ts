import t from 'tap';
import { confirmationBasis, type DeclaredPlace, differingFields, judgePlace } from './place.js';

const nothing: DeclaredPlace = { country: null, province: null, region: null, city: null, asn: null, provider: null };
const london = {
  country: 'GB',
  province: 'GB-ENG',
  city: 'London',
  latitude: 51.5,
  longitude: -0.1,
  asn: 20712,
  isp: 'Andrews & Arnold Ltd',
  provider: 'Andrews & Arnold Ltd',
};
const berlin = { ...nothing, country: 'DE', province: 'DE-BE', region: 'Western Europe', city: 'Berlin', asn: 3320 };

t.test('without a derived place, the declared place is used', async (t) => {
  t.strictSame(judgePlace({ declared: berlin, derived: null, confirmedAgainst: null }), {
    place: { ...berlin, latitude: null, longitude: null, isp: null },
    source: 'declared',
    isMismatch: false,
  });
});

t.test('the derived place takes precedence over the declared one', async (t) => {
  const { place, source, isMismatch } = judgePlace({ declared: berlin, derived: london, confirmedAgainst: null });
  t.strictSame(place, { ...london, region: 'Northern Europe' });
  t.equal(source, 'derived');
  t.ok(isMismatch);
});

t.test('missing derived fields are taken from the declared place if consistent', async (t) => {
  const of = (declared: Partial<DeclaredPlace>, derived: object) =>
    judgePlace({ declared: { ...nothing, ...declared }, derived, confirmedAgainst: null });
  t.match(of(berlin, { country: 'DE' }).place, { province: 'DE-BE', city: 'Berlin', asn: 3320 });
  t.match(of(berlin, { country: 'DE', province: 'DE-HE' }).place, { province: 'DE-HE', city: null });
  t.match(of(berlin, { country: 'FR' }).place, { province: null, city: null, region: 'Western Europe' });
  const networkOnly = of(berlin, { asn: 3320, isp: 'Telekom', provider: 'Telekom' });
  t.match(networkOnly, { place: { country: 'DE', city: 'Berlin', isp: 'Telekom' }, source: 'declared' });
  t.equal(of({ provider: 'Hetzner' }, { asn: 1, provider: 'Hetzner Online GmbH' }).place.provider, 'Hetzner');
  t.equal(of({ provider: 'Het' }, { asn: 1, provider: 'Hetzner Online GmbH' }).place.provider, 'Hetzner Online GmbH');
});

t.test('another country, province or network contradicts; another city or a missing field does not', async (t) => {
  t.strictSame(differingFields(berlin, london), ['country', 'province', 'asn']);
  t.strictSame(differingFields({ ...nothing, country: 'GB', city: 'Leeds', provider: 'x' }, london), []);
  t.strictSame(differingFields(nothing, london), []);
  t.strictSame(differingFields(berlin, null), []);
});

t.test('a confirmation holds until the address moves to another country or network', async (t) => {
  const confirmedAgainst = confirmationBasis(london);
  const now = (derived: object) => judgePlace({ declared: berlin, derived, confirmedAgainst });
  t.match(now(london), {
    place: { country: 'DE', city: 'Berlin', asn: 3320, region: 'Western Europe', latitude: null, isp: null },
    source: 'confirmed',
    isMismatch: false,
  });
  t.equal(now({ ...london, city: 'Leeds' }).source, 'confirmed');
  t.match(now({ ...london, country: 'FR' }), { source: 'derived', isMismatch: true, place: { country: 'FR' } });
  t.match(now({ ...london, asn: 1 }), { source: 'derived', isMismatch: true });
  const partly = judgePlace({ declared: { ...nothing, asn: 1 }, derived: london, confirmedAgainst });
  t.match(partly.place, { country: 'GB', city: 'London', asn: 1, isp: null });
});
