/** How long a missing node is watched before its pods go (PG-12). */
export const quarantineTime = 40_000;

export interface QuarantineRound {
  /** Names whose nodes are gone for certain: their pods are deleted now. */
  readonly confirmed: ReadonlySet<string>;
  /** When each quarantine ends, for the next pass. */
  readonly quarantine: ReadonlyMap<string, number>;
}

/**
 * Mirrors discoverDeletedNodes, pkg/controller/podgc/gc_controller.go: the missing names are armed first,
 * where an earlier end stays, so that a name that has just become due is armed once more (PG-12 to PG-14).
 */
export function quarantineRound(
  before: ReadonlyMap<string, number>,
  missing: Iterable<string>,
  now: number,
  nodes: { isCached(name: string): boolean; exists(name: string): boolean },
): QuarantineRound {
  const quarantine = new Map<string, number>();
  const due: string[] = [];
  for (const [name, end] of before) {
    if (end <= now) due.push(name);
    else quarantine.set(name, end);
  }
  for (const name of missing) {
    if (!quarantine.has(name)) quarantine.set(name, now + quarantineTime);
  }
  const confirmed = due.filter((name) => !nodes.isCached(name) && !nodes.exists(name));
  return { confirmed: new Set(confirmed), quarantine };
}
