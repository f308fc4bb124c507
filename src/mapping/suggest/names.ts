/**
 * Names of columns brought into one form, so that `Load #`, `load_no`, `LoadNumber` and `Ladungsnr.` can be compared
 * with the words of `terms.ts`. Pure.
 */

const UMLAUTS: ReadonlyMap<string, string> = new Map([
  ['ä', 'ae'],
  ['ö', 'oe'],
  ['ü', 'ue'],
  ['ß', 'ss'],
  ['ø', 'o'],
  ['œ', 'oe'],
]);

/** Short forms and endings of one word in four languages. */
const SAME: ReadonlyMap<string, string> = new Map(
  [
    ['number', 'no nr num nbr nummer numero number numer'],
    ['date', 'date dt datum fecha dates'],
    ['time', 'time tm zeit uhrzeit heure hora'],
    ['latitude', 'latitude lat breite breitengrad latitud'],
    ['longitude', 'longitude lon lng long laenge laengengrad longitud'],
    ['quantity', 'quantity qty menge anzahl quantite cantidad qte cant'],
    ['weight', 'weight wt gewicht poids peso wgt'],
    ['reference', 'reference ref referenz referencia refnumber'],
    ['code', 'code cd kode codigo kuerzel'],
    ['id', 'id ident identifier'],
    ['address', 'address adresse addr direccion anschrift'],
    ['street', 'street strasse str rue calle'],
    ['city', 'city ort stadt ville ciudad town poblacion'],
    ['status', 'status statut estado stat'],
    ['shipment', 'shipment shpt shp sendung expedition envio'],
    ['order', 'order ord auftrag bestellung commande pedido'],
    [
      'delivery',
      'delivery dlvry dlv del lieferung zustellung ablieferung livraison entrega anlieferung liefer zustell',
    ],
    ['pickup', 'pickup abholung ladestelle enlevement recogida abhol'],
    ['arrival', 'arrival ankunft arrivee llegada arr'],
    ['departure', 'departure abfahrt depart salida dep'],
    ['name', 'name nom nombre'],
    ['zone', 'zone tz timezone zeitzone'],
    ['event', 'event ereignis evenement evento'],
    ['reason', 'reason grund motif motivo ursache rsn'],
    ['postal', 'postal postcode plz zip zipcode postleitzahl'],
    ['vehicle', 'vehicle fahrzeug vehicule vehiculo lkw camion truck tractor'],
    ['trailer', 'trailer anhaenger auflieger remorque remolque trl'],
    ['temperature', 'temperature temp temperatur temperatura'],
    ['carrier', 'carrier spediteur frachtfuehrer transporteur transportista'],
    ['stop', 'stop halt stopp arret parada'],
    ['sequence', 'sequence seq folge reihenfolge'],
  ].flatMap(([word = '', forms = '']) => forms.split(' ').map((form) => [form, word] as const)),
);

/** Words at the end of a compound: `Sendungsnummer`, `Ankunftszeit`. */
const COMPOUND_ENDS = [
  'nummer',
  'number',
  'nr',
  'datum',
  'date',
  'zeit',
  'time',
  'ort',
  'code',
  'id',
  'status',
  'name',
  'referenz',
  'gewicht',
];
/** Shortest word before such an end. */
const COMPOUND_STEM_MIN = 3;

const plainText = (text: string): string =>
  text
    .replace(/[äöüßøœ]/g, (letter) => UMLAUTS.get(letter) ?? letter)
    .normalize('NFD')
    .replace(/\p{M}/gu, '');

/** `orderRef` and `LOADNumber` are two words each. */
const withBlanks = (text: string): string =>
  text.replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2').replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2');

function compound(word: string): string[] {
  for (const end of COMPOUND_ENDS) {
    const stem = word.slice(0, -end.length);
    if (!word.endsWith(end) || stem.length < COMPOUND_STEM_MIN) continue;
    const known = SAME.get(word);
    if (known !== undefined) return [known];
    // Between two German words there is often an s: Sendung-s-nummer.
    const bare = SAME.has(stem) ? stem : stem.endsWith('s') ? stem.slice(0, -1) : stem;
    if (!SAME.has(bare) && end === 'id') return [word]; // "paid", "valid"
    return [...compound(bare), SAME.get(end) ?? end];
  }
  return [SAME.get(word) ?? word];
}

/** @returns the words of a name, in order, each in its common form. */
export function nameTerms(name: string): string[] {
  const spaced = plainText(withBlanks(name).toLowerCase())
    .replaceAll('#', ' number ')
    .replace(/\bp\.?\s*o\.?\b/g, 'po')
    .replace(/\bb\s*\/\s*l\b/g, 'bol')
    .replace(/\be-mail\b/g, 'email')
    .replace(/\bpick[\s_-]?up\b/g, 'pickup')
    .replace(/\btime[\s_-]?zone\b/g, 'timezone')
    .replace(/\btime[\s_-]?stamp\b/g, 'timestamp');
  return spaced
    .split(/[^\p{L}\p{N}°%]+/u)
    .filter(Boolean)
    .flatMap(compound);
}

export const normalName = (name: string): string => nameTerms(name).join(' ');
