import type {
  Restoration,
  RestoredObject,
  RestoredReference,
} from '../../restore/plan/restoration.ts';
import { stacked } from '../fit-text.ts';
import { type Paint, type RenderOptions, styleOf } from '../style.ts';
import { objectColumns } from '../tables/alike-rows.ts';
import { type Column, renderItems } from '../tables/table.ts';
import { type Answer, distinctNames } from './answer.ts';

export const restorationAnswer = {
  table: restorationTable,
  names: ({ objects }) => distinctNames(objects.map((object) => ({ object }))),
} satisfies Answer<Restoration>;

/**
 * What happens to each object, in order; before it, what the garbage collector would do with
 * foreign manifests.
 */
function restorationTable({ objects }: Restoration, options: RenderOptions, wide: boolean): string {
  const foreign = objects.flatMap(({ asSaved, ...object }) =>
    asSaved ? [{ ...object, asSaved }] : [],
  );
  return stacked([
    renderItems(foreign, asSavedColumns(options), options),
    renderItems(objects, restoredColumns(options), options, wide),
  ]);
}

function asSavedColumns(
  options: RenderOptions,
): Column<RestoredObject & Required<Pick<RestoredObject, 'asSaved'>>>[] {
  const style = styleOf(options);
  const paints = { delete: style.red, patch: style.yellow, unknown: style.cyan };
  return [
    [
      'AS SAVED',
      ({ asSaved: { action } }) => ({ text: asSavedWords[action], paint: paints[action] }),
    ],
    ...objectColumns((object: RestoredObject) => [object], options),
    ['RULE', ({ asSaved }) => asSaved.rule],
    ['REASON', ({ asSaved }) => asSaved.because],
  ];
}

const asSavedWords = {
  delete: 'deleted at once',
  patch: 'loses references',
  unknown: 'unknown',
} as const;

function restoredColumns(options: RenderOptions): Column<RestoredObject>[] {
  const style = styleOf(options);
  const paints: Readonly<Record<string, Paint>> = {
    create: style.green,
    created: style.green,
    relink: style.yellow,
    relinked: style.yellow,
    cannot: style.red,
    faulty: style.red,
    refused: style.red,
    'not-tried': style.magenta,
  };
  return [
    ['WAVE', ({ wave }) => String(wave)],
    ...objectColumns((object: RestoredObject) => [object], options),
    [
      'ACTION',
      ({ outcome, action }) => ({ text: outcome ?? action, paint: paints[outcome ?? action] }),
    ],
    ['OWNERS', ({ references }) => references.map(ownerOf).join(', ')],
    ['OLD UID', ({ uid }) => uid, 'wide'],
    ['NEW UID', ({ newUid }) => newUid ?? '', 'wide'],
    [
      'REASON',
      (object) => [reasonOf(object), ...object.notes].filter((text) => text !== '').join('; '),
    ],
  ];
}

/** An object that exists again needs no reason. */
function reasonOf({ outcome, message, because }: RestoredObject): string {
  return message ?? (outcome === 'created' ? '' : because);
}

function ownerOf({ kind, name, change }: RestoredReference): string {
  return `${kind}/${name} (${change})`;
}
