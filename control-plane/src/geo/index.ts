export {
  type AddressFacts,
  type DerivedPlace,
  type GeoDatabaseAge,
  type GeoDatabaseCounts,
  GeoDatabases,
  type GeoSource,
} from './geo-databases.js';
export { RangeDatabase, RangeDatabaseError } from './range-database.js';
