/**
 * What partners call their columns, in English, German, French and Spanish: the one table of such words. Data only;
 * `names.ts` brings both sides into one form, and `match.ts` compares them.
 *
 * `says`: names that mean just this. `hints`: names that often mean it. `never`: words that make it something else.
 */

export const ROLES = {
  loadNumber: {
    about: 'load number',
    says: 'load number; load; load id; load reference; load ref number; ladung; ladungsnummer; ladenummer; ladungs id; numero de charge; charge; numero de carga; carga; load no; bridge load number',
    hints:
      'shipment number; shipment; shipment id; sendung; sendungsnummer; sendungs id; lieferung; expedition; numero expedition; envio; numero envio; consignment; consignment number; freight order; transport number; transportnummer; transport; trip number; trip; tour; tournummer; fahrt; auftragsnummer; speditionsauftrag; numero de voyage; viaje; dispatch number; movement number; job number; order number; reference number; bol number; lieferschein; shipment reference; shipment identification number; shipmentid; tracking number; waybill; ladelistennummer',
    never: 'date time status type weight stop city state name count quantity planned customer cost loading',
  },
  orderRef: {
    about: 'order reference',
    says: 'order number; order; order id; order reference; sales order; sales order number; auftragsnummer; auftrag; bestellnummer; bestellung; kundenauftrag; numero de commande; commande; numero de pedido; pedido; delivery order; order ref',
    hints: 'po number; reference number; belegnummer; purchase order; document number; so number; shipment number',
    never: 'date time status type line position quantity customer',
  },
  status: {
    about: 'status of the event',
    says: 'status; status code; event code; event; event type; event status; milestone; milestone code; shipment status; load status; statuscode; ereignis; ereigniscode; ereignisart; sendungsstatus; statut; code statut; evenement; code evenement; estado; codigo de estado; evento; codigo de evento; activity; activity code; status type; scan code; scan type; current status; delivery status; tracking status; event name; status text; statustext; status description; status name; event description',
    hints:
      'description; beschreibung; remark; type; action; message; state code; libelle; descripcion; bezeichnung; status event',
    never: 'date time reason city reference number weight zone item product goods',
  },
  reason: {
    about: 'reason of the event',
    says: 'reason; reason code; status reason; cause; delay reason; delay code; exception; exception code; exception reason; grund; grundcode; ursache; verspaetungsgrund; motif; motivo; code motif; event reason; reason description; incidencia',
    hints: 'comment; remark; bemerkung',
    never: 'date time',
  },
  dateTime: {
    about: 'date and time of the event',
    says: 'date time; datetime; timestamp; event date time; event timestamp; event time; event datetime; status date time; status timestamp; status time; occurred at; occurred; event at; zeitstempel; zeitpunkt; ereigniszeit; ereigniszeitpunkt; ereignis datum; statuszeit; statuszeitpunkt; datum uhrzeit; datum zeit; horodatage; date heure; fecha hora; fecha y hora; when; recorded at; reported at; event utc; gps time; fix time; position time; at; time utc; timestamp utc; date evenement; fecha evento',
    hints:
      'actual time; actual date time; scan time; update time; actual arrival; arrival time; ankunft; ankunftszeit; actual; reported; last update; updated at; date and time; measured at; actual departure; departure time; arrival; departure; heure d arrivee; llegada; created at; ist zeit',
    never:
      'planned plan scheduled schedule estimated eta etd requested promised expected soll due birth zone plan geplant appointment prevu prevista previsto offset',
  },
  date: {
    about: 'date of the event',
    says: 'date; event date; status date; datum; ereignisdatum; statusdatum; event day; date evenement; date statut; fecha; fecha evento; fecha estado; actual date; occurred date; tag; ist datum',
    hints:
      'scan date; activity date; delivery date; arrival date; pickup date; ankunftsdatum; zustelldatum; lieferdatum; abholdatum; date de livraison; fecha de entrega; report date; ship date; posting date; created date; departure date; gmtdate; activity local date; date livraison',
    never:
      'planned plan scheduled schedule estimated eta etd requested promised expected soll due birth geplant order print invoice rechnung bestell appointment time wunsch prevue prevista',
  },
  time: {
    about: 'time of the event',
    says: 'time; event time; status time; uhrzeit; zeit; ereigniszeit; statuszeit; heure; heure evenement; heure statut; hora; hora evento; actual time; occurred time; time of day; ist zeit; ist uhrzeit',
    hints:
      'scan time; activity time; delivery time; arrival time; pickup time; ankunftszeit; zustellzeit; lieferzeit; abholzeit; report time; gmttime; heure livraison; hora de entrega',
    never:
      'planned plan scheduled schedule estimated eta etd requested promised expected soll due geplant zone date appointment window stamp prevue prevista wait',
  },
  zone: {
    about: 'time zone',
    says: 'time zone; tz; zone; timezone; time zone code; zeitzone; fuseau; fuseau horaire; zona horaria; utc offset; gmt offset; tz offset; offset; time zone offset; huso horario; time code',
    hints: '',
    never: 'delivery tariff price postal',
  },
  city: {
    about: 'city of the event',
    says: 'city; event city; status city; location city; ort; stadt; ville; ciudad; town; city name; current city; stop city; poblacion; ereignisort',
    hints:
      'location; place; location name; standort; lieu; lugar; position; place name; ortsname; destination city; delivery city; empfangsort; locality; event location; station; terminal',
    never: 'state code zip postal id origin',
  },
  state: {
    about: 'state or province of the event',
    says: 'state; event state; state code; st; province; prov; state province; state or province; region; bundesland; provincia; location state; stop state; state abbreviation; state province code; etat; region code',
    hints: 'destination state; delivery state',
    never: 'origin estado',
  },
  stop: {
    about: 'sequence of the stop',
    says: 'stop; stop number; stop sequence; stop seq; stop sequence number; stop no; stopsequence; stopp; stoppnummer; haltnummer; arret; numero arret; parada; numero parada; sequence; sequence number; stop order; reihenfolge',
    hints: 'leg; position',
    never: 'city name id type date time state reason',
  },
  pro: {
    about: 'PRO number',
    says: 'pro; pro number; pro no; carrier pro; carrier pro number; frachtbriefnummer; carrier reference; carrier reference number; carrier order',
    hints: 'tracking number; tracking; trackingnumber; waybill; airwaybill; frachtbrief',
    never: '',
  },
  bol: {
    about: 'bill of lading',
    says: 'bol; bol number; bill of lading; bill of lading number; b l; lieferscheinnummer; connaissement; conocimiento de embarque; master bol; house bill',
    hints: 'lieferschein; delivery note; delivery note number; bon de livraison; albaran',
    never: '',
  },
  po: {
    about: 'purchase order',
    says: 'po; po number; purchase order; purchase order number; customer po; bestellnummer; numero de commande; orden de compra; kundenbestellnummer; customer order number',
    hints: 'customer order; customer reference; kundenreferenz; reference client; referencia cliente',
    never: 'date line box',
  },
  waybill: {
    about: 'waybill or tracking number',
    says: 'waybill; waybill number; awb; airwaybill; tracking number; tracking; tracking id; tracking code; frachtbrief; frachtbriefnummer; cmr; cmr number; lettre de voiture; barcode; nve; sscc',
    hints: 'package number; packstuecknummer; piece number; colis',
    never: '',
  },
  trailer: {
    about: 'trailer',
    says: 'trailer; trailer number; trailer id; trailer no; auflieger; anhaenger; anhaengernummer; remorque; remolque; trailer unit',
    hints: 'equipment; equipment number; equipment id; container; container number; unit number; container no',
    never: 'type length temperature',
  },
  equipment: {
    about: 'equipment or container',
    says: 'equipment; equipment number; equipment id; container; container number; container id; behaelternummer; conteneur; contenedor',
    hints: 'unit; unit number',
    never: 'type size',
  },
  scac: {
    about: 'carrier code (SCAC)',
    says: 'scac; scac code; carrier scac; carrier code',
    hints: 'carrier; carrier id',
    never: 'name',
  },
  latitude: {
    about: 'latitude',
    says: 'latitude; lat; gps latitude; gps lat; latitud; breitengrad; geo breite; position lat; event latitude; y coordinate',
    hints: 'y; breite',
    never: 'origin destination dest from to',
  },
  longitude: {
    about: 'longitude',
    says: 'longitude; lon; lng; long; gps longitude; gps lon; longitud; laengengrad; geo laenge; position lon; event longitude; x coordinate',
    hints: 'x; laenge',
    never: 'origin destination dest from to',
  },
  odometer: {
    about: 'odometer',
    says: 'odometer; odometer reading; odo; mileage; kilometerstand; km stand; tachostand; compteur; kilometrage; cuentakilometros; kilometraje; odometer km; odometer mi; odometer miles',
    hints: 'km; miles',
    never: 'unit remaining distance',
  },
  temperature: {
    about: 'temperature',
    says: 'temperature; temp; temperatur; reefer temperature; temperature c; temperature f; temp c; temp f; temperature °c; temperature °f; return air; cargo temperature; ladungstemperatur; temperature celsius; temperature fahrenheit; celsius; fahrenheit; temperatura',
    hints: 'setpoint; set temperature',
    never: 'unit min max required soll',
  },
  temperatureUnit: {
    about: 'scale of the temperature',
    says: 'temperature unit; temp unit; temperatureinheit; temperatur einheit; temperature scale; unite temperature; unidad temperatura; temp uom',
    hints: '',
    never: '',
  },
  vin: {
    about: 'vehicle identification number',
    says: 'vin; vin number; vehicle identification number; vehicle vin; fahrgestellnummer; fin; numero de chassis; numero de bastidor; chassis number',
    hints:
      'vehicle id; vehicle; vehicle number; device id; device; unit id; asset id; asset; truck id; truck; tractor; tractor number; unit; fahrzeug; kennzeichen; fahrzeugnummer; license plate; plate; vehicule; vehiculo; matricula; immatriculation; unit number; lkw; device serial',
    never: 'type name driver position stop trailer label',
  },
  lineKind: {
    about: 'kind of record',
    says: 'record type; satzart; rec type; recordkind; record kind; line type',
    hints: '',
    never: '',
  },
  shipperCode: {
    about: 'shipper',
    says: 'shipper; shipper code; shipper id; versender; auftraggeber; client code; customer code; customer number; kundennummer; expediteur; remitente; absender; mandant; seller; store; shipper name',
    hints: 'customer; client; kunde; account; account number; cliente',
    never: 'street city zip postal phone email address order po reference',
  },
  deliveryType: {
    about: 'kind of delivery',
    says: 'service; service level; service type; delivery type; delivery service; lieferart; zustellart; versandart; type de livraison; tipo de entrega; service code; delivery method; shipping method; mode de livraison',
    hints: 'type; product; level',
    never: 'date time product name description',
  },
  requestedDate: {
    about: 'day on which delivery is wanted',
    says: 'requested date; requested delivery date; deliver on; delivery date; wunschtermin; liefertermin; lieferdatum; wunschdatum; wunschlieferdatum; date de livraison; fecha de entrega; required date; due date; promise date; delivery day; date livraison souhaitee; scheduled date; zustelldatum; appointment date; need by; required delivery date; planned delivery date; requested ship date',
    hints: 'date; order date; ship date; datum',
    never: 'created invoice time',
  },
  consigneeName: {
    about: 'name of the consignee',
    says: 'ship to; ship to name; consignee; consignee name; receiver; recipient; receiver name; recipient name; empfaenger; empfaengername; name empfaenger; destinataire; nom destinataire; destinatario; nombre destinatario; customer name; kundenname; deliver to; name; name1; delivery name; nombre; nom',
    hints: 'customer; contact; contact name; kunde; client; cliente; company; firma',
    never: 'street city zip postal phone email code number address id item product file user sender shipper',
  },
  street: {
    about: 'street of the consignee',
    says: 'street; address; address1; address line 1; street address; strasse; strasse hausnummer; anschrift; adresse; rue; direccion; calle; ship to street; ship to address; delivery address; consignee street; consignee address; lieferadresse; street1; domicilio; str',
    hints: 'line1; addr1',
    never: 'email line2 2 sender shipper from city zip postal',
  },
  street2: {
    about: 'second line of the address',
    says: 'address2; address line 2; street2; adresszusatz; complement adresse; apartment; apt; suite; unit apt; direccion 2; zusatz',
    hints: '',
    never: '',
  },
  orderCity: {
    about: 'city of the consignee',
    says: 'city; ship to city; consignee city; delivery city; ort; stadt; ville; ciudad; town; wohnort; lieferort; empfaengerort; poblacion; city name',
    hints: 'locality; place',
    never: 'sender shipper from origin',
  },
  orderState: {
    about: 'state of the consignee',
    says: 'state; ship to state; province; consignee state; delivery state; bundesland; provincia; region; state code; st; prov; state province',
    hints: '',
    never: 'sender shipper from origin',
  },
  postalCode: {
    about: 'postal code of the consignee',
    says: 'zip; zip code; postal code; postcode; plz; postleitzahl; code postal; codigo postal; ship to zip; consignee zip; zipcode; cp; postal; delivery zip; cod postal; lieferplz',
    hints: '',
    never: 'sender shipper from origin',
  },
  country: {
    about: 'country of the consignee',
    says: 'country; country code; ship to country; land; laendercode; laenderkennzeichen; pays; code pays; pais; consignee country; lkz; codigo pais',
    hints: '',
    never: 'sender shipper from origin',
  },
  phone: {
    about: 'telephone of the consignee',
    says: 'phone; phone number; telephone; telefon; telefonnummer; tel; telefono; mobile; handy; contact phone; ship to phone; portable; movil; mobil; consignee phone',
    hints: 'contact',
    never: 'sender shipper',
  },
  email: {
    about: 'e-mail of the consignee',
    says: 'email; email address; mail; mail address; courriel; correo; correo electronico; ship to email; contact email; e mail',
    hints: '',
    never: 'sender shipper',
  },
  instructions: {
    about: 'instructions',
    says: 'instructions; delivery instructions; special instructions; notes; note; comment; comments; remarks; bemerkung; bemerkungen; hinweis; zustellhinweis; lieferhinweis; instrucciones; observaciones; remarques; commentaire; comentarios; notiz; hinweise',
    hints: 'text; remark; message',
    never: '',
  },
  sku: {
    about: 'article',
    says: 'sku; article; article number; item number; item; item code; product; product code; part number; artikel; artikelnummer; material; materialnummer; reference article; code article; articulo; referencia; ean; upc; gtin; product id; item id; model number; stockcode; codigo articulo',
    hints: 'reference; model; ref',
    never: 'description name quantity weight group date',
  },
  itemDescription: {
    about: 'name of the article',
    says: 'item description; description; product name; item name; artikelbezeichnung; bezeichnung; artikelname; designation; descripcion; article description; product description; libelle; goods; warenbezeichnung; text; lineitem name',
    hints: 'item; article; product',
    never: 'status event number code',
  },
  quantity: {
    about: 'quantity',
    says: 'quantity; qty; menge; anzahl; stueck; stueckzahl; quantite; cantidad; order quantity; pieces; pcs; units; ordered quantity; bestellmenge; piezas; lineitem quantity; colli',
    hints: 'count; packages; cartons',
    never: 'price weight unit type received shipped',
  },
  weight: {
    about: 'weight',
    says: 'weight; weight lb; weight lbs; weight kg; gross weight; gewicht; gewicht kg; bruttogewicht; poids; poids kg; peso; peso kg; item weight; weight pounds; weight g; poids brut; peso bruto',
    hints: 'net weight; mass; kg; lbs; total weight',
    never: 'unit dim',
  },
} as const satisfies Record<string, { about: string; says: string; hints: string; never: string }>;

export type RoleName = keyof typeof ROLES;

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
      'arrivee terminal',
      'llegada terminal',
      'arrived at depot',
      'arrived at hub',
      'arrival scan',
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
