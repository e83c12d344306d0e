export { type DerivedPlace, type GeoDatabaseCounts, GeoDatabases } from './geo-databases.js';
