/** What the keyspace needs of the lessor, which implements it (src/lease). */
export interface LeaseBook {
  /** Is there such a lease? Asked before every put that names one. */
  has(id: bigint): boolean;
  /** `key` now belongs to lease `id`; it belonged to none. */
  attach(id: bigint, key: string): void;
  /** `key` no longer belongs to lease `id`. */
  detach(id: bigint, key: string): void;
}
