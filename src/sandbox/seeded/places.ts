/** Forty places in the United States: city, state, postal code, coordinates and time zone, rounded to a hundredth degree. */
export interface Place {
  city: string;
  state: string;
  postalCode: string;
  latitude: number;
  longitude: number;
  timeZone: string;
}

const ROWS: readonly [string, string, string, number, number, string][] = [
  ['Atlanta', 'GA', '30303', 33.75, -84.39, 'America/New_York'],
  ['Dallas', 'TX', '75201', 32.78, -96.8, 'America/Chicago'],
  ['Chicago', 'IL', '60607', 41.87, -87.65, 'America/Chicago'],
  ['Phoenix', 'AZ', '85004', 33.45, -112.07, 'America/Phoenix'],
  ['Denver', 'CO', '80202', 39.75, -104.99, 'America/Denver'],
  ['Los Angeles', 'CA', '90021', 34.03, -118.24, 'America/Los_Angeles'],
  ['Seattle', 'WA', '98134', 47.58, -122.33, 'America/Los_Angeles'],
  ['Miami', 'FL', '33122', 25.8, -80.31, 'America/New_York'],
  ['Houston', 'TX', '77029', 29.76, -95.26, 'America/Chicago'],
  ['Memphis', 'TN', '38118', 35.04, -89.93, 'America/Chicago'],
  ['Columbus', 'OH', '43228', 39.96, -83.12, 'America/New_York'],
  ['Indianapolis', 'IN', '46241', 39.73, -86.27, 'America/Indiana/Indianapolis'],
  ['Kansas City', 'MO', '64120', 39.13, -94.54, 'America/Chicago'],
  ['Salt Lake City', 'UT', '84104', 40.75, -111.93, 'America/Denver'],
  ['Portland', 'OR', '97217', 45.58, -122.68, 'America/Los_Angeles'],
  ['Charlotte', 'NC', '28208', 35.23, -80.89, 'America/New_York'],
  ['Nashville', 'TN', '37210', 36.14, -86.74, 'America/Chicago'],
  ['Louisville', 'KY', '40213', 38.18, -85.71, 'America/Kentucky/Louisville'],
  ['Detroit', 'MI', '48209', 42.31, -83.11, 'America/Detroit'],
  ['Minneapolis', 'MN', '55421', 45.05, -93.25, 'America/Chicago'],
  ['St. Louis', 'MO', '63147', 38.71, -90.24, 'America/Chicago'],
  ['San Antonio', 'TX', '78219', 29.44, -98.4, 'America/Chicago'],
  ['El Paso', 'TX', '79915', 31.74, -106.37, 'America/Denver'],
  ['Albuquerque', 'NM', '87105', 35.05, -106.69, 'America/Denver'],
  ['Las Vegas', 'NV', '89115', 36.21, -115.07, 'America/Los_Angeles'],
  ['Sacramento', 'CA', '95828', 38.48, -121.4, 'America/Los_Angeles'],
  ['Oakland', 'CA', '94621', 37.75, -122.19, 'America/Los_Angeles'],
  ['Boise', 'ID', '83705', 43.58, -116.22, 'America/Boise'],
  ['Billings', 'MT', '59101', 45.78, -108.5, 'America/Denver'],
  ['Omaha', 'NE', '68117', 41.21, -95.99, 'America/Chicago'],
  ['Des Moines', 'IA', '50313', 41.64, -93.62, 'America/Chicago'],
  ['Milwaukee', 'WI', '53207', 42.98, -87.89, 'America/Chicago'],
  ['Cleveland', 'OH', '44135', 41.43, -81.8, 'America/New_York'],
  ['Pittsburgh', 'PA', '15205', 40.44, -80.1, 'America/New_York'],
  ['Harrisburg', 'PA', '17111', 40.27, -76.79, 'America/New_York'],
  ['Newark', 'NJ', '07114', 40.71, -74.17, 'America/New_York'],
  ['Albany', 'NY', '12205', 42.71, -73.82, 'America/New_York'],
  ['Boston', 'MA', '02127', 42.34, -71.04, 'America/New_York'],
  ['Baltimore', 'MD', '21224', 39.28, -76.55, 'America/New_York'],
  ['Jacksonville', 'FL', '32254', 30.34, -81.73, 'America/New_York'],
];

export const PLACES: readonly Place[] = ROWS.map(([city, state, postalCode, latitude, longitude, timeZone]) => {
  return { city, state, postalCode, latitude, longitude, timeZone };
});
