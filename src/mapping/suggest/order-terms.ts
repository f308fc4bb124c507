/** What partners call the columns of orders, in English, German, French and Spanish. Data only; see `terms.ts`. */

export const ORDER_ROLES = {
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
} as const;

/** Columns whose values can say what is done with an order, by one word of their name. */
export const ACTION_NAMES: ReadonlySet<string> = new Set(
  'action transaction operation function purpose activity type change cancel cancelled cancellation status aktion vorgang vorgangsart storno operacion accion'.split(
    ' ',
  ),
);

/** What such a column says of an order, in any case. A single letter says nothing: `C` is a change as well. */
export const ORDER_ACTIONS: ReadonlyMap<string, 'order.create' | 'order.cancel'> = new Map([
  ...'new create created creation add added insert original open neu neuanlage nouveau nuevo alta'
    .split(' ')
    .map((word) => [word, 'order.create'] as const),
  ...'cancel canceled cancelled cancellation delete deleted remove removed void voided storno storniert stornierung annulation annuler cancelado cancelar anulado'
    .split(' ')
    .map((word) => [word, 'order.cancel'] as const),
]);
