import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { locationKey } from '../../src/kube/object-reference.ts';
import { type KubeObject, recordOf } from '../../src/kube/record-codec.ts';
import type { ResourceTypes } from '../../src/kube/resource-types.ts';
import { phaseOf, type SavedObject } from '../../src/restore/backup/saved-object.ts';
import type { RestoreOptions } from '../../src/restore/kinds/restored-kind.ts';
import { LiveObjects } from '../../src/restore/plan/live-objects.ts';
import { placesToLook, planRestoration } from '../../src/restore/plan/plan-restoration.ts';
import type { PlannedRestoration } from '../../src/restore/plan/restoration.ts';
import { OwnerLookup } from '../../src/restore/relink/relink.ts';
import { servedTypes } from '../support/builders.ts';
import { kube } from '../support/kube.ts';
import { rowsOf } from '../support/rows.ts';

export { kube };

/** A reference to the object of `kube(text)`. */
export function owner(text: string, changes: object = {}) {
  const [apiVersion = '', kind = '', name = ''] = text.split(' ');
  return { apiVersion, kind, name, uid: `uid-${name}`, ...changes };
}

export const ownedBy = (...texts: string[]) => ({
  ownerReferences: texts.map((text) => owner(text)),
});

/** As a backup would hold it. */
export function saved(object: KubeObject, changes: Partial<SavedObject> = {}): SavedObject {
  const type = servedTypes.find(object.apiVersion, object.kind);
  if (!type) throw new Error(`no ${object.kind}`);
  const { namespace, name, uid, ownerReferences, finalizers } = recordOf(object, type);
  const base = { type, namespace, name, uid, ownerReferences, finalizers };
  return { ...base, phase: phaseOf(object), manifest: object, fault: undefined, ...changes };
}

/** A cluster that holds these objects, and the namespace `shop`; everything else is known to be absent. */
export function liveWith(
  objects: readonly SavedObject[],
  there: readonly KubeObject[],
  types: ResourceTypes = servedTypes,
): LiveObjects {
  const live = new LiveObjects();
  for (const place of placesToLook(objects, new OwnerLookup(types, objects))) {
    live.set(place, { found: 'nothing' });
  }
  const shop = kube('v1 Namespace shop');
  for (const manifest of [shop, ...there]) {
    const at = saved(manifest);
    live.set(at, { found: 'object', manifest });
  }
  return live;
}

export interface Asked extends RestoreOptions {
  readonly there?: readonly KubeObject[];
  /** What may not be looked up: `v1 ConfigMap app`. */
  readonly forbidden?: readonly string[];
  /** What is not there, though it mostly is. */
  readonly absent?: readonly string[];
  readonly sameCluster?: boolean;
  readonly isOfFix?: boolean;
  readonly types?: ResourceTypes;
}

export function plan(objects: readonly SavedObject[], asked: Asked = {}): PlannedRestoration[] {
  const {
    there = [],
    forbidden = [],
    absent = [],
    sameCluster = true,
    types = servedTypes,
    ...options
  } = asked;
  const live = liveWith(objects, there, types);
  for (const text of absent) live.set(saved(kube(text)), { found: 'nothing' });
  for (const text of forbidden) {
    live.set(saved(kube(text)), { found: 'unknown', message: 'it is forbidden' });
  }
  return planRestoration(objects, live, types, { deleted: true, sameCluster, ...options });
}

/** What is done about the first of these, and why. */
export function decided(objects: readonly SavedObject[], asked: Asked = {}) {
  const [planned] = plan(objects, asked);
  return [planned?.action, planned?.because];
}

/** Wave, kind and name, action, and each reference with what becomes of it. */
export function told(planned: readonly PlannedRestoration[]): string[] {
  return planned.map(({ saved: object, wave, action, references, later }) => {
    const owners = references.map((reference) => {
      const change = later.has(reference.owner ?? '') ? 'later' : reference.told.change;
      return ` ${reference.told.name}:${change}${reference.told.to && `=${reference.told.to}`}`;
    });
    const [resource] = locationKey(object).split(' ');
    return `${wave} ${resource}/${object.name} ${action}${owners.join('')}`;
  });
}

/** Action and reason, and notes. */
export const decisionsOf = (planned: readonly PlannedRestoration[]): string[] =>
  planned.flatMap(({ action, because, notes }) => [`${action}: ${because}`, ...notes]);

/**
 * Tests plans by a table: what each is about; what was saved; what is there, and how it is asked for; what is said.
 * `v1 Pod a {fault: its file is missing} <- v1 ConfigMap b!` is an object, what is otherwise of it, and its controller.
 */
export function casesOfRestorations(
  say: (planned: readonly PlannedRestoration[]) => readonly string[],
  cases: string,
): void {
  test.each(rowsOf(cases))('%s', (_, objects, there, how, ...lines) => {
    expect(say(planOf(objects, there, how))).toEqual(lines);
  });
}

/** What is said in each case of such a table without results: its title, and below it a line for each thing. */
export function outcomesOf(
  say: (planned: readonly PlannedRestoration[]) => readonly string[],
  cases: string,
): string {
  return rowsOf(cases)
    .map(([title = '', ...of]) => [title, ...say(planOf(...of))].join('\n  '))
    .join('\n');
}

function planOf(objects = '', there = '', how = ''): PlannedRestoration[] {
  const objectsOf = (text: string) => (text === '' ? [] : text.split(';').map(objectFrom));
  const all = objectsOf(objects).map(({ object, fault }) =>
    saved(object, fault === undefined ? {} : { manifest: undefined, fault: fault || undefined }),
  );
  return plan(all, { there: objectsOf(there).map(({ object }) => object), ...parse(how) });
}

function objectFrom(text: string): { readonly object: KubeObject; readonly fault?: string } {
  const [said = '', to] = text.trim().split(' <- ');
  const [, what = '', fields = ''] = /^([^{]*)({.*})?$/.exec(said) ?? [];
  const { metadata, fault, ...rest } = parse(fields) ?? {};
  const ownerReferences = to
    ?.split(', ')
    .map((one) => owner(one.replace('!', ''), one.endsWith('!') ? { controller: true } : {}));
  return {
    object: kube(what, { ...metadata, ...(ownerReferences && { ownerReferences }) }, rest),
    fault,
  };
}
