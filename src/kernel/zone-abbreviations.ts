/**
 * Abbreviations people write for zones that Intl's English shows as `GMT+1`, as the IANA database has them today.
 *
 * Looked up by zone and offset, so that a zone which once kept another offset has none for it.
 */

/**
 * Letters alone: capitals, but for `ChST`. What Intl writes where English has no abbreviation (`GMT-3`) does not count.
 */
export const ABBREVIATION_FORM = /^[A-Z][A-Za-z][A-Z]{1,3}$/;

/**
 * Offsets in minutes east of UTC. If the database renamed a zone, both names are here: engines differ in which they
 * report.
 */
const GROUPS: readonly { zones: string; names: Readonly<Record<number, string>> }[] = [
  {
    zones:
      'Arctic/Longyearbyen Africa/Ceuta Europe/Amsterdam Europe/Andorra Europe/Belgrade Europe/Berlin Europe/Bratislava ' +
      'Europe/Brussels Europe/Budapest Europe/Busingen Europe/Copenhagen Europe/Gibraltar Europe/Ljubljana ' +
      'Europe/Luxembourg Europe/Madrid Europe/Malta Europe/Monaco Europe/Oslo Europe/Paris Europe/Podgorica ' +
      'Europe/Prague Europe/Rome Europe/San_Marino Europe/Sarajevo Europe/Skopje Europe/Stockholm Europe/Tirane ' +
      'Europe/Vaduz Europe/Vatican Europe/Vienna Europe/Warsaw Europe/Zagreb Europe/Zurich',
    names: { 60: 'CET', 120: 'CEST' },
  },
  {
    zones:
      'Africa/Cairo Asia/Beirut Asia/Famagusta Asia/Gaza Asia/Hebron Asia/Nicosia Europe/Athens Europe/Bucharest ' +
      'Europe/Chisinau Europe/Helsinki Europe/Kiev Europe/Kyiv Europe/Mariehamn Europe/Riga Europe/Sofia ' +
      'Europe/Tallinn Europe/Vilnius',
    names: { 120: 'EET', 180: 'EEST' },
  },
  {
    zones: 'Atlantic/Canary Atlantic/Faeroe Atlantic/Faroe Atlantic/Madeira Europe/Lisbon',
    names: { 0: 'WET', 60: 'WEST' },
  },
  { zones: 'Europe/Guernsey Europe/Isle_of_Man Europe/Jersey Europe/London', names: { 60: 'BST' } },
  { zones: 'Europe/Dublin', names: { 60: 'IST' } },
  { zones: 'Europe/Kirov Europe/Moscow Europe/Simferopol Europe/Volgograd', names: { 180: 'MSK' } },
  { zones: 'Africa/Algiers Africa/Tunis', names: { 60: 'CET' } },
  { zones: 'Africa/Tripoli Europe/Kaliningrad', names: { 120: 'EET' } },
  {
    zones:
      'Africa/Bangui Africa/Brazzaville Africa/Douala Africa/Kinshasa Africa/Lagos Africa/Libreville Africa/Luanda ' +
      'Africa/Malabo Africa/Ndjamena Africa/Niamey Africa/Porto-Novo',
    names: { 60: 'WAT' },
  },
  {
    zones:
      'Africa/Blantyre Africa/Bujumbura Africa/Gaborone Africa/Harare Africa/Juba Africa/Khartoum Africa/Kigali ' +
      'Africa/Lubumbashi Africa/Lusaka Africa/Maputo Africa/Windhoek',
    names: { 120: 'CAT' },
  },
  {
    zones:
      'Africa/Addis_Ababa Africa/Asmara Africa/Asmera Africa/Dar_es_Salaam Africa/Djibouti Africa/Kampala ' +
      'Africa/Mogadishu Africa/Nairobi Indian/Antananarivo Indian/Comoro Indian/Mayotte',
    names: { 180: 'EAT' },
  },
  { zones: 'Africa/Johannesburg Africa/Maseru Africa/Mbabane', names: { 120: 'SAST' } },
  { zones: 'Asia/Calcutta Asia/Kolkata', names: { 330: 'IST' } },
  { zones: 'Asia/Karachi', names: { 300: 'PKT' } },
  { zones: 'Asia/Jerusalem', names: { 120: 'IST', 180: 'IDT' } },
  { zones: 'Asia/Macau Asia/Shanghai Asia/Taipei', names: { 480: 'CST' } },
  { zones: 'Asia/Hong_Kong', names: { 480: 'HKT' } },
  { zones: 'Asia/Manila', names: { 480: 'PST' } },
  { zones: 'Asia/Jakarta Asia/Pontianak', names: { 420: 'WIB' } },
  { zones: 'Asia/Makassar', names: { 480: 'WITA' } },
  { zones: 'Asia/Jayapura', names: { 540: 'WIT' } },
  { zones: 'Asia/Tokyo', names: { 540: 'JST' } },
  { zones: 'Asia/Pyongyang Asia/Seoul', names: { 540: 'KST' } },
  {
    zones: 'Antarctica/Macquarie Australia/Hobart Australia/Melbourne Australia/Sydney',
    names: { 600: 'AEST', 660: 'AEDT' },
  },
  { zones: 'Australia/Brisbane Australia/Lindeman', names: { 600: 'AEST' } },
  { zones: 'Australia/Adelaide Australia/Broken_Hill', names: { 570: 'ACST', 630: 'ACDT' } },
  { zones: 'Australia/Darwin', names: { 570: 'ACST' } },
  { zones: 'Australia/Perth', names: { 480: 'AWST' } },
  { zones: 'Antarctica/McMurdo Pacific/Auckland', names: { 720: 'NZST', 780: 'NZDT' } },
  { zones: 'Pacific/Guam Pacific/Saipan', names: { 600: 'ChST' } },
  { zones: 'Pacific/Midway Pacific/Pago_Pago', names: { [-660]: 'SST' } },
  { zones: 'America/Adak', names: { [-600]: 'HST', [-540]: 'HDT' } },
  { zones: 'America/Dawson America/Hermosillo America/Mazatlan America/Whitehorse', names: { [-420]: 'MST' } },
  { zones: 'America/Havana', names: { [-300]: 'CST', [-240]: 'CDT' } },
  { zones: 'America/St_Johns', names: { [-210]: 'NST', [-150]: 'NDT' } },
];

