/**
 * Every choice of ours where the upstream's documentation says "not shown".
 *
 * When the operator answers, one line changes here; the comment names the clause that leaves it open. The sandbox uses
 * the same choices, so every test sees a change.
 */
import { CLOCK_WITHOUT_ABBREVIATION, OFFSET_MINUTES_FORM } from '../../kernel/date-time.ts';

export const NOT_SHOWN = {
  /** seed 4.2: the fleet path is `/fms/{api_name}/{api_version}/…`; neither name is given. */
  fleetApiName: 'fleet',
  locationsApiName: 'locations',
  fleetApiVersion: 'v1',

  /** seed 4.2: "by a date range", names not shown. ISO dates, both inclusive. */
  serviceHistoryVehicleParameter: 'vehicleNumber',
  serviceHistoryFromParameter: 'fromDate',
  serviceHistoryToParameter: 'toDate',

  /** seed 4.2: "by location attributes", names not shown; we use the attribute's own name. */
  locationFilterParameters: ['city', 'state', 'postalCode', 'service'],

  /** seed 2.5: other vehicle fields and the envelope of lists are not shown; a list is under this key. */
  listKeys: { vehicles: 'vehicles', serviceHistory: 'serviceHistory', locations: 'locations' },

  /**
   * seed 2.5, 2.7: paths of the facts read of a vehicle or location. Shown are vehicleNumber, VIN, licensePlate,
   * locationNumber.
   */
  vehicleFacts: {
    vehicleNumber: ['vehicleNumber'],
    vin: ['VIN'],
    licensePlate: ['licensePlate'],
    customerNumber: ['customerNumber'],
  },
  locationFacts: {
    locationNumber: ['locationNumber'],
    name: ['name'],
    line1: ['address', 'line1'],
    city: ['address', 'city'],
    state: ['address', 'state'],
    postalCode: ['address', 'postalCode'],
    country: ['address', 'country'],
    latitude: ['coordinate', 'latitude'],
    longitude: ['coordinate', 'longitude'],
    timeZone: ['timeZone'],
  },

  /** seed 2.7: we take the "location code" of the content for the `locationNumber` of the paths; not shown. */
  locationCode: 'locationNumber',

  /** seed 4.4: "plus the carrier SCAC identifier", header name not shown; we send the name the events API uses (4.3). */
  orderScacHeader: 'carrierSCAC',

  /** seed 4.4: "the response contains the order ID", path not shown. Also the name of the id inside the PUT body. */
  orderIdPath: ['id'],
  /** seed 2.8: the client-facing number "used as orderRef in queries"; its name in the order body is not shown. */
  orderRefPath: ['orderRef'],

  /** seed 4.4: the payload of the order-status endpoints is not shown. Paths that we read in it. */
  orderStatus: {
    listKey: 'events',
    orderRef: 'orderRef',
    orderId: 'orderId',
    code: 'code',
    time: 'eventTime',
    level: 'level',
    /** Codes that mean an order was cancelled; compared in lower case. */
    cancelledCodes: ['cancelled', 'canceled'],
    /**
     * Further codes that end an order: with one of these, or cancelled, it counts as closed (seed 3: states not shown).
     */
    finalCodes: ['delivered'],
    /** Values of `level` that an end consumer may see. */
    milestoneLevels: ['milestone'],
    place: { city: ['city'], state: ['state'], postalCode: ['postalCode'], country: ['country'] },
    /** X12 status codes (element 1650), for the codes that have one. */
    x12Codes: {
      received: 'XB',
      picked_up: 'AF',
      at_terminal: 'X4',
      out_for_delivery: 'X6',
      delivered: 'D1',
      cancelled: 'CA',
      canceled: 'CA',
    },
  },

  /**
   * seed 2.2: allowed values of eventCode and reasonCode are not shown ("a separate list of reason codes exists").
   * Ours: the codes of X12, elements 1650 (status), 1652 (appointment) and 1651 (reason), by the names of our code
   * lists.
   */
  eventCodeLists: ['x12-status-codes', 'x12-appointment-codes'],
  reasonCodeList: 'x12-reason-codes',
  /** seed 2.4: "a truck is one kind"; its spelling and the other kinds are not shown. */
  resourceTypes: ['TRUCK', 'TRAILER'],
  /**
   * seed 2.4: "a temperature scale letter"; the allowed ones are not shown. Ours: Celsius, as every shipped mapping
   * writes.
   */
  temperatureScale: 'C',
  /** seed 2.4: "odometer reading", its unit not shown. */
  odometerUnit: 'mi',

  /** seed 4.4: the answer for an unknown orderRef is not shown. Ours: success, with an empty list. */
  unknownOrderRefStatus: 200,

  /** seed 2.2, 2.4, 4.3: required fields are not shown; without these an event says nothing about a load. */
  milestoneRequired: ['eventCode', 'loadNumber', 'time'],
  traceRequired: ['loadNumber', 'traces'],
  tracePointRequired: ['time', 'coordinate'],
  loadMilestoneEventRequired: ['load_id', 'milestone_type', 'event_time'],

  /** seed 5.4: "the full mapping of APIs to methods is not shown". A channel may override this per API. */
  authByApi: {
    fleet: 'key',
    locations: 'key',
    events: 'key',
    orders: 'key',
    loadMilestoneEvents: 'key+bearer',
  },
  /**
   * seed 4.1: endpoint 1 gets api_key:client_secret, endpoint 2 <CLIENT_ID> and <CLIENT_SECRET>. Whether the client id
   * is the API key is not shown: it is configured separately, and a missing one is a configuration error.
   */
  tokenCredentials: { oauth: ['apiKey', 'clientSecret'], plain: ['clientId', 'clientSecret'] },

  /** seed 7.3: behaviour on missing or expired credentials: not shown. */
  missingCredentialsStatus: 401,
  scacNotOnboardedStatus: 403,

  /** seed 7.1, 7.2: which 4xx status means which mistake is not shown. */
  refusalStatus: {
    malformed: 400,
    scacMalformed: 400,
    wrongMethod: 405,
    unknownResource: 404,
    acceptNotJson: 406,
    orderClosed: 409,
    memberFixed: 422,
    tooLarge: 413,
    mediaType: 415,
  },
  /** seed 7.2: the error body is not shown. Ours: `{error: {code, message, fields: [{path, problem}]}}`. */
  errorKey: 'error',
  /**
   * seed 7.2: how a load that is not known (yet) is reported is not shown. Strict, so that no other refusal matches:
   * this status, and exactly one of these codes at this path of the body, which is JSON and was read whole.
   */
  loadUnknown: { status: 404, path: ['error', 'code'], codes: ['load_unknown'] },
  /** seed 4.3: "response body of these endpoints: not shown". Path of the confirmation's id. */
  confirmationIdPath: ['id'],
  /**
   * seed 4.4: whose an order is (partnerId and clientId of the batch history) is not shown; read from the body, else
   * the account's own.
   */
  orderPartnerIdPath: ['partnerId'],
  orderClientIdPath: ['clientId'],
  /** seed 2.8: the "secondary reference number"; any value among the body's references matches orderRef. */
  orderReferencesPath: ['references'],
  /** seed 4.4: body of `GET {id}/statuses`: not shown. */
  orderActionStatus: { orderId: 'id', orderRef: 'orderRef', action: 'action', code: 'code', time: 'eventTime' },

  /**
   * seed 4.4: what says that an action was done, not only accepted, is not shown. Ours: an answer that names the order
   * decides, unless its code is a pending one, in lower case. Otherwise `/statuses` is queried. A refused code there
   * means that it was not done: the order is as before.
   */
  orderAction: {
    pendingCodes: ['accepted', 'pending', 'processing', 'queued'],
    refusedCodes: ['rejected', 'refused', 'declined', 'failed', 'invalid'],
  },
  /**
   * seed 2.8: what can be updated on an existing order; the member names are not shown. Ours: those that the shipped
   * mappings write, each with everything below it. Of items, only quantities are named ("increase or decrease"): so
   * none is added, and one that is no longer wanted stays, with the quantity `takenOut`. Whether the upstream refuses
   * other updates is not shown: `others` is the default of a channel.
   */
  orderUpdatable: {
    others: 'refuse',
    members: ['shipperCode', 'consignee', 'deliveryType', 'comments', 'references'],
    items: { list: 'skus', key: 'sku', quantity: 'quantity', takenOut: 0 },
  },
  /**
   * seed 2.8: the full order payload is not shown. Ours: the members that shipped mappings write; partners' mappings
   * may write others.
   */
  orderMembers: [
    'orderRef',
    'shipperCode',
    'carrierScac',
    'deliveryType',
    'orderedOn',
    'requestedDate',
    'shipDate',
    'dates',
    'consignee',
    'parties',
    'transport',
    'purchaseOrder',
    'comments',
    'references',
    'skus',
    'stops',
    'totals',
  ],
  /** seed 2.3: "UTC<sign><hours>"; zones off the hour are not shown. null: refused, row by row; `UTC+5:30` appends the minutes. */
  offsetMinutesForm: OFFSET_MINUTES_FORM,
  /**
   * seed 2.3: `timeZoneCode` is an abbreviation; its value for a bare offset (`-06:00`), or a zone without an
   * abbreviation, is not shown. Ours: the same moment on this clock, so that all three members agree.
   */
  clockWithoutAbbreviation: CLOCK_WITHOUT_ABBREVIATION,
} as const;

/** The APIs whose authentication can be set per channel. */
export type UpstreamApi = keyof typeof NOT_SHOWN.authByApi;
export type AuthMethod = 'key' | 'key+bearer';
export type OtherUpdates = 'refuse' | 'send';
