export {
  type AddressFacts,
  type DerivedPlace,
  type GeoDatabaseCounts,
  GeoDatabases,
  type GeoSource,
} from './geo-databases.js';
export { RangeDatabase, RangeDatabaseError } from './range-database.js';
