/** What partners call the columns of events, in English, German, French and Spanish. Data only; see `terms.ts`. */

export const EVENT_ROLES = {
  loadNumber: {
    about: 'load number',
    says: 'load number; load; load id; load reference; load ref number; ladung; ladungsnummer; ladenummer; ladungs id; numero de charge; charge; numero de carga; carga; load no; bridge load number',
    hints:
      'shipment number; shipment; shipment id; sendung; sendungsnummer; sendungs id; expedition; numero expedition; envio; numero envio; consignment; consignment number; freight order; transport number; transportnummer; transport; dispatch number; shipment reference; shipment identification number; ladelistennummer',
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
} as const;
