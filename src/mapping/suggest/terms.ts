/**
 * What partners call things, in English, German, French and Spanish: columns, totals, statuses, zones. Data only;
 * `names.ts` brings both sides into one form, and `match.ts` compares them.
 *
 * `says`: names that mean just this. `hints`: names that often mean it. `never`: words that make it something else.
 */
import { EVENT_ROLES } from './event-terms.ts';
import { ORDER_ROLES } from './order-terms.ts';

export const ROLES = { ...EVENT_ROLES, ...ORDER_ROLES } satisfies Record<
  string,
  { about: string; says: string; hints: string; never: string }
>;

export type RoleName = keyof typeof ROLES;

/** Names of numbers that some partners use in place of the role's own: proposed, and marked as unsure. */
export const WEAK_NAMES: Partial<Record<RoleName, string>> = {
  loadNumber:
    'order number; reference number; reference; bol number; bill of lading; lieferschein; lieferung; tracking number; tracking id; waybill; trip number; trip; tour; tournummer; fahrt; auftragsnummer; speditionsauftrag; numero de voyage; viaje; movement number; job number; inquiry number; pin',
};

/** Cells in a row of totals under a table. */
export const TOTALS: readonly string[] = [
  'total',
  'totals',
  'grand total',
  'sum',
  'summe',
  'gesamt',
  'gesamtsumme',
  'somme',
  'suma',
  'totales',
  'total general',
];

/** Further words of status, by code of X12 element 1650: those that the shipped list of carrier words lacks. */
export const STATUS_TERMS: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'D1',
    [
      'zugestellt',
      'ausgeliefert',
      'geliefert',
      'abgeliefert',
      'entladen',
      'livre',
      'livree',
      'entregado',
      'entregada',
      'descargado',
      'decharge',
      'delivered to consignee',
      'completed unloading',
      'unloading completed',
    ],
  ],
  [
    'X1',
    [
      'ankunft entladestelle',
      'ankunft empfaenger',
      'angekommen entladestelle',
      'arrivee destinataire',
      'arrivee livraison',
      'llegada destino',
      'arrived at destination',
      'arrived at consignee',
      'arrived destination',
      'ankunft zustellung',
      'arrived at drop',
    ],
  ],
  [
    'X3',
    [
      'ankunft ladestelle',
      'ankunft beladestelle',
      'ankunft abholung',
      'arrivee chargement',
      'llegada origen',
      'llegada a recogida',
      'arrived at shipper',
      'arrived at origin',
      'arrived pickup location',
      'arrived at pickup location',
    ],
  ],
  [
    'AF',
    [
      'abgeholt',
      'uebernommen',
      'abfahrt ladestelle',
      'abfahrt beladestelle',
      'enleve',
      'depart chargement',
      'ramasse',
      'recogido',
      'salida origen',
      'picked up',
      'pickup completed',
      'pickup scan',
      'departed shipper',
      'departed origin',
      'departed pickup location',
    ],
  ],
  ['CP', ['beladen', 'verladen', 'charge', 'cargado', 'beladung beendet', 'loading complete', 'completed loading']],
  ['L1', ['beladung', 'beladung begonnen', 'chargement', 'cargando', 'loading started']],
  [
    'X6',
    [
      'unterwegs',
      'en transit',
      'en cours',
      'en transito',
      'en camino',
      'in transport',
      'on the way',
      'en route to delivery',
      'out for delivery',
      'out for delivery today',
      'in zustellung',
      'auf zustellung',
      'in auslieferung',
      'auf tour',
      'en reparto',
      'en cours de livraison',
    ],
  ],
  [
    'CD',
    [
      'abfahrt entladestelle',
      'abfahrt empfaenger',
      'depart livraison',
      'salida destino',
      'departed consignee',
      'departed destination',
      'departed delivery location',
    ],
  ],
  ['SD', ['verspaetet', 'verspaetung', 'retarde', 'retard', 'retrasado', 'shipment delayed', 'late']],
  ['A7', ['annahme verweigert', 'verweigert', 'refuse', 'rechazado', 'refused by consignee', 'delivery refused']],
  ['A9', ['beschaedigt', 'endommage', 'danado', 'shipment damaged']],
  [
    'AP',
    [
      'nicht zugestellt',
      'nicht angetroffen',
      'non livre',
      'no entregado',
      'not delivered',
      'delivery failed',
      'unsuccessful delivery',
    ],
  ],
  [
    'AH',
    ['zustellversuch', 'tentative de livraison', 'intento de entrega', 'attempted delivery', 'delivery attempted'],
  ],
  ['CA', ['storniert', 'annule', 'cancelado', 'anulado']],
  [
    'X4',
    [
      'ankunft terminal',
      'ankunft depot',
      'ankunft umschlag',
      'im eingang',
      'eingang depot',
      'eingang umschlag',
      'arrivee terminal',
      'llegada terminal',
      'arrived at depot',
      'arrived at hub',
      'arrival scan',
      'arrived at facility',
    ],
  ],
  [
    'P1',
    [
      'abfahrt terminal',
      'abfahrt depot',
      'depart terminal',
      'salida terminal',
      'departed from terminal',
      'departed hub',
      'departure scan',
      'departed from facility',
      'departed facility',
    ],
  ],
]);

/** Abbreviations of zones beyond those of the shipped list, with the offset they mean. */
export const ZONE_TERMS: ReadonlyMap<string, string> = new Map([
  ['CET', 'CET+01:00'],
  ['CEST', 'CEST+02:00'],
  ['MEZ', 'CET+01:00'],
  ['MESZ', 'CEST+02:00'],
  ['WET', 'WET+00:00'],
  ['WEST', 'WEST+01:00'],
  ['EET', 'EET+02:00'],
  ['EEST', 'EEST+03:00'],
  ['HEC', 'CET+01:00'],
]);