/** Those that Intl's English has itself, and the names of UTC. Offsets in minutes east of UTC. */
const OF_INTL: Readonly<Record<string, number>> = {
  UTC: 0,
  GMT: 0,
  EST: -300,
  EDT: -240,
  CST: -360,
  CDT: -300,
  MST: -420,
  MDT: -360,
  PST: -480,
  PDT: -420,
  AKST: -540,
  AKDT: -480,
  HST: -600,
  HDT: -540,
  AST: -240,
  ADT: -180,
};

const NAMES_BY_ZONE = new Map(GROUPS.flatMap(({ zones, names }) => zones.split(' ').map((zone) => [zone, names])));

const KNOWN = new Set([
  ...Object.entries(OF_INTL).map(([name, offsetMinutes]) => `${name} ${offsetMinutes}`),
  ...GROUPS.flatMap(({ names }) => Object.entries(names).map(([offsetMinutes, name]) => `${name} ${offsetMinutes}`)),
]);

/** Whether any zone's clock has this abbreviation at this offset: `CST` at -360, and at 480. */
export const isAbbreviationAt = (text: string, offsetMinutes: number): boolean => KNOWN.has(`${text} ${offsetMinutes}`);

/** @returns the customary abbreviation, or undefined where Intl's own is as good as any. */
export function customaryAbbreviation(zone: string, offsetMinutes: number): string | undefined {
  return NAMES_BY_ZONE.get(zone)?.[offsetMinutes];
}
