/** Two hundred and forty made-up maintenance records, four per vehicle, the same on every start. Fields are ours (seed 2.6). */
import { LOCATIONS } from './locations.ts';
import { VEHICLES } from './vehicles.ts';

export interface ServiceRecord {
  recordNumber: string;
  vehicleNumber: string;
  /** Local calendar date, `yyyy-mm-dd`. */
  serviceDate: string;
  kind: 'maintenance' | 'repair';
  description: string;
  locationNumber: string;
  odometer: number;
}

const RECORDS_PER_VEHICLE = 4;
const WORK: readonly Pick<ServiceRecord, 'kind' | 'description'>[] = [
  { kind: 'maintenance', description: 'Oil and filter change' },
  { kind: 'maintenance', description: 'Annual inspection' },
  { kind: 'repair', description: 'Brake pads replaced' },
  { kind: 'repair', description: 'Tail light replaced' },
  { kind: 'maintenance', description: 'Tire rotation' },
];

export const SERVICE_RECORDS: readonly ServiceRecord[] = VEHICLES.flatMap(({ vehicleNumber }, vehicle) =>
  Array.from({ length: RECORDS_PER_VEHICLE }, (_, visit): ServiceRecord => {
    const count = vehicle * RECORDS_PER_VEHICLE + visit;
    const work = WORK[count % WORK.length] ?? { kind: 'maintenance', description: 'Inspection' };
    const month = String(1 + visit * 3 + (vehicle % 3)).padStart(2, '0');
    return {
      recordNumber: `S-${50_001 + count}`,
      vehicleNumber,
      serviceDate: `2025-${month}-${String(1 + (count % 28)).padStart(2, '0')}`,
      ...work,
      locationNumber: LOCATIONS[count % LOCATIONS.length]?.locationNumber ?? '',
      odometer: 12_000 + vehicle * 900 + visit * 11_500,
    };
  }),
);
