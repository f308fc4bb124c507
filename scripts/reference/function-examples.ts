/** What each key of a field does to cells: `field`: `cell` → `value`. A test runs every line. */

/** By key, in the order in which a field applies them. */
export const FUNCTION_EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  from: [
    '`from: City`: `Joliet` → `Joliet`',
    '`from: [City, State]`: `Joliet`, `IL` → `Joliet IL`; `Joliet`, empty → `Joliet`',
  ],
  join: ['`from: [{ const: LD }, Load], join: "-"`: `44` → `LD-44`; empty → nothing'],
  firstOf: ['`firstOf: [Actual, Planned]`: empty, `9:00` → `9:00`; `8:50`, `9:00` → `8:50`'],
  template: ['`template: "{Load #}-{Stop}"`: `44`, `2` → `44-2`; `44`, empty → `44-`'],
  const: ['`const: X3`: empty → `X3`'],
  when: ['`from: City, when: { field: Kind, equals: stop }`: `Joliet`, `stop` → `Joliet`; `Joliet`, `home` → nothing'],
  optional: ['`from: City, optional: true, default: unknown`: empty → `unknown`'],

  trim: ['`trim: true`: `" x "` → `x`', '`trim: false`: `" x "` → `" x "`'],
  capture: [
    '`capture: { pattern: "PRO[ :]*([0-9]+)" }`: `seal 8, PRO: 7744` → `7744`; `seal 8` → error `pattern_not_found`',
    '`capture: { pattern: "[A-Z]{2}[0-9]+", group: 0, onMiss: empty }`: `box TR210` → `TR210`; `box` → nothing',
  ],
  substring: [
    '`substring: { from: 1, length: 4 }`: `LD-4410` → `LD-4`',
    '`substring: { from: -4 }`: `LD-4410` → `4410`',
  ],
  replace: ['`replace: [{ find: "-", with: "" }, { find: LD, with: L }]`: `LD-44-10` → `L4410`'],
  upper: ['`upper: true`: `il` → `IL`'],
  lower: ['`lower: true`: `A@B.COM` → `a@b.com`'],
  pad: [
    '`pad: { to: 8, with: "0", side: left }`: `4410` → `00004410`',
    '`pad: { to: 6, with: X, side: right }`: `44` → `44XXXX`',
  ],
  lookup: [
    '`lookup: carrier-status-words`: `arrived  PICKUP` → `X3`; `Lost` → error `code_unknown`',
    '`lookup: [carrier-status-words, x12-status-codes]`: `Delivered` → `D1`; `AF` → `AF`',
  ],
  reverse: ['`lookup: delivery-types, reverse: true`: `THRESHOLD` → `Threshold`; `CURBSIDE` → `Curbside`'],
  onMiss: [
    '`lookup: us-time-zones, onMiss: keep`: `America/Boise` → `America/Boise`',
    '`lookup: us-time-zones, onMiss: empty`: `Mars` → nothing',
  ],
  enrich: [
    '`enrich: { vehicle: vin }`: `4711` → `1X9TR10AXKX300100`; `4799` → error `look_up_missing`; empty → nothing',
    '`enrich: { vehicle: licensePlate }`: `4714` → error `look_up_silent`',
    '`enrich: { vehicle: vin, by: licensePlate }`: `ga04100` → `1X9TR10AXKX300100`; `FL04137` → error `look_up_ambiguous`',
    '`enrich: { vehicle: vehicleNumber, by: vin }`: `1X9TR11A8LX300113` → `4712`',
    '`enrich: { vehicle: licensePlate, by: vehicleNumber }`: `4712` → `FL04137`',
    '`enrich: { vehicle: vin, onMiss: keep }`: `4799` → `4799`',
    '`enrich: { vehicle: vin, by: licensePlate, onMiss: empty }`: `FL04137` → nothing',
    '`enrich: { location: city }`: `1003` → `Chicago`',
    '`enrich: { location: state }`: `1003` → `IL`',
    '`enrich: { location: postalCode }`: `1003` → `60607`',
    '`enrich: { location: country }`: `1003` → `US`',
    '`enrich: { location: line1 }`: `1003` → `130 Depot Road`',
    '`enrich: { location: name }`: `1003` → `Chicago Service Center`',
    '`enrich: { location: timeZone }`: `1003` → `America/Chicago`',
    '`latitude: { from: Site, enrich: { location: latitude } }`: `1003` → `41.87`',
    '`longitude: { from: Site, enrich: { location: longitude } }`: `1003` → `-87.65`',
  ],
  default: ['`default: NS`: empty → `NS`; `AO` → `AO`'],

  as: [
    '`as: text`: `Ring twice` → `Ring twice`',
    '`as: integer`: `007` → `7`; `-3` → `-3`; `2.0` → error `not_a_whole_number`',
    '`as: number`: `12.50` → `12.5`; `twelve` → error `not_a_number`',
    '`as: boolean`: `Yes` → `true`; `0` → `false`; `maybe` → error `not_a_boolean`',
    '`as: date, parse: "d.M.yyyy"`: `9.3.2026` → `2026-03-09`',
    '`as: dateTime, parse: iso`: `2026-03-09T08:00:00Z` → `2026-03-09T08:00:00.0000000+00:00`',
  ],
  decimal: ['`as: number, decimal: ","`: `3,5` → `3.5`; `3.5` → error `decimal_mark_wrong`'],
  thousands: [
    '`as: integer, thousands: ","`: `120,345` → `120345`; `120345` → `120345`; `1,20,345` → error `thousands_mark_wrong`',
    '`as: number, decimal: ",", thousands: "."`: `1.234,5` → `1234.5`',
    '`as: integer, thousands: " "`: `120 345` → `120345`',
    '`as: integer, thousands: "\'"`: `120\'345` → `120345`',
  ],
  unit: [
    '`as: number, unit: { from: lb, to: kg }`: `110` → `49.8951607`',
    '`from: Weight, as: number, unit: { from: { column: Unit }, to: kg }`: `2`, `Lbs.` → `0.90718474`; `2`, `kg` → `2`; `2`, `box` → error `unit_unknown`',
  ],
  round: [
    '`as: number, round: 2`: `1.005` → `1.01`; `-2.345` → `-2.35`',
    '`as: integer, unit: { from: km, to: mi }, round: 0`: `193700` → `120360`',
  ],

  form: [
    '`longitude: { from: [Lon, Side], join: "", form: decimal }`: `88.08`, `W` → `-88.08`',
    '`longitude: { from: Lon, form: DDDMMSS }`: `0880448W` → `-88.08`; `0880448` → error `coordinate_invalid`',
    '`longitude: { from: Lon, form: byDigits }`: `0880448W` → `-88.08`; `88.08 W` → `-88.08`; `88.08` → error `coordinate_invalid`',
  ],
  hemisphere: [
    '`longitude: { from: Lon, form: byDigits, hemisphere: W }`: `0880448` → `-88.08`; `88.08E` → `88.08`',
    '`longitude: { from: Lon, hemisphere: E }`: `8.08` → `8.08`',
    '`latitude: { from: Lat, hemisphere: N }`: `41.525` → `41.525`',
    '`latitude: { from: Lat, hemisphere: S }`: `41.525` → `-41.525`',
  ],

  parse: [
    '`as: dateTime, parse: "M/d/yyyy h:mm a[ XXX]", zone: { const: America/Chicago }`: `3/2/2026 8:15 PM` → `2026-03-02T20:15:00.0000000-06:00`; `3/2/2026 8:15 PM +01:00` → `2026-03-02T20:15:00.0000000+01:00`; `2026-03-02` → error `bad_date`',
    '`as: dateTime, parse: [iso, epochSeconds], zone: { const: UTC }`: `2026-03-02T08:15:00.25-06:00` → `2026-03-02T08:15:00.2500000-06:00`; `1772460900` → `2026-03-02T14:15:00.0000000+00:00`',
    '`from: At, as: date, parse: { from: Form, lookup: edifact-date-forms, default: "yyyyMMdd" }`: `202603020815`, `203` → `2026-03-02`; `20260302`, empty → `2026-03-02`; `20260302`, `203` → error `bad_date`; `202603`, `610` → error `code_unknown`',
  ],
  zone: [
    '`from: At, as: dateTime, parse: "yyyyMMddHHmm", zone: { from: TZ, lookup: us-time-zones }`: `202603020815`, `MT` → `2026-03-02T08:15:00.0000000-07:00`; `202603020815`, `XT` → error `code_unknown`; `202603020815`, empty → error `time_zone_missing`',
  ],
  gap: [
    '`as: dateTime, parse: iso, zone: { const: America/Chicago }, gap: earlier`: `2026-03-08T02:30:00` → `2026-03-08T01:30:00.0000000-06:00`',
    '`as: dateTime, parse: iso, zone: { const: America/Chicago }, gap: later`: `2026-03-08T02:30:00` → `2026-03-08T03:30:00.0000000-05:00`',
  ],
  overlap: [
    '`as: dateTime, parse: iso, zone: { const: America/Chicago }, overlap: earlier`: `2026-11-01T01:30:00` → `2026-11-01T01:30:00.0000000-05:00`',
    '`as: dateTime, parse: iso, zone: { const: America/Chicago }, overlap: later`: `2026-11-01T01:30:00` → `2026-11-01T01:30:00.0000000-06:00`',
  ],
};

/** What conditions ask, by key. */
export const CONDITION_EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  in: ['`when: { field: Value, in: [X, Y] }`: `X` → `X`; `Z` → nothing'],
  notIn: ['`when: { field: Value, notIn: [X, Y] }`: `Z` → `Z`; `X` → nothing'],
  equals: ['`when: { field: Value, equals: X }`: `X` → `X`; `x` → nothing'],
  empty: ['`from: City, when: { field: Void, empty: true }`: `Joliet`, empty → `Joliet`; `Joliet`, `Y` → nothing'],
  all: ['`when: { all: [{ field: Value, notIn: [X] }, { field: Value, notIn: [Y] }] }`: `Z` → `Z`; `Y` → nothing'],
  any: ['`when: { any: [{ field: Value, equals: X }, { field: Value, equals: Y }] }`: `Y` → `Y`; `Z` → nothing'],
  not: ['`when: { not: { field: Value, equals: X } }`: `Y` → `Y`; `X` → nothing'],
};
